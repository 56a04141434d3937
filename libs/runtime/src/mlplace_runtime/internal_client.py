"""Typed calls between services at `/internal/<service>/...`, with a time limit and without blind retries."""

import asyncio
from collections.abc import Mapping
from typing import TypeVar

import httpx
from pydantic import BaseModel

from mlplace_kit.errors import DomainError, Unavailable
from mlplace_runtime.auth.authenticator import INTERNAL_HEADER
from mlplace_runtime.telemetry.current import TRACE_PARENT, trace_parent

_Answer = TypeVar("_Answer", bound=BaseModel)
_HTTP_ERROR = 400
_SERVER_ERROR = 500
_PHASE_SECONDS = 5.0
"""Time limit of each phase: connecting, sending the request, reading the response."""
_WHOLE_SECONDS = 8.0
"""Time limit of the whole call, including further attempts to connect."""


class RemoteRefusalError(Exception):
    """The other service refused: its error code, status, message and args."""

    def __init__(self, *, code: str, status: int, message: str, details: dict[str, str]) -> None:
        self.code = code
        self.status = status
        self.details = details
        super().__init__(f"{code}: {message}")


class _ErrorBody(BaseModel):
    code: str = "mlp.core.internal_error"
    message: str = ""
    args: dict[str, str] = {}


class InternalClient:
    """`clients` maps a service's name to an HTTP client whose base address is that service."""

    def __init__(self, clients: Mapping[str, httpx.AsyncClient], token: str) -> None:
        self._clients = clients
        self._token = token

    async def post(self, service: str, path: str, body: BaseModel, answer: type[_Answer]) -> _Answer:
        """Raises RemoteRefusalError for a refusal, Unavailable when the service does not answer."""
        response = await self._send(service, "POST", path, body.model_dump_json().encode())
        return answer.model_validate_json(response.content)

    async def send(self, service: str, path: str, body: BaseModel) -> None:
        """Like `post`, for calls without a response body."""
        await self._send(service, "POST", path, body.model_dump_json().encode())

    async def get(self, service: str, path: str, answer: type[_Answer]) -> _Answer:
        response = await self._send(service, "GET", path, None)
        return answer.model_validate_json(response.content)

    async def find(self, service: str, path: str, body: BaseModel | None, answer: type[_Answer]) -> _Answer | None:
        """Like `post` (with a body) or `get`, for responses that may be `null`."""
        content = body.model_dump_json().encode() if body else None
        response = await self._send(service, "POST" if body else "GET", path, content)
        return None if response.content == b"null" else answer.model_validate_json(response.content)

    async def _send(self, service: str, method: str, path: str, content: bytes | None) -> httpx.Response:
        headers = {INTERNAL_HEADER: self._token, "Content-Type": "application/json"}
        if parent := trace_parent():
            headers[TRACE_PARENT] = parent
        try:
            async with asyncio.timeout(_WHOLE_SECONDS):
                response = await self._clients[service].request(
                    method, f"/internal/{service}{path}", content=content, headers=headers, timeout=_PHASE_SECONDS
                )
        except (httpx.HTTPError, TimeoutError) as error:
            raise Unavailable(service=service) from error
        if response.status_code >= _SERVER_ERROR:
            raise Unavailable(service=service)
        if response.status_code >= _HTTP_ERROR:
            body = _ErrorBody.model_validate_json(response.content)
            raise RemoteRefusalError(
                code=body.code, status=response.status_code, message=body.message, details=body.args
            )
        return response


def is_unavailable(error: Exception) -> bool:
    return isinstance(error, DomainError) and error.code == Unavailable.code
