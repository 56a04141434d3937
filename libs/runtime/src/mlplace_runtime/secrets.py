"""Secrets that must be shown again are encrypted; those only looked up are hashed (`mlplace_kit.credentials`)."""

import os

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

_NONCE = 12


class UnreadableSecretError(Exception):
    """The stored secret was sealed under another key, or for another purpose."""


class Vault:
    """AES-256-GCM under the installation's key; `purpose` binds a sealed value to where it is stored."""

    def __init__(self, key: bytes) -> None:
        self._cipher = AESGCM(key)

    def seal(self, secret: str, *, purpose: str) -> bytes:
        nonce = os.urandom(_NONCE)
        return nonce + self._cipher.encrypt(nonce, secret.encode(), purpose.encode())

    def open(self, sealed: bytes, *, purpose: str) -> str:
        try:
            return self._cipher.decrypt(sealed[:_NONCE], sealed[_NONCE:], purpose.encode()).decode()
        except InvalidTag as error:
            raise UnreadableSecretError from error
