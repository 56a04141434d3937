"""HTTP clients that call services."""

import asyncio
import time
from collections.abc import AsyncGenerator, Generator, Mapping
from types import TracebackType
from typing import Self

import httpx

from mlplace.calling.event_stream import PartsOfEvents
from mlplace.calling.open_sockets import OpenSockets
from mlplace.calling.rest import (
    Prepared,
    RequestFactory,
    connection_failed,
    error_of,
    read_answer,
    require_rest,
)
from mlplace.calling.retry import Retry, client_closed
from mlplace.calling.values import Json
from mlplace.errors import MlpError
from mlplace.settings import Settings

_TIMEOUT_SECONDS = 60.0


class Client:
    """A blocking client. ``account`` and ``model`` are ids or short names.

    ``data`` and ``config`` are anything with a JSON form, including pydantic models; answers are parsed JSON. Failures
    raise ``MlpError``. Within a service, the trace id and the paying key of the current call are added automatically.
    """

    def __init__(
        self,
        rest_url: str,
        api_key: str,
        *,
        billing_key: str | None = None,
        timeout: float = _TIMEOUT_SECONDS,
        retry: Retry | None = None,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        self._requests = RequestFactory(api_key, billing_key)
        self._retry = retry or Retry()
        self._sockets = OpenSockets()
        hooks = {"request": [self._sockets.follow]}
        self._http = httpx.Client(base_url=rest_url, timeout=timeout, transport=transport, event_hooks=hooks)

    @classmethod
    def from_environment(cls, settings: Settings | None = None) -> Self:
        """For composite services: MLP_REST_URL with MLP_CLIENT_TOKEN, paid by MLP_BILLING_TOKEN if it is set."""
        chosen = settings or Settings.from_environment()
        require_rest(chosen)
        timeout = chosen.client_predict_timeout_ms / 1000
        return cls(chosen.rest_url, chosen.client_token, billing_key=chosen.billing_token or None, timeout=timeout)

    def predict(
        self,
        account: str,
        model: str,
        data: object,
        *,
        config: object = None,
        config_id: int | None = None,
        request_id: str | None = None,
    ) -> Json:
        """``config`` is the configuration itself; ``config_id`` is the id of a stored one."""
        prepared = self._requests.predict(
            account, model, data, config=config, config_id=config_id, request_id=request_id
        )
        return self._send(prepared)

    def ext(
        self, account: str, model: str, method: str, params: Mapping[str, object], *, request_id: str | None = None
    ) -> Json:
        return self._send(self._requests.ext(account, model, method, params, request_id=request_id))

    def stream(
        self, account: str, model: str, data: object, *, config: object = None, request_id: str | None = None
    ) -> Generator[Json]:
        """Yields parts of the answer as they arrive. Never retried.

        Close it (``contextlib.closing``), and the service stops working on the rest. Leaving the loop closes it only if
        nothing else refers to it.
        """
        prepared = self._requests.stream(account, model, data, config=config, request_id=request_id)
        try:
            with self._http.stream("POST", prepared.path, content=prepared.body, headers=prepared.headers) as response:
                if response.is_error:
                    response.read()
                    raise error_of(response)
                parts = PartsOfEvents()
                for chunk in response.iter_bytes():
                    yield from parts.feed(chunk)
                parts.end()
        except httpx.TransportError as error:
            raise connection_failed(error) from error
        except RuntimeError:
            if self._http.is_closed:
                raise client_closed() from None
            raise

    def close(self) -> None:
        """Ends the calls of other threads, too."""
        self._sockets.shut_down()
        self._http.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def _send(self, prepared: Prepared) -> Json:
        attempts = self._retry.begin()
        while True:
            try:
                return self._once(prepared)
            except MlpError as error:
                if not attempts.may_repeat(error):
                    raise
            time.sleep(attempts.pause)

    def _once(self, prepared: Prepared) -> Json:
        try:
            response = self._http.post(
                prepared.path, content=prepared.body, headers=prepared.headers, params=prepared.query
            )
        except httpx.TransportError as error:
            raise connection_failed(error) from error
        except RuntimeError:
            if self._http.is_closed:
                raise client_closed() from None
            raise
        return read_answer(response)


class AsyncClient:
    """The same calls for asynchronous code; see ``Client``."""

    def __init__(
        self,
        rest_url: str,
        api_key: str,
        *,
        billing_key: str | None = None,
        timeout: float = _TIMEOUT_SECONDS,
        retry: Retry | None = None,
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        self._requests = RequestFactory(api_key, billing_key)
        self._retry = retry or Retry()
        self._http = httpx.AsyncClient(base_url=rest_url, timeout=timeout, transport=transport)

    @classmethod
    def from_environment(cls, settings: Settings | None = None) -> Self:
        """Like ``Client.from_environment``."""
        chosen = settings or Settings.from_environment()
        require_rest(chosen)
        timeout = chosen.client_predict_timeout_ms / 1000
        return cls(chosen.rest_url, chosen.client_token, billing_key=chosen.billing_token or None, timeout=timeout)

    async def predict(
        self,
        account: str,
        model: str,
        data: object,
        *,
        config: object = None,
        config_id: int | None = None,
        request_id: str | None = None,
    ) -> Json:
        prepared = self._requests.predict(
            account, model, data, config=config, config_id=config_id, request_id=request_id
        )
        return await self._send(prepared)

    async def ext(
        self, account: str, model: str, method: str, params: Mapping[str, object], *, request_id: str | None = None
    ) -> Json:
        return await self._send(self._requests.ext(account, model, method, params, request_id=request_id))

    async def stream(
        self, account: str, model: str, data: object, *, config: object = None, request_id: str | None = None
    ) -> AsyncGenerator[Json]:
        """Like ``Client.stream``; close it with ``contextlib.aclosing``."""
        prepared = self._requests.stream(account, model, data, config=config, request_id=request_id)
        sending = self._http.stream("POST", prepared.path, content=prepared.body, headers=prepared.headers)
        try:
            async with sending as response:
                if response.is_error:
                    await response.aread()
                    raise error_of(response)
                parts = PartsOfEvents()
                async for chunk in response.aiter_bytes():
                    for part in parts.feed(chunk):
                        yield part
                parts.end()
        except httpx.TransportError as error:
            raise connection_failed(error) from error
        except RuntimeError:
            if self._http.is_closed:
                raise client_closed() from None
            raise

    async def close(self) -> None:
        await self._http.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await self.close()

    async def _send(self, prepared: Prepared) -> Json:
        attempts = self._retry.begin()
        while True:
            try:
                return await self._once(prepared)
            except MlpError as error:
                if not attempts.may_repeat(error):
                    raise
            await asyncio.sleep(attempts.pause)

    async def _once(self, prepared: Prepared) -> Json:
        try:
            response = await self._http.post(
                prepared.path, content=prepared.body, headers=prepared.headers, params=prepared.query
            )
        except httpx.TransportError as error:
            raise connection_failed(error) from error
        except RuntimeError:
            if self._http.is_closed:
                raise client_closed() from None
            raise
        return read_answer(response)
