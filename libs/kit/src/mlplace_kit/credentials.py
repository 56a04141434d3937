"""API keys and service tokens: `{accountId}.{objectId}.{40 alphanumeric characters}`.

The secret part carries 238 random bits, so a fast keyed hash is enough to store it (a password hash guards against
guessing, which 238 bits rule out). Sources: the public wire contract for the form.
"""

import hashlib
import hmac
import re
from dataclasses import dataclass

from mlplace_kit.ids import random_alphanumeric

_SECRET_LENGTH = 40
_BLOCK = 64  # bytes, of SHA-256
_FORM = re.compile(r"(\d{1,19})\.(\d{1,19})\.([A-Za-z0-9]{40})", re.ASCII)


@dataclass(frozen=True, slots=True, repr=False)
class Credential:
    """A key or token in the clear. It has no repr, so that no log shows it by accident."""

    account_id: int
    object_id: int
    secret: str

    @property
    def text(self) -> str:
        return f"{self.account_id}.{self.object_id}.{self.secret}"


def new_credential(*, account_id: int, object_id: int) -> Credential:
    return Credential(account_id, object_id, random_alphanumeric(_SECRET_LENGTH))


def parse_credential(text: str) -> Credential | None:
    """None when the text does not have the form of a key: such a text needs no look-up."""
    match = _FORM.fullmatch(text)
    return Credential(int(match[1]), int(match[2]), match[3]) if match else None


class KeyedHasher:
    """HMAC-SHA-256 over the whole credential under one installation-wide secret.

    Hashing the whole text, never a prefix of it, is what keeps two callers apart in caches. Composed as RFC 2104 says
    from two hashes that have seen the secret already: the library's own way takes several times as long.
    """

    def __init__(self, secret: bytes) -> None:
        if len(secret) < 16:
            raise ValueError("the hashing secret must have at least 16 bytes")
        key = (secret if len(secret) <= _BLOCK else hashlib.sha256(secret).digest()).ljust(_BLOCK, b"\0")
        self._inner = hashlib.sha256(bytes(byte ^ 0x36 for byte in key))
        self._outer = hashlib.sha256(bytes(byte ^ 0x5C for byte in key))

    def digest(self, text: str) -> str:
        """64 lower-case hexadecimal digits."""
        inner, outer = self._inner.copy(), self._outer.copy()
        inner.update(text.encode())
        outer.update(inner.digest())
        return outer.hexdigest()

    def matches(self, text: str, digest: str) -> bool:
        """Compare in constant time."""
        return hmac.compare_digest(self.digest(text), digest)
