"""The error format on the wire, the same for all services and protocols."""

import math
import re
from collections.abc import Mapping, Sequence
from typing import cast

import orjson
import structlog
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel, ConfigDict, SecretStr
from pydantic.alias_generators import to_camel
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.responses import Response

from mlplace_kit.errors import (
    DomainError,
    InternalError,
    MalformedRequest,
    MethodNotAllowed,
    RouteNotFound,
    Unavailable,
    UnsupportedContentType,
    ValidationFailed,
)
from mlplace_runtime.failures import is_of_the_database

_SOURCES = frozenset({"body", "query", "path", "header", "cookie"})
log = structlog.get_logger(__name__)


class ErrorBody(BaseModel):
    """`args` holds the values behind the message; for invalid input it maps each field's path to its problem."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True)

    code: str
    message: str
    status: int
    args: dict[str, str]
    request_id: str


def error_bytes(error: DomainError, request_id: str) -> bytes:
    return orjson.dumps(
        {
            "code": error.code,
            "message": error.text,
            "status": error.status,
            "args": error.details,
            "requestId": request_id,
        }
    )


def error_headers(error: DomainError) -> dict[str, str]:
    headers = dict(error.answer_headers)
    if error.retry_after_seconds is not None:
        headers["Retry-After"] = str(max(1, math.ceil(error.retry_after_seconds)))
    return headers


def error_response(error: DomainError, request_id: str) -> Response:
    return Response(
        error_bytes(error, request_id), error.status, headers=error_headers(error), media_type="application/json"
    )


def from_validation(error: RequestValidationError) -> DomainError:
    """Maps Pydantic's findings to `path: message`; a body that is not JSON is a malformed request."""
    problems: Sequence[Mapping[str, object]] = error.errors()
    fields: dict[str, str] = {}
    for problem in problems:
        if problem["type"] == "json_invalid":
            return MalformedRequest(reason="not JSON")
        fields.setdefault(_path(problem), _finding(problem))
    return ValidationFailed(fields)


def _finding(problem: Mapping[str, object]) -> str:
    """Returns Pydantic's message, with "items" corrected to "characters" for a text.

    Pydantic says "items" if a validator runs before the check of the length.
    """
    text = str(problem["msg"])
    if problem["type"] in {"too_long", "too_short"} and isinstance(problem.get("input"), (str, SecretStr)):
        return re.sub(r"\bitems?\b", "characters", text.partition(" after validation")[0])
    return text


def _path(problem: Mapping[str, object]) -> str:
    location = cast("tuple[str | int, ...]", problem["loc"])
    parts = location[1:] if len(location) > 1 and location[0] in _SOURCES else location
    return ".".join(str(part) for part in parts)


def from_http(error: HTTPException) -> DomainError:
    match error.status_code:
        case 404:
            return RouteNotFound()
        case 405:
            return MethodNotAllowed()
        case 415:
            return UnsupportedContentType(expected="application/json")
        case 400:
            return MalformedRequest(reason="it cannot be read")
        case _:
            return InternalError()


def from_unexpected(error: Exception) -> DomainError:
    """Turns an unexpected error into a refusal: retryable if a dependency is in trouble, else an internal error."""
    if isinstance(error, DomainError):
        return error
    if is_of_the_database(error):
        log.warning("dependency_unavailable", error=repr(error))
        return Unavailable()
    if isinstance(error, ClientDisconnect):
        log.info("client_disconnected")  # nobody reads the response
        return MalformedRequest(reason="its body ended early")
    log.error("unexpected_error", exc_info=error)
    return InternalError()


def request_id_of(request: Request) -> str:
    return str(request.scope.get("mlp.request_id", ""))


def install(app: FastAPI) -> None:
    """Makes all exceptions of the app leave in the common error format."""

    async def domain(request: Request, error: Exception) -> Response:
        if not isinstance(error, DomainError):
            raise error
        return error_response(error, request_id_of(request))

    async def validation(request: Request, error: Exception) -> Response:
        if not isinstance(error, RequestValidationError):
            raise error
        return error_response(from_validation(error), request_id_of(request))

    async def http(request: Request, error: Exception) -> Response:
        if not isinstance(error, HTTPException):
            raise error
        # FastAPI wraps what the reader of a body raises, for example for its size.
        refused = error.__cause__ if isinstance(error.__cause__, DomainError) else from_http(error)
        return error_response(refused, request_id_of(request))

    async def unexpected(request: Request, error: Exception) -> Response:
        return error_response(from_unexpected(error), request_id_of(request))

    app.add_exception_handler(Exception, unexpected)
    app.add_exception_handler(ClientDisconnect, unexpected)  # unlike others, it is not raised again after the response
    app.add_exception_handler(DomainError, domain)
    app.add_exception_handler(RequestValidationError, validation)
    app.add_exception_handler(HTTPException, http)
