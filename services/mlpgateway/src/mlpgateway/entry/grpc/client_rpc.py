"""The RPCs process, processResponseStream and processStream: calls of gRPC clients."""

from collections.abc import AsyncGenerator, Callable

from mlpgateway.call.call import Answer, Call, Caller, Operation, Payload
from mlpgateway.call.handler import CallHandler
from mlpgateway.call.origins import Origins, client_ip
from mlpgateway.entry.call_options import CallOptions, options_of_rpc
from mlpgateway.entry.grpc.call_handlers import CallHandlers
from mlpgateway.entry.grpc.client_messages import (
    call_of,
    caller_of,
    error_response,
    identifying,
    input_part,
    request_id_of,
    response_of,
    trace_parent_of,
)
from mlpgateway.errors.gate import GateIsShutDown, GateOverloaded
from mlpgateway.features.idempotency.errors import HeaderNotServed, IdempotencyNotForStreams
from mlpgateway.features.idempotency.service import IdempotentCalls
from mlpgateway.http2.call import Call as Context
from mlpgateway.http2.reading import read_part
from mlpgateway.instances.grpc import wire
from mlplace_gateproto import gate_pb2 as pb
from mlplace_kit.errors import AccountNotSelected, DomainError, MalformedRequest, NotAuthorized, ValidationFailed
from mlplace_kit.ids import new_request_id

OF_STRANGERS = (
    NotAuthorized, AccountNotSelected, MalformedRequest, GateIsShutDown, GateOverloaded, HeaderNotServed,
    IdempotencyNotForStreams, ValidationFailed,
)  # fmt: skip
"""Errors that unknown callers may get. Any other error proves that the caller showed a known key."""


class ClientRpc:
    def __init__(
        self, *, handler: CallHandler, idempotent_calls: IdempotentCalls, handlers: CallHandlers, origins: Origins
    ) -> None:
        self._handler = handler
        self._idempotent_calls = idempotent_calls
        self._handlers = handlers
        self._origins = origins

    async def process(self, request: pb.ClientRequestProto, context: Context) -> pb.ClientResponseProto:
        request_id = request_id_of(request.headers)

        async def answer() -> pb.ClientResponseProto:
            options = _options(request, context, "process")
            answer = await self._answer(self._call(request, context, request_id), options, request)
            context.prove()
            return response_of(answer, operation=_operation(request), request_id=request_id)

        def refusal(error: DomainError) -> pb.ClientResponseProto:
            if not isinstance(error, OF_STRANGERS):
                context.prove()
            return error_response(error, request_id)

        return await self._handlers.one(
            "process", self._caller(request, context), answer, refusal, size=request.ByteSize()
        )

    async def _answer(self, call: Call, options: CallOptions, request: pb.ClientRequestProto) -> Answer:
        if options.key is None:
            return await self._handler.unary(call)
        return await self._idempotent_calls.answer(
            call, key=options.key, request=identifying(request), shape=_as_only_part
        )

    async def process_response_stream(self, request: pb.ClientRequestProto, context: Context) -> None:
        request_id = request_id_of(request.headers)

        def answers() -> AsyncGenerator[Answer]:
            _options(request, context, "processResponseStream")
            return self._handler.stream(self._call(request, context, request_id))

        size = request.ByteSize()
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
            first = _parsed(await context.read())
        except DomainError as error:
            await context.write(refused(error).SerializeToString())
            return
        if first is None:
            return
        request_id = request_id_of(first.headers)

        def answers() -> AsyncGenerator[Answer]:
            _options(first, context, "processStream")
            if first.HasField("ext"):
                raise MalformedRequest(reason="ext takes no streamed request; use process or processResponseStream")
            call = self._call(first, context, request_id, streamed_input=True)
            return self._handler.duplex(call, _inputs(first, context))

        size = first.ByteSize()
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
        answers: Callable[[], AsyncGenerator[Answer]],
        context: Context,
        *,
        operation: Operation,
        request_id: str,
        size: int,
    ) -> None:
        async def write(answer: Answer) -> None:
            context.prove()
            await context.write(response_of(answer, operation=operation, request_id=request_id).SerializeToString())

        async def refuse(error: DomainError) -> None:
            if not isinstance(error, OF_STRANGERS):
                context.prove()
            await context.write(error_response(error, request_id).SerializeToString())

        await self._handlers.many(rpc, caller, answers, write, refuse, size=size)

    def _caller(self, request: pb.ClientRequestProto, context: Context) -> Caller:
        """Returns the caller, as far as admission needs it."""
        return caller_of(request, headers={}, client_ip=self._client_ip(context))

    def _client_ip(self, context: Context) -> str:
        return client_ip(context.peer(), context.invocation_metadata(), self._origins)

    def _call(
        self, request: pb.ClientRequestProto, context: Context, request_id: str, *, streamed_input: bool = False
    ) -> Call:
        metadata = context.invocation_metadata()
        return call_of(
            request,
            request_id=request_id,
            client_ip=self._client_ip(context),
            trace_parent=trace_parent_of(request.headers, metadata),
            streamed_input=streamed_input,
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


def refused(error: DomainError) -> pb.ClientResponseProto:
    """Returns the answer to a request that was not read, so that its id is unknown."""
    return error_response(error, new_request_id())


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
