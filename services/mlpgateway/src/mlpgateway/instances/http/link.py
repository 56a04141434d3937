"""One instance that speaks HTTP, as the hot path sees it. Bodies are streamed, never kept whole."""

from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass
from typing import Final

import aiohttp
from aiohttp import Payload as Body

from mlpgateway.call.call import Answer, HttpHead, HttpRequest, Payload
from mlpgateway.call.large_json import LARGE_BYTES
from mlpgateway.call.transport import InstanceRequest, NotTakenError
from mlpgateway.egress.errors import AddressNotAllowed
from mlpgateway.errors.calls import BrokenAnswer, StreamedInputNotSupported
from mlpgateway.errors.gate import ChannelClosed
from mlpgateway.instances.http.addresses import from_instance
from mlpgateway.instances.http.client import MOST_MESSAGE_BYTES, Address, HandshakeRefusedError, Pool
from mlpgateway.instances.http.headers import of_protocol
from mlpgateway.instances.http.request_body import LargeBody, RequestBody
from mlpgateway.instances.http.translation import answers_of, request_of
from mlpgateway.instances.http.websocket import conversation
from mlplace_kit.errors import DomainError

_SMALL: Final = 64 * 1024
_NOT_CONNECTED: Final = (aiohttp.ClientConnectorError, aiohttp.ConnectionTimeoutError, AddressNotAllowed)
_EMPTY: Final = Payload(protobuf=b"")
_LEAST_ERROR: Final = 400


@dataclass(frozen=True, slots=True)
class LocatedInstance:
    """An instance and its address."""

    instance_id: int
    model_id: int
    address: Address


class HttpLink:
    """Satisfies InstanceLink and StreamedInputLink."""

    def __init__(self, place: LocatedInstance, pool: Pool, *, suspect: Callable[[], None], most_bytes: int) -> None:
        """`suspect` is called when the instance cannot be reached. `most_bytes` bounds answers that are read whole."""
        self.place = place
        self._pool = pool
        self._suspect = suspect
        self._most_bytes = most_bytes
        self._base = place.address.base
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

    def send_stream(self, request: InstanceRequest, inputs: AsyncGenerator[Payload]) -> AsyncGenerator[Answer]:
        if request.http is None:
            raise StreamedInputNotSupported
        if request.http.protocols is not None:
            return self._over_socket(request, request.http, request.http.protocols, inputs)
        return self._passed_on(request, request.http, RequestBody(inputs))

    async def _passed_on(
        self, request: InstanceRequest, http: HttpRequest, body: bytes | RequestBody | None
    ) -> AsyncGenerator[Answer]:
        headers = [*http.headers, *request.headers.items()]
        if isinstance(body, RequestBody) and http.length is not None:
            headers.append(("Content-Length", str(http.length)))
        async with self._exchange(http.method, http.target, headers, body) as response:
            async for answer in _pieces(response, self.place.address, has_body=http.method != "HEAD"):
                yield answer

    async def _over_socket(
        self, request: InstanceRequest, http: HttpRequest, protocols: Sequence[str], inputs: AsyncGenerator[Payload]
    ) -> AsyncGenerator[Answer]:
        self.active_requests += 1
        try:
            headers = [*http.headers, *request.headers.items()]
            async with (
                self._pool.socket(self._base + http.target, headers=headers, protocols=protocols) as opened,
                aclosing(conversation(opened, inputs, MOST_MESSAGE_BYTES)) as answers,
            ):
                async for answer in answers:
                    yield answer
        except HandshakeRefusedError as refusal:
            if refusal.status < _LEAST_ERROR:
                raise BrokenAnswer(reason="it is not a WebSocket") from None
            yield Answer(_EMPTY, of_protocol(refusal.headers), http=HttpHead(refusal.status, refusal.headers))
        except _NOT_CONNECTED as error:
            self._suspect()
            raise NotTakenError from error
        except (TimeoutError, aiohttp.ClientError, OSError, ValueError) as error:
            raise self._failure(error, None) from None
        finally:
            self.active_requests -= 1
            await inputs.aclose()

    async def _translated(self, request: InstanceRequest) -> AsyncGenerator[Answer]:
        asked = request_of(request)
        headers = [*request.headers.items(), *asked.headers.items()]
        body = LargeBody(asked.body) if len(asked.body) >= LARGE_BYTES else bytes(asked.body)
        async with (
            self._exchange("POST", asked.target, headers, body) as response,
            aclosing(answers_of(response, self._most_bytes, whole=request.whole)) as answers,
        ):
            async for answer in answers:
                yield answer

    @asynccontextmanager
    async def _exchange(
        self, method: str, target: str, headers: Sequence[tuple[str, str]], body: bytes | Body | None
    ) -> AsyncGenerator[aiohttp.ClientResponse]:
        """Opens the response. Read its body within the block, so that all failures are translated alike.

        Raises NotTakenError when nothing was sent, ChannelClosed, BrokenAnswer, and the error of the caller's body.
        """
        self.active_requests += 1
        response: aiohttp.ClientResponse | None = None
        try:
            response = await self._pool.request(method, self._base + target, headers=headers, body=body)
            yield response
        except _NOT_CONNECTED as error:
            self._suspect()
            raise NotTakenError from error
        except (TimeoutError, aiohttp.ClientError, OSError, ValueError) as error:
            raise self._failure(error, body) from None
        finally:
            self.active_requests -= 1
            if response is not None:
                response.release()

    def _failure(self, error: Exception, body: bytes | Body | None) -> DomainError:
        if isinstance(body, RequestBody) and body.failure is not None:
            return body.failure
        if isinstance(error, aiohttp.ClientResponseError | ValueError) and not isinstance(error, OSError):
            return BrokenAnswer(reason="it is not valid HTTP")
        self._suspect()
        return ChannelClosed(reason=type(error).__name__)


async def _pieces(response: aiohttp.ClientResponse, address: Address, *, has_body: bool) -> AsyncGenerator[Answer]:
    """Yields a small answer whole, a large one in pieces. The last bytes carry `last` where the length is known."""
    head = HttpHead(response.status, from_instance(response.status, response.raw_headers, address))
    told = of_protocol(response.raw_headers)
    length = response.content_length
    if not has_body or (length is not None and length <= _SMALL):
        body = Payload(protobuf=await response.read()) if has_body else _EMPTY
        yield Answer(body, told, http=head)
        return
    yield Answer(_EMPTY, told, last=False, partial=True, http=head)
    seen = 0
    async for piece in response.content.iter_any():
        seen += len(piece)
        done = seen == length
        yield Answer(Payload(protobuf=piece), {}, first=False, last=done, partial=True)
        if done:
            return
    yield Answer(_EMPTY, {}, first=False, last=True, partial=True)
