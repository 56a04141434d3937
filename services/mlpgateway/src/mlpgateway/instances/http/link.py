"""One instance that speaks HTTP, as the hot path sees it. Bodies are streamed, never kept whole."""

from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from typing import Final

import aiohttp

from mlpgateway.call.call import Answer, HttpHead, HttpRequest, Payload
from mlpgateway.call.large_json import LARGE_BYTES
from mlpgateway.call.transport import InstanceRequest, NotTakenError
from mlpgateway.egress.errors import AddressNotAllowed
from mlpgateway.errors.calls import BrokenAnswer, StreamedInputNotSupported
from mlpgateway.errors.gate import ChannelClosed
from mlpgateway.instances.http.client.address import Address
from mlpgateway.instances.http.client.connection import HttpConnection
from mlpgateway.instances.http.client.errors import (
    ExchangeError,
    InvalidAnswerError,
    InvalidRequestError,
    NotConnectedError,
)
from mlpgateway.instances.http.client.exchange import exchange
from mlpgateway.instances.http.client.pool import Pool
from mlpgateway.instances.http.client.request import OutgoingRequest
from mlpgateway.instances.http.client.response import Response
from mlpgateway.instances.http.headers import of_protocol
from mlpgateway.instances.http.passed_on import pieces
from mlpgateway.instances.http.prepared import PreparedHttpPredict, PreparedPassOn
from mlpgateway.instances.http.request_body import LargeBody, RequestBody
from mlpgateway.instances.http.socket_client import MOST_MESSAGE_BYTES, HandshakeRefusedError, SocketClient
from mlpgateway.instances.http.told_call import ToldHttpCall
from mlpgateway.instances.http.told_exchange import ToldExchange
from mlpgateway.instances.http.translation import answers_of, request_of
from mlpgateway.instances.http.websocket import conversation
from mlplace_kit.errors import DomainError, MalformedRequest

_NO_SOCKET: Final = (aiohttp.ClientConnectorError, aiohttp.ConnectionTimeoutError, AddressNotAllowed)
_ERRORS: Final = range(400, 600)


@dataclass(frozen=True, slots=True)
class LocatedInstance:
    """An instance and its address."""

    instance_id: int
    model_id: int
    address: Address


class HttpLink:
    """Satisfies InstanceLink and StreamedInputLink."""

    def __init__(
        self,
        place: LocatedInstance,
        pool: Pool,
        sockets: SocketClient,
        *,
        suspect: Callable[[], None],
        most_bytes: int,
    ) -> None:
        """`suspect` is called when the instance cannot be reached. `most_bytes` bounds answers that are read whole."""
        self.place = place
        self._pool = pool
        self._sockets = sockets
        self._suspect = suspect
        self._most_bytes = most_bytes
        self._host = pool.authority.encode()
        self.active_requests = 0
        self.accepts_requests = True

    @property
    def instance_id(self) -> int:
        return self.place.instance_id

    @property
    def model_id(self) -> int:
        return self.place.model_id

    def retire(self) -> None:
        """Stops routing calls here; running ones go on."""
        self.accepts_requests = False

    def send(self, request: InstanceRequest) -> AsyncGenerator[Answer]:
        if request.http is None:
            return self._translated(request)
        return self._passed_on(request, request.http, None if request.data is None else request.data.protobuf)

    @property
    def sends_at_once(self) -> bool:
        """Whether `send_told` finds a connection in this turn of the event loop."""
        return self._pool.has_idle

    def send_told(
        self,
        prepared: PreparedHttpPredict,
        text: bytes,
        *,
        request_id: str,
        trace_parent: str | None,
        answered: Callable[[Answer], None],
        failed: Callable[[DomainError], None],
    ) -> ToldHttpCall:
        """Like `send`, for a caller without a task who has seen that the link `sends_at_once`."""
        connection = self._taken()
        told = ToldHttpCall(
            connection, self._most_bytes, answered=answered, failed=failed, translate=self._lost, left=self._told_over
        )
        self.active_requests += 1
        head = prepared.head(self._host, len(text), request_id=request_id, trace_parent=trace_parent)
        connection.send(head, prepared.body(text), told)
        return told

    def pass_on_told(
        self,
        prepared: PreparedPassOn,
        before: tuple[bytes, bytes],
        text: bytes,
        *,
        streamed: Callable[[AsyncGenerator[Answer]], None],
        request_id: str,
        trace_parent: str | None,
        answered: Callable[[Answer], None],
        failed: Callable[[DomainError], None],
    ) -> ToldExchange:
        """Passes a request on, like `send`, for a caller without a task who has seen that the link `sends_at_once`.

        `before` is the caller's part of the head, see PreparedPassOn. `streamed` gets an answer that is not small,
        instead of `answered`: read it in a task.
        """

        def begun(response: Response) -> None:
            streamed(self._begun(response, told.release))

        told = ToldExchange(
            self._taken(),
            self.place.address,
            answered=answered,
            streamed=begun,
            failed=failed,
            translate=self._lost,
            left=self._told_over,
        )
        self.active_requests += 1
        head = prepared.head(before, self._host, len(text), request_id=request_id, trace_parent=trace_parent)
        told.connection.send(head, text, told)
        return told

    def _taken(self) -> HttpConnection:
        connection = self._pool.take()
        if connection is None:
            raise AssertionError("there is no idle connection")
        return connection

    async def _begun(self, response: Response, release: Callable[[], None]) -> AsyncGenerator[Answer]:
        """Yields an answer whose head is there. Raises like `_exchange`."""
        try:
            async with aclosing(self._read(response, self._pieces)) as answers:
                async for answer in answers:
                    yield answer
        except ExchangeError as error:
            raise self._failure(error) from error
        finally:
            release()

    def _pieces(self, response: Response) -> AsyncGenerator[Answer]:
        return pieces(response, self.place.address)

    def _told_over(self) -> None:
        self.active_requests -= 1

    def send_stream(self, request: InstanceRequest, inputs: AsyncGenerator[Payload]) -> AsyncGenerator[Answer]:
        if request.http is None:
            raise StreamedInputNotSupported
        if request.http.protocols is not None:
            return self._over_socket(request, request.http, request.http.protocols, inputs)
        return self._passed_on(request, request.http, RequestBody(inputs, request.http.length))

    def _passed_on(
        self, request: InstanceRequest, http: HttpRequest, body: bytes | RequestBody | None
    ) -> AsyncGenerator[Answer]:
        headers = (*http.headers, *request.headers.items())
        asked = OutgoingRequest(http.method, http.target, headers, body, http.repeatable)
        return self._exchange(asked, self._pieces)

    def _translated(self, request: InstanceRequest) -> AsyncGenerator[Answer]:
        asked = request_of(request)
        headers = (*request.headers.items(), *asked.headers.items())
        body = LargeBody(asked.body) if len(asked.body) >= LARGE_BYTES else bytes(asked.body)
        return self._exchange(
            OutgoingRequest("POST", asked.target, headers, body),
            lambda response: answers_of(response, self._most_bytes, whole=request.whole),
        )

    async def _exchange(
        self, request: OutgoingRequest, read: Callable[[Response], AsyncGenerator[Answer]]
    ) -> AsyncGenerator[Answer]:
        """Raises NotTakenError when nothing was sent, ChannelClosed, BrokenAnswer, or what the caller's body raised."""
        self.active_requests += 1
        try:
            response = await exchange(self._pool, request)
            async with aclosing(self._read(response, read)) as answers:
                async for answer in answers:
                    yield answer
        except (ExchangeError, AddressNotAllowed) as error:
            raise self._failure(error) from error
        finally:
            self.active_requests -= 1

    async def _read(
        self, response: Response, read: Callable[[Response], AsyncGenerator[Answer]]
    ) -> AsyncGenerator[Answer]:
        try:
            async with aclosing(read(response)) as answers:
                async for answer in answers:
                    yield answer
        finally:
            await response.close()

    async def _over_socket(
        self, request: InstanceRequest, http: HttpRequest, protocols: Sequence[str], inputs: AsyncGenerator[Payload]
    ) -> AsyncGenerator[Answer]:
        self.active_requests += 1
        try:
            headers = [*http.headers, *request.headers.items()]
            url = self.place.address.base + http.target
            async with (
                self._sockets.open(url, headers=headers, protocols=protocols) as opened,
                aclosing(conversation(opened, inputs, MOST_MESSAGE_BYTES)) as answers,
            ):
                async for answer in answers:
                    yield answer
        except HandshakeRefusedError as refusal:
            if refusal.status not in _ERRORS:
                raise BrokenAnswer(reason="it is not a WebSocket") from None
            head = HttpHead(refusal.status, refusal.headers)
            yield Answer(Payload(protobuf=refusal.body), of_protocol(refusal.headers), http=head)
        except _NO_SOCKET as error:
            self._suspect()
            raise NotTakenError from error
        except (TimeoutError, aiohttp.ClientError, OSError, ValueError) as error:
            raise self._socket_failure(error) from None
        finally:
            self.active_requests -= 1
            await inputs.aclose()

    def _failure(self, error: ExchangeError | AddressNotAllowed) -> Exception:
        """Returns NotTakenError when nothing was sent, else a DomainError."""
        match error:
            case InvalidRequestError():
                return MalformedRequest(reason=str(error))
            case NotConnectedError() | AddressNotAllowed():
                self._suspect()
                return NotTakenError()
            case _:
                return self._lost(error)

    def _lost(self, error: ExchangeError) -> DomainError:
        """`error` ends an exchange that has begun."""
        if isinstance(error, InvalidAnswerError):
            return BrokenAnswer(reason="it is not valid HTTP")
        self._suspect()
        return ChannelClosed(reason=str(error))

    def _socket_failure(self, error: Exception) -> DomainError:
        if isinstance(error, aiohttp.ClientResponseError | ValueError) and not isinstance(error, OSError):
            return BrokenAnswer(reason="it is not valid HTTP")
        self._suspect()
        return ChannelClosed(reason=type(error).__name__)
