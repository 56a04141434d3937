"""Encrypts secrets that must be shown again. Secrets that are only looked up are hashed (`mlplace_kit.credentials`)."""

import hmac
import os
from collections.abc import Iterable

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

_NONCE = 12


class UnreadableSecretError(Exception):
    """The stored secret was sealed with another key or for another purpose."""


class Vault:
    """Seals secrets with AES-256-GCM under the installation's key; `purpose` binds a sealed value to its storage place.

    `open` also accepts values that were sealed with one of the `older` keys.
    """

    def __init__(self, key: bytes, *older: bytes) -> None:
        self._cipher = AESGCM(key)
        self._ciphers = (self._cipher, *map(AESGCM, older))

    @property
    def has_older_keys(self) -> bool:
        return len(self._ciphers) > 1

    def seal(self, secret: str, *, purpose: str) -> bytes:
        nonce = os.urandom(_NONCE)
        return nonce + self._cipher.encrypt(nonce, secret.encode(), purpose.encode())

    def open(self, sealed: bytes, *, purpose: str) -> str:
        """Raises UnreadableSecretError."""
        return self._opened(sealed, purpose)[0]

    def needs_resealing(self, sealed: bytes, *, purpose: str) -> bool:
        """Whether only an older key opens the value. Raises UnreadableSecretError."""
        return self._opened(sealed, purpose)[1] is not self._cipher

    def reseal(self, sealed: bytes, *, purpose: str) -> bytes:
        """Returns the value sealed with the present key. Raises UnreadableSecretError."""
        return self.seal(self.open(sealed, purpose=purpose), purpose=purpose)

    def _opened(self, sealed: bytes, purpose: str) -> tuple[str, AESGCM]:
        if len(sealed) < _NONCE:  # the cipher refuses a short nonce with another error
            raise UnreadableSecretError
        for cipher in self._ciphers:
            try:
                return cipher.decrypt(sealed[:_NONCE], sealed[_NONCE:], purpose.encode()).decode(), cipher
            except InvalidTag:
                continue
        raise UnreadableSecretError


def is_one_of(token: str, accepted: Iterable[str]) -> bool:
    """Whether the token equals one of the accepted ones; each comparison takes constant time."""
    return any(hmac.compare_digest(token.encode(), known.encode()) for known in accepted)
