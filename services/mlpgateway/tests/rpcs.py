"""RPCs of callers, called as the gate calls them."""

import asyncio
from collections.abc import Iterable
from typing import Any, cast

from mlpgateway.entry.grpc.call_handlers import CallHandlers
from mlpgateway.entry.grpc.client_rpc import ClientRpc
from mlpgateway.entry.grpc.speech_rpc import SpeechRpc
from mlpgateway.http2.call import Call as Context
from mlpgateway.instances.grpc import wire
from mlplace_gateproto import gate_pb2 as pb
from mlplace_runtime.process.trusted_proxies import TrustedProxies

NOBODY = TrustedProxies()


def client_rpc(parts: Any, proxies: TrustedProxies = NOBODY) -> ClientRpc:
    """`parts` are the components of a world."""
    handlers = CallHandlers(parts.admission, parts.entrance)
    once = parts.entry_points.idempotent_calls
    return ClientRpc(
        handler=parts.pipeline,
        idempotent_calls=once,
        handlers=handlers,
        proxies=proxies,
        large_bodies=parts.large_bodies,
    )


def speech_rpc(parts: Any, proxies: TrustedProxies = NOBODY) -> SpeechRpc:
    handlers = CallHandlers(parts.admission, parts.entrance)
    return SpeechRpc(handler=parts.pipeline, handlers=handlers, proxies=proxies)


class Rpc:
    """Satisfies the part of a gRPC call's context that RPCs of clients use."""

    def __init__(self, **metadata: str) -> None:
        self._metadata = tuple((name.replace("_", "-"), value) for name, value in metadata.items())
        self.messages: list[bytes] = []
        self.written: list[bytes] = []
        self.told: dict[str, str] = {}
        """What the refusal's message has as headers, or what is trailing metadata."""

    def invocation_metadata(self) -> tuple[tuple[str, str], ...]:
        return self._metadata

    def peer(self) -> str:
        return "ipv4:127.0.0.1:5"

    def prove(self) -> None: ...

    def set_trailing_metadata(self, metadata: Iterable[tuple[str, str]]) -> None:
        self.told = dict(metadata)

    async def read(self) -> bytes | None:
        return self.messages.pop(0) if self.messages else None

    async def write(self, message: bytes) -> None:
        self.written.append(message)


class Talking(Rpc):
    """A caller who sends its first message and then says nothing, without an end of its own parts."""

    async def read(self) -> bytes | None:
        if self.messages:
            return self.messages.pop(0)
        await asyncio.Event().wait()
        return None

    async def has_read(self) -> bool:
        return bool(self.written)


async def answered(client: ClientRpc, asked: pb.ClientRequestProto, context: Context) -> pb.ClientResponseProto:
    """Calls `process`."""
    return pb.ClientResponseProto.FromString(await client.process(wire.asked(asked.SerializeToString()), context))


async def refused_with(
    name: str, client: ClientRpc, speech: SpeechRpc, asked: pb.ClientRequestProto, rpc: Rpc
) -> pb.ApiErrorProto:
    """Calls the RPC of this name. Returns the error with which it ended; an empty one if it did not."""
    context = cast("Context", rpc)
    about = {"account": asked.account, "model": asked.model, "authToken": asked.authToken}
    match name:
        case "process":
            return _with_headers(await answered(client, asked, context), rpc)
        case "processResponseStream":
            await client.process_response_stream(wire.asked(asked.SerializeToString()), context)
        case "processStream":
            rpc.messages = [_in_parts(asked).SerializeToString()]
            await client.process_stream(context)
        case "processSynthesis":
            await speech.synthesis(pb.ClientTtsRequestProto(**about, tts=pb.TtsRequestProto(text="hi")), context)
            return pb.ClientTtsResponseProto.FromString(rpc.written[-1]).error
        case "processRecognition":
            first = pb.ClientAsrRequestProto(**about, asr=pb.AsrRequestProto(config=pb.RecognitionConfig()))
            sound = pb.ClientAsrRequestProto(asr=pb.AsrRequestProto(audio_content=b"1"))
            rpc.messages = [first.SerializeToString(), sound.SerializeToString()]
            await speech.recognition(context)
            return pb.ClientAsrResponseProto.FromString(rpc.written[-1]).error
    return _with_headers(pb.ClientResponseProto.FromString(rpc.written[-1]), rpc)


def _with_headers(answer: pb.ClientResponseProto, rpc: Rpc) -> pb.ApiErrorProto:
    rpc.told = {name.lower(): value for name, value in answer.headers.items()}
    return answer.error


def _in_parts(asked: pb.ClientRequestProto) -> pb.ClientRequestProto:
    """Returns the request with its data as the only part."""
    part = pb.PartialPredictRequestProto(data=asked.predict.data, start=True, finish=True)
    return pb.ClientRequestProto(
        account=asked.account, model=asked.model, authToken=asked.authToken, headers=asked.headers, partialPredict=part
    )
