"""A gRPC client that calls services through a gate."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterable, AsyncIterator, Mapping, Sequence
from contextlib import aclosing
from http import HTTPStatus
from types import TracebackType
from typing import Self
from weakref import WeakSet

import grpc
import grpc.aio
from pydantic_core import to_json

from mlplace.calling.retry import CONNECTION_FAILED, Attempts, Retry, client_closed, ended_here
from mlplace.calling.sent_requests import SentRequests
from mlplace.calling.trace import outgoing_headers
from mlplace.calling.values import Json, read_json
from mlplace.channels import open_channel
from mlplace.errors import MlpError, SettingsError, from_proto
from mlplace.settings import Settings
from mlplace_gateproto import codes, gate_pb2, gate_pb2_grpc

# The platform's own timeout comes first and has a better error; this one ends calls to a gate that hangs.
_DEADLINE_MARGIN_SECONDS = 5
_Call = (
    grpc.aio.UnaryStreamCall[gate_pb2.ClientRequestProto, gate_pb2.ClientResponseProto]
    | grpc.aio.StreamStreamCall[gate_pb2.ClientRequestProto, gate_pb2.ClientResponseProto]
)
_GATE_IS_GONE = frozenset({CONNECTION_FAILED, codes.GATE_IS_SHUT_DOWN})


class GrpcClient:
    """An asynchronous client. Sends ``bytes`` as a binary payload and other values as JSON; answers likewise.

    Failures raise ``MlpError``. Temporary failures are retried (``Retry``). If a gate is unreachable or shuts down, the
    retry goes to the next address. A stream is retried only before its first part.
    """

    def __init__(
        self,
        addresses: str | Sequence[str],
        api_key: str,
        *,
        billing_key: str | None = None,
        secure: bool = True,
        timeout: float = 60.0,
        retry: Retry | None = None,
        settings: Settings | None = None,
    ) -> None:
        """``addresses`` are host:port; ``timeout`` is in seconds; ``settings`` may name a private CA."""
        self._addresses = [addresses] if isinstance(addresses, str) else list(addresses)
        self._api_key = api_key
        self._billing_key = billing_key
        self._timeout = timeout
        self._retry = retry or Retry()
        self._settings = settings or Settings(grpc_secure=secure)
        self._turn = 0
        self._channel: grpc.aio.Channel | None = None
        self._retired: set[asyncio.Task[None]] = set()
        self._calls: WeakSet[grpc.aio.Call] = WeakSet()
        self._closed = False

    @classmethod
    def from_environment(cls, settings: Settings | None = None) -> Self:
        """For composite services: uses the gates of the environment and MLP_CLIENT_TOKEN."""
        chosen = settings or Settings.from_environment()
        if not chosen.gate_addresses or not chosen.client_token:
            raise SettingsError("MLP_GRPC_HOSTS and MLP_CLIENT_TOKEN are needed to call other services")
        return cls(
            chosen.gate_addresses,
            chosen.client_token,
            billing_key=chosen.billing_token or None,
            timeout=chosen.client_predict_timeout_ms / 1000,
            settings=chosen,
        )

    async def predict(
        self,
        account: str,
        model: str,
        data: object,
        *,
        config: object = None,
        data_type: str | None = None,
        request_id: str | None = None,
    ) -> Json:
        request = self._request(account, model, request_id)
        request.predict.data.CopyFrom(_payload(data, data_type))
        if config is not None:
            request.predict.config.CopyFrom(_payload(config))
        return await self._process(request)

    async def ext(
        self, account: str, model: str, method: str, params: Mapping[str, object], *, request_id: str | None = None
    ) -> Json:
        request = self._request(account, model, request_id)
        request.ext.methodName = method
        for name, value in params.items():
            request.ext.params[name].CopyFrom(_payload(value))
        return await self._process(request)

    async def stream(
        self, account: str, model: str, data: object, *, config: object = None, request_id: str | None = None
    ) -> AsyncGenerator[Json]:
        """Yields parts of the answer as they arrive; an unstreamed answer is one part.

        Close it (``contextlib.aclosing``), and the service stops working on the rest. Leaving the loop closes it only
        if nothing else refers to it.
        """
        request = self._request(account, model, request_id)
        request.predict.data.CopyFrom(_payload(data))
        if config is not None:
            request.predict.config.CopyFrom(_payload(config))
        attempts = self._retry.begin()
        began = False
        while True:
            try:
                call = self._stub().processResponseStream(request)
                self._calls.add(call)
                answers = _parts(call, self._deadline(), secure=self._settings.grpc_secure)
                async with aclosing(answers):
                    async for part in answers:
                        began = True
                        yield part
            except MlpError as error:
                if began or not await self._wait_to_repeat(attempts, error):
                    raise
            else:
                return

    async def converse(
        self,
        account: str,
        model: str,
        parts: AsyncIterable[object],
        *,
        config: object = None,
        request_id: str | None = None,
    ) -> AsyncGenerator[Json]:
        """Sends parts while receiving parts of the answer. Never retried. Close it like ``stream``.

        Each part is sent at once, so ``parts`` may wait for the answer to the last one. An exception that ``parts``
        raises cancels the call and is raised here.
        """
        request = self._request(account, model, request_id)
        requests = SentRequests(self._streamed_requests(request, parts, config))
        call = self._stub().processStream(aiter(requests))
        self._calls.add(call)
        answers = _parts(call, self._deadline(), secure=self._settings.grpc_secure)
        try:
            async with aclosing(answers):
                async for value in answers:
                    yield value
        except (asyncio.CancelledError, MlpError):
            if requests.failure is None:
                raise
        if (failure := requests.failure) is not None:
            raise failure  # outside the handler: the cancellation would become the context of the caller's exception

    async def close(self) -> None:
        """Ends the calls of other tasks, too."""
        self._closed = True
        for call in list(self._calls):  # those of retired channels, too
            call.cancel()
        if self._channel is not None:
            await self._channel.close()
            self._channel = None
        await asyncio.gather(*self._retired)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await self.close()

    def _request(self, account: str, model: str, request_id: str | None) -> gate_pb2.ClientRequestProto:
        return gate_pb2.ClientRequestProto(
            account=account,
            model=model,
            authToken=self._api_key,
            timeoutSec=round(self._timeout),
            headers=outgoing_headers(request_id, self._billing_key),
        )

    async def _streamed_requests(
        self, first: gate_pb2.ClientRequestProto, parts: AsyncIterable[object], config: object
    ) -> AsyncIterator[gate_pb2.ClientRequestProto]:
        # Only the first message names the caller and the model.
        request = first
        request.partialPredict.start = True
        if config is not None:
            request.partialPredict.config.CopyFrom(_payload(config))
        async for part in parts:
            request.partialPredict.data.CopyFrom(_payload(part))
            yield request
            request = gate_pb2.ClientRequestProto()
        # Parts are sent without waiting for a successor, so the end is a separate empty part.
        request.partialPredict.finish = True
        yield request

    async def _process(self, request: gate_pb2.ClientRequestProto) -> Json:
        attempts = self._retry.begin()
        while True:
            try:
                call = self._stub().process(request, timeout=self._deadline())
                self._calls.add(call)
                return _read(await call)
            except grpc.aio.AioRpcError as failure:
                error = _rpc_failed(failure, secure=self._settings.grpc_secure)
                if not await self._wait_to_repeat(attempts, error):
                    raise error from failure
            except asyncio.CancelledError:
                if _is_cancelled():
                    raise
                raise ended_here("This side cancelled the call, as a client does that is closed") from None
            except MlpError as error:
                if not await self._wait_to_repeat(attempts, error):
                    raise

    async def _wait_to_repeat(self, attempts: Attempts, error: MlpError) -> bool:
        if not attempts.may_repeat(error):
            return False
        if error.code in _GATE_IS_GONE and len(self._addresses) > 1:
            self._turn_to_next()
        await asyncio.sleep(attempts.pause)
        return True

    def _turn_to_next(self) -> None:
        """The old channel stays open until its calls have ended."""
        self._turn += 1
        if self._channel is not None:
            closing = asyncio.create_task(self._channel.close(grace=self._deadline()))
            self._retired.add(closing)
            closing.add_done_callback(self._retired.discard)
            self._channel = None

    def _stub(self) -> "gate_pb2_grpc.GateAsyncStub":
        if self._closed:
            raise client_closed()
        if self._channel is None:
            self._channel = open_channel(self._addresses[self._turn % len(self._addresses)], self._settings)
        return gate_pb2_grpc.GateStub(self._channel)

    def _deadline(self) -> float:
        return self._timeout + _DEADLINE_MARGIN_SECONDS


async def _parts(call: _Call, seconds: float, *, secure: bool) -> AsyncGenerator[Json]:
    """Yields the parts of an answer, each of which may take this many seconds: the answer lasts as long as parts come.

    Cancels the call if its reader leaves before the end.
    """
    # Not `call.read()`: when a write fails because the gate has ended the call, it no longer returns the messages that
    # have arrived, among them the refusal that says why.
    responses = aiter(call)
    try:
        while True:
            async with asyncio.timeout(seconds):
                response = await anext(responses, None)
            if response is None:
                return
            if (value := _read(response)) is not None:
                yield value
    except grpc.aio.AioRpcError as error:
        raise _rpc_failed(error, secure=secure) from error
    except TimeoutError:
        text = f"no part of the answer came within {seconds:g} s"
        raise MlpError("grpc.deadline_exceeded", text, status=HTTPStatus.BAD_GATEWAY) from None
    except asyncio.CancelledError:
        if _is_cancelled():
            raise
        raise ended_here("This side cancelled the call, as a client does that is closed") from None
    finally:
        call.cancel()


def _payload(value: object, data_type: str | None = None) -> gate_pb2.PayloadProto:
    if isinstance(value, bytes):
        return gate_pb2.PayloadProto(dataType=data_type, protobuf=value)
    return gate_pb2.PayloadProto(dataType=data_type, json=to_json(value, by_alias=True).decode())


def _read(response: gate_pb2.ClientResponseProto) -> Json:
    kind = response.WhichOneof("body")
    if kind == "error":
        raise from_proto(response.error, response.headers)
    if kind is None:
        return None
    payload = {"predict": response.predict, "ext": response.ext, "partialPredict": response.partialPredict}[kind].data
    match payload.WhichOneof("body"):
        case "json" if payload.json:
            return read_json(payload.json)
        case "protobuf":
            return payload.protobuf
        case _:  # the end of the parts, for which older gates send an empty text
            return None


def _rpc_failed(error: grpc.aio.AioRpcError, *, secure: bool) -> MlpError:
    code = error.code()
    text = error.details() or code.name
    if code is grpc.StatusCode.UNAVAILABLE:
        if secure:  # gRPC often says no more than that the connection was closed
            text = f"{text}. This client uses TLS: pass secure=False if the address has none"
        return MlpError(CONNECTION_FAILED, text, status=HTTPStatus.SERVICE_UNAVAILABLE)
    return MlpError(f"grpc.{code.name.lower()}", text, status=HTTPStatus.BAD_GATEWAY)


def _is_cancelled() -> bool:
    """Returns whether the task is cancelled. Otherwise, gRPC raised CancelledError: it does when a channel closes."""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0
