"""Adapters between the gate's methods and its gRPC server."""

from collections.abc import Awaitable, Callable
from typing import Protocol, TypeVar

from google.protobuf.message import Message

from mlpgateway.http2.call import Call as Context
from mlpgateway.http2.call import Serve
from mlpgateway.http2.errors import CallRefused
from mlpgateway.instances.grpc import wire
from mlpgateway.instances.grpc.metrics import CLIENT_CALLS
from mlplace_kit.errors import DomainError, MalformedRequest

_Request = TypeVar("_Request", bound=Message)


class _Serialised(Protocol):
    def SerializeToString(self) -> bytes: ...  # noqa: N802  a name of protobuf


def answered_once(
    kind: type[_Request],
    serve: Callable[[_Request, Context], Awaitable[_Serialised]],
    refusal: Callable[[DomainError], _Serialised],
) -> Serve:
    """A unary method. `refusal` builds the answer to a request that is refused before it is read."""

    async def run(context: Context) -> None:
        try:
            request = await _only(kind, context)
        except DomainError as error:
            CLIENT_CALLS.labels(context.method, "refused").inc()
            await context.finish(refusal(error).SerializeToString())
            return
        await context.finish((await serve(request, context)).SerializeToString())

    return run


def answered_in_parts(
    kind: type[_Request],
    serve: Callable[[_Request, Context], Awaitable[None]],
    refusal: Callable[[DomainError], _Serialised],
) -> Serve:
    """A method with one request and a stream of answers."""

    async def run(context: Context) -> None:
        try:
            request = await _only(kind, context)
        except DomainError as error:
            CLIENT_CALLS.labels(context.method, "refused").inc()
            await context.finish(refusal(error).SerializeToString())
            return
        await serve(request, context)

    return run


async def _only(kind: type[_Request], context: Context) -> _Request:
    """Returns the only request. A request that cannot be parsed raises CallRefused, and leaves no log entry."""
    data = await context.read()
    if data is None:
        raise CallRefused("INTERNAL", "the request is missing")
    try:
        return wire.parsed(kind, data)
    except MalformedRequest as error:
        raise CallRefused("INVALID_ARGUMENT", error.text) from None
