"""API keys and service tokens: `{accountId}.{objectId}.{40 alphanumeric characters}`.

The secret part carries 238 random bits, so a fast keyed hash is enough to store it: nobody can guess 238 bits, and a
slow password hash would protect against nothing else. Source of the form: the public wire contract.
"""

import hashlib
import hmac
import re
from dataclasses import dataclass

from mlplace_kit.ids import random_alphanumeric

_SECRET_LENGTH = 40
_BLOCK = 64  # block size of SHA-256, in bytes
_FORM = re.compile(r"(\d{1,19})\.(\d{1,19})\.([A-Za-z0-9]{40})", re.ASCII)


@dataclass(frozen=True, slots=True, repr=False)
class Credential:
    """A key or token in clear text. Its repr is hidden, so that no log shows it by accident."""

    account_id: int
    object_id: int
    secret: str

    @property
    def text(self) -> str:
        return f"{self.account_id}.{self.object_id}.{self.secret}"


def new_credential(*, account_id: int, object_id: int) -> Credential:
    return Credential(account_id, object_id, random_alphanumeric(_SECRET_LENGTH))


def parse_credential(text: str) -> Credential | None:
    """Returns None when the text does not have the form of a key. Such a text needs no look-up."""
    match = _FORM.fullmatch(text)
    return Credential(int(match[1]), int(match[2]), match[3]) if match else None


class KeyedHasher:
    """HMAC-SHA-256 over the whole credential with one secret of the installation.

    It hashes the whole text, never a prefix, so that caches keep two callers apart. It composes the HMAC from two
    prepared hashes as RFC 2104 describes; `hmac` of the standard library takes several times as long.
    """

    def __init__(self, secret: bytes) -> None:
        if len(secret) < 16:
            raise ValueError("the hashing secret must have at least 16 bytes")
        key = (secret if len(secret) <= _BLOCK else hashlib.sha256(secret).digest()).ljust(_BLOCK, b"\0")
        self._inner = hashlib.sha256(bytes(byte ^ 0x36 for byte in key))
        self._outer = hashlib.sha256(bytes(byte ^ 0x5C for byte in key))

    def digest(self, text: str) -> str:
        """Returns 64 lower-case hexadecimal digits."""
        inner, outer = self._inner.copy(), self._outer.copy()
        inner.update(text.encode())
        outer.update(inner.digest())
        return outer.hexdigest()

    def matches(self, text: str, digest: str) -> bool:
        """Compares in constant time."""
        return hmac.compare_digest(self.digest(text), digest)
