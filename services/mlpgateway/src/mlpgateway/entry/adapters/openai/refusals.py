"""Errors in the form that OpenAI's clients expect, with the platform's codes."""

from http import HTTPStatus
from typing import Final

import msgspec
from starlette.responses import Response

from mlplace_kit.errors import DomainError, ValidationFailed
from mlplace_runtime.web.errors import error_headers, from_unexpected

_TYPES: Final = {
    HTTPStatus.UNAUTHORIZED: "authentication_error",
    HTTPStatus.PAYMENT_REQUIRED: "insufficient_quota",
    HTTPStatus.FORBIDDEN: "permission_error",
    HTTPStatus.NOT_FOUND: "not_found_error",
    HTTPStatus.TOO_MANY_REQUESTS: "rate_limit_error",
}


def error_body(error: Exception) -> bytes:
    shown = from_unexpected(error)
    kind = "server_error" if shown.status >= HTTPStatus.INTERNAL_SERVER_ERROR else "invalid_request_error"
    about: dict[str, str | None] = {
        "message": shown.text,
        "type": next((name for status, name in _TYPES.items() if status == shown.status), kind),
        "param": next(iter(shown.fields), None) if isinstance(shown, ValidationFailed) else None,
        "code": shown.code,
    }
    return msgspec.json.encode({"error": about})


def error_answer(error: DomainError, _request_id: str) -> Response:
    return Response(error_body(error), error.status, headers=error_headers(error), media_type="application/json")
