"""Signs and reads licences: JSON Web Signatures in compact form (RFC 7515), signed with Ed25519 (RFC 8037)."""

import base64
import binascii
from contextlib import suppress
from pathlib import Path

from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import load_pem_public_key
from pydantic import BaseModel

from mlpcore.licensing.schemas import LicenseTerms

_MAX_BYTES = 64 * 1024


class _Header(BaseModel):
    alg: str
    typ: str


_HEADER = _Header(alg="EdDSA", typ="mlplace-license")


class LicenseUnreadableError(ValueError):
    """The licence is missing, is not signed with the installation's key, or has invalid content."""


def public_key(pem: str) -> Ed25519PublicKey:
    """Accepts escaped newlines. Raises ValueError when the text is not an Ed25519 public key."""
    with suppress(ValueError, UnsupportedAlgorithm):
        key = load_pem_public_key(pem.replace("\\n", "\n").encode())
        if isinstance(key, Ed25519PublicKey):
            return key
    raise ValueError("the licence key must be an Ed25519 public key in PEM form")


def sign(terms: LicenseTerms, key: Ed25519PrivateKey) -> str:
    """Returns the text of a licence file."""
    payload = terms.model_dump_json(by_alias=True, exclude_none=True).encode()
    signed = f"{_encoded(_HEADER.model_dump_json().encode())}.{_encoded(payload)}"
    return f"{signed}.{_encoded(key.sign(signed.encode()))}"


def read_file(path: Path, key: Ed25519PublicKey) -> LicenseTerms:
    """Raises LicenseUnreadableError."""
    try:
        with path.open("rb") as file:
            text = file.read(_MAX_BYTES + 1)
    except OSError as error:
        raise LicenseUnreadableError(f"the licence file cannot be read: {error.strerror}") from error
    if len(text) > _MAX_BYTES:
        raise LicenseUnreadableError("the licence file is too large")
    return read(text.strip(), key)


def read(text: bytes, key: Ed25519PublicKey) -> LicenseTerms:
    """Verifies the signature, then parses the terms. Raises LicenseUnreadableError."""
    signed, _, signature = text.rpartition(b".")
    header, _, payload = signed.partition(b".")
    try:
        key.verify(_decoded(signature), signed)
        named = _Header.model_validate_json(_decoded(header))
        terms = LicenseTerms.model_validate_json(_decoded(payload))
    except (InvalidSignature, binascii.Error) as error:
        raise LicenseUnreadableError("the licence is not signed with the installation's key") from error
    except ValueError as error:
        raise LicenseUnreadableError("the content of the licence is invalid") from error
    if named != _HEADER:
        raise LicenseUnreadableError("the signed text is not a licence")
    return terms


def _encoded(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def _decoded(text: bytes) -> bytes:
    return base64.b64decode(text + b"=" * (-len(text) % 4), altchars=b"-_", validate=True)
