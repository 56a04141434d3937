"""The error format on the wire, the same for all services and protocols."""

import math
from collections.abc import Sequence
from http import HTTPStatus
from typing import cast

import orjson
import structlog
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel, ConfigDict
from pydantic.alias_generators import to_camel
from pydantic.json_schema import SkipJsonSchema
from pydantic_core import ErrorDetails
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
from mlplace_runtime.web.findings import violations_of
from mlplace_runtime.web.methods import allowed_methods

log = structlog.get_logger(__name__)


class ViolationBody(BaseModel):
    """The rule that the value of a field breaks, and the values behind its message."""

    path: str
    rule: str
    args: dict[str, str]


class ErrorBody(BaseModel):
    """`args` holds the values behind the message; for invalid input it maps each field's path to its problem.

    Only errors of invalid input have `violations`.
    """

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True)

    code: str
    message: str
    status: int
    args: dict[str, str]
    request_id: str
    violations: list[ViolationBody] | SkipJsonSchema[None] = None


def error_bytes(error: DomainError, request_id: str) -> bytes:
    body: dict[str, object] = {
        "code": error.code,
        "message": error.text,
        "status": error.status,
        "args": error.details,
        "requestId": request_id,
    }
    if isinstance(error, ValidationFailed):
        body["violations"] = [
            {"path": path, "rule": violation.rule, "args": dict(violation.args)}
            for path, violation in error.violations.items()
        ]
    return orjson.dumps(body)


def error_headers(error: DomainError) -> dict[str, str]:
    headers = dict(error.answer_headers)
    if error.status == HTTPStatus.UNAUTHORIZED:  # RFC 9110, section 15.5.2, requires one; this asks no browser to ask
        headers["WWW-Authenticate"] = "Bearer"
    if error.retry_after_seconds is not None:
        headers["Retry-After"] = str(max(1, math.ceil(error.retry_after_seconds)))
    return headers


def error_response(error: DomainError, request_id: str) -> Response:
    return Response(
        error_bytes(error, request_id), error.status, headers=error_headers(error), media_type="application/json"
    )


def from_validation(error: RequestValidationError) -> DomainError:
    """Maps Pydantic's findings to violations by path; a body that is not JSON is a malformed request."""
    findings = cast("Sequence[ErrorDetails]", error.errors())
    if any(finding["type"] == "json_invalid" for finding in findings):
        return MalformedRequest(reason="not JSON")
    return ValidationFailed(violations_of(findings))


def from_http(error: HTTPException, request: Request) -> DomainError:
    match error.status_code:
        case 404:
            return RouteNotFound()
        case 405:
            return MethodNotAllowed(allowed_methods(request.app.routes, request.scope))
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
        refused = error.__cause__ if isinstance(error.__cause__, DomainError) else from_http(error, request)
        return error_response(refused, request_id_of(request))

    async def unexpected(request: Request, error: Exception) -> Response:
        return error_response(from_unexpected(error), request_id_of(request))

    app.add_exception_handler(Exception, unexpected)
    app.add_exception_handler(ClientDisconnect, unexpected)  # unlike others, it is not raised again after the response
    app.add_exception_handler(DomainError, domain)
    app.add_exception_handler(RequestValidationError, validation)
    app.add_exception_handler(HTTPException, http)
