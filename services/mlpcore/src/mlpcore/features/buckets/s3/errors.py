"""The errors of the S3 protocol, and which of them the platform's own errors become."""

from collections.abc import Mapping
from typing import Final

from mlpcore.features.buckets.objects import RefusedBodyError
from mlplace_kit.errors import DomainError


class S3Error(RefusedBodyError):
    """`code`: a name of the protocol. `status`: of HTTP."""

    def __init__(self, code: str, status: int, message: str, **details: str) -> None:
        """`details`: further elements of the document."""
        super().__init__(message)
        self.details = details
        self.code = code
        self.status = status
        self.message = message


def access_denied() -> S3Error:
    return S3Error("AccessDenied", 403, "Access denied.")


def not_implemented(what: str) -> S3Error:
    return S3Error("NotImplemented", 501, f"{what} is not supported.")


def invalid_argument(message: str) -> S3Error:
    return S3Error("InvalidArgument", 400, message)


def signature_wrong() -> S3Error:
    return S3Error(
        "SignatureDoesNotMatch", 403, "The signature is wrong; check the secret key and how it was computed."
    )


_CODES: Final[Mapping[str, tuple[str, int]]] = {
    "mlp.core.object_key_invalid": ("InvalidArgument", 400),
    "mlp.core.object_not_found": ("NoSuchKey", 404),
    "mlp.core.object_condition_failed": ("PreconditionFailed", 412),
    "mlp.core.object_too_large": ("EntityTooLarge", 400),
    "mlp.core.object_content_missing": ("ServiceUnavailable", 503),
    "mlp.core.object_limit_exceeded": ("QuotaExceeded", 403),
    "mlp.core.upload_limit_exceeded": ("QuotaExceeded", 403),
    "mlp.core.upload_not_found": ("NoSuchUpload", 404),
    "mlp.core.upload_part_invalid": ("InvalidPart", 400),
    "mlp.core.upload_parts_unordered": ("InvalidPartOrder", 400),
    "mlp.core.upload_part_too_small": ("EntityTooSmall", 400),
    "mlp.core.storage_limit_exceeded": ("QuotaExceeded", 403),
    "mlp.core.too_many_transfers": ("SlowDown", 503),
    "mlp.core.transfers_busy": ("SlowDown", 503),
    "mlp.core.request_too_slow": ("RequestTimeout", 400),
    "mlp.core.unavailable": ("ServiceUnavailable", 503),
    "mlp.gate.request_too_large": ("EntityTooLarge", 400),
    "mlp.gate.account_not_found": ("AccessDenied", 403),
    "mlp.core.malformed_request": ("IncompleteBody", 400),
}


def s3_error(error: DomainError) -> S3Error:
    """Returns what the error is in the protocol; an unknown one is an internal error."""
    code, status = _CODES.get(error.code, ("InternalError", 500))
    return S3Error(code, status, error.text[:1].upper() + error.text[1:] + ".")
