"""Translates between the speech messages of the gate protocol and the payloads of `tts` and `asr` models."""

import base64
import binascii
import re
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Final

import msgspec
from google.protobuf import json_format
from google.protobuf.message import DecodeError
from msgspec.structs import replace

from mlpgateway.call.call import Answer, Payload
from mlpgateway.call.error_bodies import Unread, is_error
from mlpgateway.call.handler import Shape
from mlpgateway.entry.grpc.audio import PcmReader, SpeechFields, check_speech
from mlpgateway.entry.grpc.recognition import recognition_in
from mlpgateway.errors.gate import AN_ERROR, UnexpectedAnswer
from mlplace_gateproto import gate_pb2 as pb
from mlplace_kit.errors import DomainError

_NO_PCM: Final = re.compile(
    r"(?:text|image|video|font|model|message|multipart)/.*|.*xml|.*[/+](?:json|pdf|zip)"
    r"|audio/(?!(?:x-|vnd\.)?(?:wave?|l?pcm|l16|raw)\Z).*|application/(?:ogg|mp4|x-mpegurl)"
)
"""Matches media types of what is neither PCM nor a WAV file. Compressed audio, read as PCM, would be noise."""
_MOST_SHOWN: Final = 100
_FIELDS: Final = SpeechFields(
    "text", "output_audio_spec.sample_rate_hertz", "output_audio_spec.chunk_size_kb", "output_audio_spec.audio_encoding"
)


class _Said(Unread):
    """What a model answered. Whatever else it tells, such as the time of each character, is skipped."""

    audio_base64: msgspec.Raw = msgspec.Raw()


_said: Final = msgspec.json.Decoder(_Said)


class NoAudio(UnexpectedAnswer):
    def __init__(self) -> None:
        super().__init__(operation="tts", kind="no audio")


def tts_request(request: pb.TtsRequestProto) -> Payload:
    """Returns the JSON request of the task type `tts`. Raises ValidationFailed."""
    options = request.output_audio_spec
    check_speech(
        request.text,
        rate=rate_of(options),
        chunk_kb=options.chunk_size_kb if options.HasField("chunk_size_kb") else None,
        fields=_FIELDS,
    )
    body: dict[str, object] = {"text": request.text}
    if request.HasField("voice"):
        body["voice"] = request.voice
    if request.HasField("output_audio_spec"):
        body["outputAudioSpec"] = _audio_spec(request.output_audio_spec)
    return Payload(json=msgspec.json.encode(body).decode())


def _audio_spec(options: pb.AudioFormatOptions) -> dict[str, object]:
    spec: dict[str, object] = {"audioEncoding": "LINEAR16_PCM"}
    if options.HasField("sample_rate_hertz"):
        spec["sampleRateHertz"] = options.sample_rate_hertz
    if options.HasField("chunk_size_kb"):
        spec["chunkSizeKb"] = options.chunk_size_kb
    return spec


def tts_response(sound: bytes, *, first: bool, last: bool) -> pb.ClientTtsResponseProto:
    chunk = pb.TtsResponseProto.AudioChunk(data=sound)
    return pb.ClientTtsResponseProto(tts=pb.TtsResponseProto(audio_chunk=chunk, first=first, last=last))


def as_sound(rate: int | None) -> Shape:
    """Returns the shape of the answers of one call: PCM at that rate in Hz, or at the model's own.

    It raises UnexpectedAnswer for audio that does not match, and if there is none.
    """
    reader, heard = PcmReader(rate), False

    def shape(answer: Answer) -> Answer:
        nonlocal heard
        sound = reader.feed(audio_of(answer.payload))
        if answer.last:
            sound += reader.end()
        heard = heard or bool(sound)
        if answer.last and not heard:
            raise NoAudio
        return replace(answer, payload=Payload(protobuf=sound))

    return shape


def rate_of(options: pb.AudioFormatOptions) -> int | None:
    return options.sample_rate_hertz if options.HasField("sample_rate_hertz") else None


async def spoken(
    answers: AsyncGenerator[Answer], options: pb.AudioFormatOptions
) -> AsyncGenerator[pb.ClientTtsResponseProto]:
    """Yields sound in chunks of the requested size, the last one maybe smaller.

    Without a size, chunks are as the model made them. What was held before an error is yielded before it; unlike
    over HTTP, where that would cost the error its status, also if it is all there is.
    """
    size = options.chunk_size_kb * 1024 if options.HasField("chunk_size_kb") else None
    held, first = bytearray(), True
    async with aclosing(answers):
        try:
            async for answer in answers:
                held += answer.payload.protobuf or b""
                while size is not None and len(held) > size:
                    yield tts_response(bytes(held[:size]), first=first, last=False)
                    first = False
                    del held[:size]
                if answer.last or (held and size is None):
                    yield tts_response(bytes(held), first=first, last=answer.last)
                    first = False
                    held.clear()
        except DomainError:
            if held:
                yield tts_response(bytes(held), first=first, last=False)
            raise


def audio_of(payload: Payload) -> bytes:
    """Returns the audio of an answer or of a part, which may be empty. Raises UnexpectedAnswer."""
    if payload.protobuf is not None:
        _check_type(payload.data_type or "")
        return payload.protobuf
    if not payload.json:
        return b""
    said = _said_in(payload.json)
    if said.names_error:
        raise UnexpectedAnswer(operation="tts", kind=AN_ERROR)
    if bytes(memoryview(said.audio_base64)[:1]) != b'"':
        raise UnexpectedAnswer(operation="tts", kind="JSON without audio_base64")
    try:
        return base64.b64decode(msgspec.json.decode(said.audio_base64, type=str), validate=True)
    except (binascii.Error, ValueError):
        raise UnexpectedAnswer(operation="tts", kind="audio that is not base64") from None


def _check_type(data_type: str) -> None:
    """Raises UnexpectedAnswer for media types of other contents: web servers show their errors as pages, with 200.

    Any other text passes: HTTP instances often declare `application/octet-stream`, those with an SDK what they like.
    """
    media_type = data_type.partition(";")[0].strip().lower()
    if _NO_PCM.fullmatch(media_type):
        raise UnexpectedAnswer(operation="tts", kind=f"bytes of the type {data_type[:_MOST_SHOWN]}")


def asr_config(config: pb.RecognitionConfig) -> Payload:
    return Payload(json=json_format.MessageToJson(config, indent=None, preserving_proto_field_name=True))


def as_recognition(answer: Answer) -> Answer:
    """Returns the recognition as a serialised AsrResponseProto. Raises UnexpectedAnswer for anything else."""
    payload = answer.payload
    if payload.protobuf is None:
        if is_error(payload):
            raise UnexpectedAnswer(operation="asr", kind=AN_ERROR)
        asr = recognition_in(payload.json, last=answer.last) if payload.json else pb.AsrResponseProto()
        return replace(answer, payload=Payload(protobuf=asr.SerializeToString()))
    try:
        pb.AsrResponseProto.FromString(payload.protobuf)
    except DecodeError:
        raise UnexpectedAnswer(operation="asr", kind="something other than a recognition") from None
    return answer


def asr_response(answer: Answer) -> pb.ClientAsrResponseProto:
    """Returns the message of a recognition."""
    return pb.ClientAsrResponseProto(asr=pb.AsrResponseProto.FromString(answer.payload.protobuf or b""))


def _said_in(text: str) -> _Said:
    """Raises UnexpectedAnswer."""
    try:
        return _said.decode(text)
    except msgspec.ValidationError:
        raise UnexpectedAnswer(operation="tts", kind="JSON that is not an object") from None
    except (msgspec.DecodeError, RecursionError, UnicodeEncodeError):
        raise UnexpectedAnswer(operation="tts", kind="invalid JSON") from None
