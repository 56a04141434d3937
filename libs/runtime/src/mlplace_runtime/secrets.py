"""Secrets that must be shown again are encrypted; those only looked up are hashed (`mlplace_kit.credentials`)."""

import hmac
import os
from collections.abc import Iterable

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

_NONCE = 12


class UnreadableSecretError(Exception):
    """The stored secret was sealed under another key, or for another purpose."""


class Vault:
    """AES-256-GCM under the installation's key; `purpose` binds a sealed value to where it is stored.

    What was sealed under one of the `older` keys can still be opened.
    """

    def __init__(self, key: bytes, *older: bytes) -> None:
        self._cipher = AESGCM(key)
        self._ciphers = (self._cipher, *map(AESGCM, older))

    def seal(self, secret: str, *, purpose: str) -> bytes:
        nonce = os.urandom(_NONCE)
        return nonce + self._cipher.encrypt(nonce, secret.encode(), purpose.encode())

    def open(self, sealed: bytes, *, purpose: str) -> str:
        """Raises UnreadableSecretError."""
        for cipher in self._ciphers:
            try:
                return cipher.decrypt(sealed[:_NONCE], sealed[_NONCE:], purpose.encode()).decode()
            except InvalidTag:
                continue
        raise UnreadableSecretError


def is_one_of(token: str, accepted: Iterable[str]) -> bool:
    """Whether a caller knows one of these, compared in constant time."""
    return any(hmac.compare_digest(token.encode(), known.encode()) for known in accepted)
