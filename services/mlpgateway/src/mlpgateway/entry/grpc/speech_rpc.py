"""The RPCs processSynthesis and processRecognition: speech calls of gRPC clients."""

from collections.abc import AsyncGenerator

from msgspec.structs import replace

from mlpgateway.call.call import Answer, Call, InputPart, Operation, Payload
from mlpgateway.call.grpc_peers import client_ip
from mlpgateway.call.handler import CallHandler
from mlpgateway.entry.call_options import options_of_rpc
from mlpgateway.entry.grpc.call_handlers import CallHandlers
from mlpgateway.entry.grpc.client_messages import caller_of, headers_to_instance, with_metadata
from mlpgateway.entry.grpc.client_rpc import OF_STRANGERS
from mlpgateway.entry.grpc.speech import (
    as_recognition,
    as_sound,
    asr_config,
    asr_response,
    rate_of,
    spoken,
    tts_request,
)
from mlpgateway.http2.call import Call as Context
from mlpgateway.http2.reading import read_part
from mlpgateway.instances.grpc import wire
from mlplace_gateproto import gate_pb2 as pb
from mlplace_gateproto import headers as names
from mlplace_kit.errors import DomainError, MalformedRequest
from mlplace_kit.ids import new_request_id
from mlplace_runtime.process.trusted_proxies import TrustedProxies
from mlplace_runtime.web.errors import error_headers


class SpeechRpc:
    def __init__(self, *, handler: CallHandler, handlers: CallHandlers, proxies: TrustedProxies) -> None:
        self._handler = handler
        self._handlers = handlers
        self._proxies = proxies

    async def synthesis(self, request: pb.ClientTtsRequestProto, context: Context) -> None:
        ip = client_ip(context.peer(), context.invocation_metadata(), self._proxies)
        caller = caller_of(request, headers={}, client_ip=ip)

        async def answers() -> AsyncGenerator[pb.ClientTtsResponseProto]:
            options_of_rpc(context.invocation_metadata(), {}, "processSynthesis")
            call = _call(request, context, self._proxies, data=tts_request(request.tts))
            options = request.tts.output_audio_spec
            return spoken(self._handler.stream(call, as_sound(rate_of(options))), options)

        async def write(sound: pb.ClientTtsResponseProto) -> None:
            context.prove()
            await context.write(sound.SerializeToString())

        async def refuse(error: DomainError) -> None:
            _prepare(context, error)
            await context.write(speech_refused(error))

        await self._handlers.many("processSynthesis", caller, answers, write, refuse, size=request.ByteSize())

    async def recognition(self, context: Context) -> None:
        async def refuse(error: DomainError) -> None:
            _prepare(context, error)
            await context.write(pb.ClientAsrResponseProto(error=wire.error_to_wire(error)).SerializeToString())

        try:
            first = _parsed(await context.read())
        except DomainError as error:
            await refuse(error)
            return
        if first is None:
            return

        ip = client_ip(context.peer(), context.invocation_metadata(), self._proxies)
        caller = caller_of(first, headers={}, client_ip=ip)

        async def answers() -> AsyncGenerator[Answer]:
            options_of_rpc(context.invocation_metadata(), {}, "processRecognition")
            if not first.asr.HasField("config"):
                raise MalformedRequest(reason="the first message must carry the recognition config")
            call = _call(first, context, self._proxies, config=asr_config(first.asr.config))
            return self._handler.duplex(call, _audio(context), as_recognition)

        async def write(answer: Answer) -> None:
            context.prove()
            await context.write(asr_response(answer).SerializeToString())

        await self._handlers.many("processRecognition", caller, answers, write, refuse, size=first.ByteSize())


def speech_refused(error: DomainError) -> bytes:
    return pb.ClientTtsResponseProto(error=wire.error_to_wire(error)).SerializeToString()


def _prepare(context: Context, error: DomainError) -> None:
    """Prepares for an answer with this error. Its message has no headers, so `retry-after` is trailing metadata."""
    if not isinstance(error, OF_STRANGERS):
        context.prove()
    if (delay := error_headers(error).get(names.RETRY_AFTER)) is not None:
        context.set_trailing_metadata(((names.RETRY_AFTER.lower(), delay),))


def _call(
    request: pb.ClientTtsRequestProto | pb.ClientAsrRequestProto,
    context: Context,
    proxies: TrustedProxies,
    *,
    data: Payload | None = None,
    config: Payload | None = None,
) -> Call:
    """Returns the call.

    The messages have no headers, so the payer, a maximum price and the like are in the metadata.

    Raises MalformedRequest, ValidationFailed.
    """
    request_id, metadata = new_request_id(), context.invocation_metadata()
    headers = headers_to_instance(with_metadata({}, metadata), request_id)
    ip = client_ip(context.peer(), metadata, proxies)
    return Call(
        request_id=request_id,
        account=request.account,
        model=request.model,
        operation=Operation.PREDICT,
        caller=caller_of(request, headers=headers, client_ip=ip),
        data=data,
        config=config,
        headers=headers,
    )


def _parsed(data: bytes | None) -> pb.ClientAsrRequestProto | None:
    """Raises MalformedRequest."""
    return None if data is None else wire.parsed(pb.ClientAsrRequestProto, data)


async def _audio(context: Context) -> AsyncGenerator[InputPart]:
    """Yields the caller's sound one piece late, so that the last one is marked, as the gate protocol has it.

    Callers of recognition mark none, but close; and none of them waits for an answer to a single piece.
    """
    held: InputPart | None = None
    while (message := _parsed(await read_part(context))) is not None:
        if message.asr.HasField("config"):
            raise MalformedRequest(reason="the recognition config may only come first")
        if held is not None:
            yield held
        held = InputPart(protobuf=message.asr.audio_content)
    if held is not None:
        yield replace(held, last=True)
