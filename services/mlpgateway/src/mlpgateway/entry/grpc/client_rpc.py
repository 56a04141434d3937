"""The RPCs process, processResponseStream and processStream: calls of gRPC clients."""

from collections.abc import AsyncGenerator, Awaitable, Callable

from msgspec.structs import replace

from mlpgateway.call.call import Answer, Call, Caller, Operation, Payload
from mlpgateway.call.grpc_peers import client_ip
from mlpgateway.call.handler import CallHandler
from mlpgateway.call.json_bodies import read_data
from mlpgateway.call.large_json import LargeText
from mlpgateway.entry.call_options import CallOptions, options_of_rpc
from mlpgateway.entry.grpc.call_handlers import CallHandlers
from mlpgateway.entry.grpc.client_messages import (
    call_of,
    caller_of,
    data_of,
    error_response,
    identifying,
    input_part,
    request_id_of,
    response_to_wire,
    trace_parent_of,
)
from mlpgateway.entry.large_bodies.reader import APART_BYTES, LargeBodyReader
from mlpgateway.errors.gate import GateIsShutDown, GateOverloaded
from mlpgateway.features.idempotency.errors import IdempotencyNotForStreams
from mlpgateway.features.idempotency.fingerprints import RequestParts
from mlpgateway.features.idempotency.service import IdempotentCalls
from mlpgateway.http2.call import Call as Context
from mlpgateway.http2.reading import read_part
from mlpgateway.instances.grpc import wire
from mlplace_gateproto import gate_pb2 as pb
from mlplace_kit.errors import (
    AccountNotSelected,
    DomainError,
    HeaderNotServed,
    MalformedRequest,
    NotAuthorized,
    ValidationFailed,
)
from mlplace_kit.ids import new_request_id
from mlplace_runtime.process.trusted_proxies import TrustedProxies

OF_STRANGERS = (
    NotAuthorized, AccountNotSelected, MalformedRequest, GateIsShutDown, GateOverloaded, HeaderNotServed,
    IdempotencyNotForStreams, ValidationFailed,
)  # fmt: skip
"""Errors that unknown callers may get. Any other error proves that the caller showed a known key."""


class ClientRpc:
    def __init__(
        self,
        *,
        handler: CallHandler,
        idempotent_calls: IdempotentCalls,
        handlers: CallHandlers,
        proxies: TrustedProxies,
        large_bodies: LargeBodyReader,
    ) -> None:
        self._handler = handler
        self._idempotent_calls = idempotent_calls
        self._handlers = handlers
        self._proxies = proxies
        self._large_bodies = large_bodies

    async def process(self, asked: wire.GrpcRequest, context: Context) -> bytes:
        request, size, left = asked.message, asked.size, [asked]
        request_id = request_id_of(request.headers)
        del asked  # the call has the text, and moves it

        async def answer() -> bytes:
            options = _options(request, context, "process")
            call, identity = await self._call_and_identity(left.pop(), options, context, request_id)
            answer = await self._answer(call, options, identity)
            context.prove()
            return response_to_wire(answer, operation=_operation(request), request_id=request_id)

        def refusal(error: DomainError) -> bytes:
            if not isinstance(error, OF_STRANGERS):
                context.prove()
            return error_response(error, request_id).SerializeToString()

        return await self._handlers.one("process", self._caller(request, context), answer, refusal, size=size)

    async def _call_and_identity(
        self, asked: wire.GrpcRequest, options: CallOptions, context: Context, request_id: str
    ) -> tuple[Call, RequestParts]:
        call = await self._call(asked, context, request_id)
        return call, identifying(asked) if options.key is not None else ()

    async def _answer(self, call: Call, options: CallOptions, identity: RequestParts) -> Answer:
        if options.key is None:
            return await self._handler.unary(call)
        return await self._idempotent_calls.answer(call, key=options.key, request=identity, shape=_as_only_part)

    async def process_response_stream(self, asked: wire.GrpcRequest, context: Context) -> None:
        request, size, left = asked.message, asked.size, [asked]
        request_id = request_id_of(request.headers)
        del asked

        async def answers() -> AsyncGenerator[Answer]:
            _options(request, context, "processResponseStream")
            return self._handler.stream(await self._call(left.pop(), context, request_id))

        await self._many(
            "processResponseStream",
            self._caller(request, context),
            answers,
            context,
            operation=_operation(request),
            request_id=request_id,
            size=size,
        )

    async def process_stream(self, context: Context) -> None:
        try:
            data = await context.read()
            first = _parsed(data)
        except DomainError as error:
            await context.write(refused(error))
            return
        if first is None or data is None:
            return
        request_id = request_id_of(first.headers)

        async def answers() -> AsyncGenerator[Answer]:
            _options(first, context, "processStream")
            if first.HasField("ext"):
                raise MalformedRequest(reason="ext takes no streamed request; use process or processResponseStream")
            call = self._call_with(first, None, context, request_id)
            return self._handler.duplex(call, _inputs(first, context))

        size = len(data)
        await self._many(
            "processStream",
            self._caller(first, context),
            answers,
            context,
            operation=Operation.PREDICT,
            request_id=request_id,
            size=size,
        )

    async def _many(
        self,
        rpc: str,
        caller: Caller,
        answers: Callable[[], Awaitable[AsyncGenerator[Answer]]],
        context: Context,
        *,
        operation: Operation,
        request_id: str,
        size: int,
    ) -> None:
        async def write(answer: Answer) -> None:
            context.prove()
            await context.write(response_to_wire(answer, operation=operation, request_id=request_id))

        async def refuse(error: DomainError) -> None:
            if not isinstance(error, OF_STRANGERS):
                context.prove()
            await context.write(error_response(error, request_id).SerializeToString())

        await self._handlers.many(rpc, caller, answers, write, refuse, size=size)

    def _caller(self, request: pb.ClientRequestProto, context: Context) -> Caller:
        """Returns the caller, as far as admission needs it."""
        return caller_of(request, headers={}, client_ip=self._client_ip(context))

    def _client_ip(self, context: Context) -> str:
        return client_ip(context.peer(), context.invocation_metadata(), self._proxies)

    async def _call(self, asked: wire.GrpcRequest, context: Context, request_id: str) -> Call:
        data = data_of(asked)
        if type(data) is LargeText:
            data = await self._read(data)
        return self._call_with(asked.message, data, context, request_id)

    async def _read(self, data: LargeText) -> Payload | None:
        """Returns the text without a byte order mark. Raises ValidationFailed, Unavailable."""
        text = data.source.view
        large = len(text) >= APART_BYTES
        content = await self._large_bodies.read_copy(read_data, text) if large else read_data(text, b"")
        return content.data and replace(content.data, data_type=data.data_type)

    def _call_with(
        self, request: pb.ClientRequestProto, data: Payload | None, context: Context, request_id: str
    ) -> Call:
        metadata = context.invocation_metadata()
        return call_of(
            request,
            data=data,
            request_id=request_id,
            client_ip=self._client_ip(context),
            trace_parent=trace_parent_of(request.headers, metadata),
            metadata=metadata,
        )


def _options(request: pb.ClientRequestProto, context: Context, rpc: str) -> CallOptions:
    """Raises the errors of options_of_rpc."""
    return options_of_rpc(context.invocation_metadata(), request.headers, rpc)


def _operation(request: pb.ClientRequestProto) -> Operation:
    return Operation.EXT if request.HasField("ext") else Operation.PREDICT


def _as_only_part(answer: Answer) -> Answer:
    """Returns the answer as it is stored: the first one looks like its repetitions."""
    return Answer(answer.payload, answer.headers)


def refused(error: DomainError) -> bytes:
    """Returns the answer to a request that was not read, so that its id is unknown."""
    return error_response(error, new_request_id()).SerializeToString()


def _parsed(data: bytes | None) -> pb.ClientRequestProto | None:
    """Raises MalformedRequest. The gRPC library would keep a caller waiting after a message that it cannot parse."""
    return None if data is None else wire.parsed(pb.ClientRequestProto, data)


async def _inputs(first: pb.ClientRequestProto, context: Context) -> AsyncGenerator[Payload]:
    """Yields the parts of the request, until one is marked as the last or the caller's stream ends."""
    message: pb.ClientRequestProto | None = first
    while message is not None:
        if message.HasField("predict"):
            yield input_part(message.predict.data, last=True)
            return
        if not message.HasField("partialPredict"):
            raise MalformedRequest(reason="after the first message only partialPredict may follow")
        last = message.partialPredict.finish
        yield input_part(message.partialPredict.data, last=last)
        if last:
            return
        message = _parsed(await read_part(context))
