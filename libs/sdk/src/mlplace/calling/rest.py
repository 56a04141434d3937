"""Builds requests and parses answers and errors, for both HTTP clients."""

from collections.abc import Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import cast
from urllib.parse import quote

import httpx
from pydantic_core import to_json

from mlplace.calling.retry import CONNECTION_FAILED, CONNECTION_LOST
from mlplace.calling.trace import outgoing_headers
from mlplace.calling.values import Json, read_json
from mlplace.errors import MlpError, SettingsError, seconds_of
from mlplace.settings import Settings
from mlplace_gateproto import headers

_BROKEN_OFF = "The answer broke off before its end"


@dataclass(frozen=True, slots=True)
class Prepared:
    path: str
    body: bytes
    headers: dict[str, str]
    query: dict[str, str]


class RequestFactory:
    """Builds paths, bodies and headers of calls to the gateway with one API key."""

    def __init__(self, api_key: str, billing_key: str | None) -> None:
        self._api_key = api_key
        self._billing_key = billing_key

    def predict(
        self, account: str, model: str, data: object, *, config: object, config_id: int | None, request_id: str | None
    ) -> Prepared:
        query = {} if config_id is None else {"configId": str(config_id)}
        if config is None:
            return self._prepare(account, model, "predict", to_json(data, by_alias=True), request_id, query)
        body = to_json({"data": data, "config": config}, by_alias=True)
        return self._prepare(account, model, "predict-with-config", body, request_id, query)

    def stream(self, account: str, model: str, data: object, *, config: object, request_id: str | None) -> Prepared:
        texts = {"data": to_json(data, by_alias=True).decode()}
        if config is not None:
            texts["config"] = to_json(config, by_alias=True).decode()
        prepared = self._prepare(account, model, "predict-with-config-v2-stream", to_json(texts), request_id, {})
        prepared.headers["Accept"] = "text/event-stream"
        return prepared

    def ext(
        self, account: str, model: str, method: str, params: Mapping[str, object], *, request_id: str | None
    ) -> Prepared:
        texts = {
            name: value if isinstance(value, str) else to_json(value, by_alias=True).decode()
            for name, value in params.items()
        }
        body = to_json({"methodName": method, "params": texts})
        return self._prepare(account, model, "ext", body, request_id, {})

    def _prepare(
        self, account: str, model: str, call: str, body: bytes, request_id: str | None, query: dict[str, str]
    ) -> Prepared:
        path = f"/api/mlpgateway/account/{quote(account, safe='')}/model/{quote(model, safe='')}/{call}"
        sent = {
            "Content-Type": "application/json",
            headers.API_KEY: self._api_key,
            **outgoing_headers(request_id, self._billing_key),
        }
        return Prepared(path, body, sent, query)


def require_rest(settings: Settings) -> None:
    if not settings.rest_url or not settings.client_token:
        raise SettingsError("MLP_REST_URL and MLP_CLIENT_TOKEN are needed to call other services")


def read_answer(response: httpx.Response) -> Json:
    """Returns the parsed JSON body, or None for an empty one. Raises ``MlpError`` for an error response."""
    if response.is_error:
        raise error_of(response)
    return read_json(response.content) if response.content else None


def error_of(response: httpx.Response) -> MlpError:
    request_id = response.headers.get(headers.REQUEST_ID)
    retry_after = seconds_of(response.headers.get(headers.RETRY_AFTER))
    try:
        body = read_json(response.content)
    except MlpError:
        body = None
    if not isinstance(body, dict) or "code" not in body:
        return MlpError(
            f"http.{response.status_code}",
            response.text[:500] or response.reason_phrase,
            status=response.status_code,
            request_id=request_id,
            retry_after=retry_after,
        )
    error = error_from_body(cast("dict[str, Json]", body), response.status_code, request_id)
    error.retry_after = retry_after
    return error


def broken_off() -> MlpError:
    return MlpError(CONNECTION_LOST, _BROKEN_OFF, status=HTTPStatus.SERVICE_UNAVAILABLE)


def connection_failed(error: httpx.TransportError) -> MlpError:
    """Returns an error that is retryable only if the request cannot have reached the platform."""
    unsent = isinstance(error, httpx.ConnectError | httpx.ConnectTimeout | httpx.PoolTimeout)
    code = CONNECTION_FAILED if unsent else CONNECTION_LOST
    return MlpError(code, f"{type(error).__name__}: {error}", status=HTTPStatus.SERVICE_UNAVAILABLE)


def error_from_body(body: dict[str, Json], status: int, request_id: str | None = None) -> MlpError:
    """``status`` is taken where the body has none."""
    given, args = body.get("status"), body.get("args")
    named = cast("dict[str, Json]", args) if isinstance(args, dict) else {}
    return MlpError(
        str(body.get("code", f"http.{status}")),
        str(body.get("message", "")),
        status=given if isinstance(given, int) else status,
        args={name: str(value) for name, value in named.items()},
        request_id=body.get("requestId") or request_id,
    )
