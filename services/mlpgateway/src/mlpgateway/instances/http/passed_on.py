"""The answers to requests that are passed on unchanged."""

from collections.abc import AsyncGenerator
from typing import Final

from mlpgateway.call.call import Answer, HttpHead, Payload
from mlpgateway.instances.http.addresses import from_instance
from mlpgateway.instances.http.client.address import Address
from mlpgateway.instances.http.client.framing import Headers
from mlpgateway.instances.http.client.response import Response
from mlpgateway.instances.http.headers import of_protocol

_SMALL: Final = 64 * 1024
_EMPTY: Final = Payload(protobuf=b"")


def is_small(length: int | None) -> bool:
    """Whether an answer of this length comes whole; None: its length is unknown."""
    return length is not None and length <= _SMALL


def whole(status: int, headers: Headers, body: bytes, address: Address) -> Answer:
    head = HttpHead(status, from_instance(status, headers, address))
    return Answer(Payload(protobuf=body), of_protocol(headers), http=head)


async def pieces(response: Response, address: Address) -> AsyncGenerator[Answer]:
    """Yields a small answer whole, a large one in pieces. The last bytes carry `last` where the length is known."""
    length = response.length
    if is_small(length):
        yield whole(response.status, response.headers, await _body(response), address)
        return
    head = HttpHead(response.status, from_instance(response.status, response.headers, address))
    yield Answer(_EMPTY, of_protocol(response.headers), last=False, partial=True, http=head)
    seen = 0
    while piece := await response.piece():
        seen += len(piece)
        done = seen == length
        yield Answer(Payload(protobuf=piece), {}, first=False, last=done, partial=True)
        if done:
            return
    yield Answer(_EMPTY, {}, first=False, last=True, partial=True)


async def _body(response: Response) -> bytes:
    """Reads a small body. It has usually come with the head."""
    body = await response.piece()
    while response.length is not None and len(body) < response.length:
        body += await response.piece()
    return body
