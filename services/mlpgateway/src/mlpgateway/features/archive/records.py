"""The format of archived requests in the object store: JSON, or the same encrypted for the owner (RFC 7516)."""

import base64
import hashlib
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Final

import orjson
from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat, load_pem_public_key

from mlpgateway.call import headers
from mlpgateway.call.call import Payload
from mlpgateway.context.captured_call import CapturedCall

_FORMAT: Final = 1
_WRAPPING: Final = "RSA-OAEP-256"
_CONTENT: Final = "A256GCM"


class UnusableKeyError(Exception):
    """The owner's key is not an RSA public key. Unexpected, because settings are checked when they are saved."""


def rendered(capture: CapturedCall) -> bytes:
    """Returns the bytes to store. Raises UnusableKeyError: what has to be encrypted is never stored in the clear."""
    text = orjson.dumps(document_of(capture))
    return text if capture.rule.public_key is None else sealed(text, capture.rule.public_key)


def document_of(capture: CapturedCall) -> dict[str, Any]:
    """Returns the record. JSON contents are strings with the JSON text, unchanged; other contents are base64."""
    request, error = capture.request, capture.error
    kept = not capture.request_omitted
    return {
        "format": _FORMAT,
        "id": str(capture.id),
        "at": capture.at.isoformat(),
        "requestId": capture.request_id,
        "modelId": capture.model.model_id,
        "callerAccountId": capture.caller_account_id,
        "request": {
            "operation": request.operation.value,
            "omitted": not kept,
            "data": _content(request.data) if kept else None,
            "config": _content(request.config) if kept else None,
            "method": request.method_name,
            "params": {name: _content(value) for name, value in request.params.items()} if kept else {},
        },
        "answer": {
            "status": capture.status,
            "omitted": capture.answer_omitted,
            "parts": [_content(part) for part in capture.parts],
            "headers": dict(headers.to_caller(capture.headers)),
            "error": None if error is None else {"code": error.code, "message": error.text, "args": error.details},
        },
        "durationMs": round(capture.seconds * 1000),
        "instanceId": capture.instance_id,
        "cached": capture.cached,
    }


def _content(payload: Payload | None) -> Mapping[str, str | None] | None:
    if payload is None:
        return None
    if payload.protobuf is None:
        return {"json": _stored(payload.json or ""), "type": payload.data_type}
    return {"base64": base64.b64encode(payload.protobuf).decode(), "type": payload.data_type}


def _stored(text: str) -> str:
    """Replaces lone surrogates: JSON can express them, but UTF-8 cannot encode them."""
    return text.encode(errors="replace").decode()


def sealed(text: bytes, public_key: str) -> bytes:
    """Returns a compact JWE: a new AES-256-GCM key per record, wrapped with RSA-OAEP and SHA-256.

    Raises UnusableKeyError.
    """
    # Loaded with the first encrypted record: it takes longer than the rest of this feature, and few models encrypt.
    from joserfc.jwe import encrypt_compact
    from joserfc.jwk import RSAKey

    key, key_id = _key_of(public_key)
    header = {"alg": _WRAPPING, "enc": _CONTENT, "cty": "application/json", "kid": key_id}
    return encrypt_compact(header, text, RSAKey.import_key(key), algorithms=[_WRAPPING, _CONTENT]).encode()


def key_id_of(public_key: str) -> str:
    """Returns the SHA-256 of the key in DER, as base64url. Raises UnusableKeyError."""
    return _key_of(public_key)[1]


@lru_cache(maxsize=256)
def _key_of(public_key: str) -> tuple[RSAPublicKey, str]:
    try:
        key = load_pem_public_key(public_key.encode())
    except (ValueError, UnsupportedAlgorithm):
        raise UnusableKeyError from None
    if not isinstance(key, RSAPublicKey):
        raise UnusableKeyError
    encoded = key.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
    return key, base64.urlsafe_b64encode(hashlib.sha256(encoded).digest()).rstrip(b"=").decode()
