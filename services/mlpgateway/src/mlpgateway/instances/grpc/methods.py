"""Adapters between the gate's methods and its gRPC server."""

from collections.abc import Awaitable, Callable
from typing import TypeVar

from mlpgateway.http2.call import Call as Context
from mlpgateway.http2.call import Serve
from mlpgateway.http2.errors import CallRefused
from mlpgateway.instances.grpc.metrics import CLIENT_CALLS
from mlplace_kit.errors import DomainError, MalformedRequest

_Request = TypeVar("_Request")
Read = Callable[[bytes], _Request]
"""Reads a message. Raises MalformedRequest."""


def answered_once(
    read: Read[_Request],
    serve: Callable[[_Request, Context], Awaitable[bytes]],
    refusal: Callable[[DomainError], bytes],
) -> Serve:
    """A unary method. `refusal` builds the answer to a request that is refused before it is read."""

    async def run(context: Context) -> None:
        try:
            serving = serve(await _only(read, context), context)  # nothing here keeps the request in memory
        except DomainError as error:
            CLIENT_CALLS.labels(context.method, "refused").inc()
            await context.finish(refusal(error))
            return
        await context.finish(await serving)

    return run


def answered_in_parts(
    read: Read[_Request],
    serve: Callable[[_Request, Context], Awaitable[None]],
    refusal: Callable[[DomainError], bytes],
) -> Serve:
    """A method with one request and a stream of answers."""

    async def run(context: Context) -> None:
        try:
            serving = serve(await _only(read, context), context)
        except DomainError as error:
            CLIENT_CALLS.labels(context.method, "refused").inc()
            await context.finish(refusal(error))
            return
        await serving

    return run


async def _only(read: Read[_Request], context: Context) -> _Request:
    """Returns the only request. A request that cannot be parsed raises CallRefused, and leaves no log entry."""
    data = await context.read()
    if data is None:
        raise CallRefused("INTERNAL", "the request is missing")
    try:
        return read(data)
    except MalformedRequest as error:
        raise CallRefused("INVALID_ARGUMENT", error.text) from None
