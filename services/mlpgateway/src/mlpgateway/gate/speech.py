"""Between the speech messages of the gate protocol and the payloads of `tts` and `asr` services."""

import base64
import binascii

import orjson
from google.protobuf import json_format
from google.protobuf.message import DecodeError

from mlpgateway.gate.errors import UnexpectedAnswer
from mlpgateway.proxy.call import Answer, Payload
from mlplace_gateproto import gate_pb2 as pb


def tts_request(request: pb.TtsRequestProto) -> Payload:
    """The JSON request of the `tts` task type."""
    body: dict[str, object] = {"text": request.text}
    if request.HasField("voice"):
        body["voice"] = request.voice
    if request.HasField("output_audio_spec"):
        body["outputAudioSpec"] = _audio_spec(request.output_audio_spec)
    return Payload(json=orjson.dumps(body).decode())


def _audio_spec(options: pb.AudioFormatOptions) -> dict[str, object]:
    spec: dict[str, object] = {"audioEncoding": "LINEAR16_PCM"}
    if options.HasField("sample_rate_hertz"):
        spec["sampleRateHertz"] = options.sample_rate_hertz
    if options.HasField("chunk_size_kb"):
        spec["chunkSizeKb"] = options.chunk_size_kb
    return spec


def tts_response(answer: Answer) -> pb.ClientTtsResponseProto:
    """Bytes are raw audio; JSON carries it as `audio_base64`. Raises UnexpectedAnswer for anything else."""
    chunk = pb.TtsResponseProto.AudioChunk(data=audio_of(answer.payload))
    return pb.ClientTtsResponseProto(
        tts=pb.TtsResponseProto(audio_chunk=chunk, first=answer.first, last=answer.last),
    )


def audio_of(payload: Payload) -> bytes:
    if payload.protobuf is not None:
        return payload.protobuf
    if not payload.json:
        return b""
    encoded = _object(payload.json, "tts").get("audio_base64", "")
    try:
        return base64.b64decode(encoded if isinstance(encoded, str) else "?", validate=True)
    except (binascii.Error, ValueError):
        raise UnexpectedAnswer(operation="tts", kind="audio that is not base64") from None


def asr_config(config: pb.RecognitionConfig) -> Payload:
    return Payload(json=json_format.MessageToJson(config, indent=None, preserving_proto_field_name=True))


def asr_response(answer: Answer) -> pb.ClientAsrResponseProto:
    """Bytes are a serialised AsrResponseProto; JSON is one with the same names, or the `alternatives` of a plain `asr`
    service. Raises UnexpectedAnswer for anything else.
    """
    payload = answer.payload
    try:
        if payload.protobuf is not None:
            return pb.ClientAsrResponseProto(asr=pb.AsrResponseProto.FromString(payload.protobuf))
        body = _object(payload.json or "{}", "asr")
        if "chunks" not in body and "alternatives" in body:
            chunk = {"alternatives": body["alternatives"], "final": answer.last}
            body = {"chunks": [chunk], "final": answer.last}
        asr = pb.AsrResponseProto()
        json_format.ParseDict(body, asr, ignore_unknown_fields=True)
    except (DecodeError, json_format.ParseError):
        raise UnexpectedAnswer(operation="asr", kind="something that is no recognition") from None
    return pb.ClientAsrResponseProto(asr=asr)


def _object(text: str, operation: str) -> dict[str, object]:
    try:
        body = orjson.loads(text)
    except orjson.JSONDecodeError:
        raise UnexpectedAnswer(operation=operation, kind="invalid JSON") from None
    if not isinstance(body, dict):
        raise UnexpectedAnswer(operation=operation, kind="JSON that is no object")
    return body  # type: ignore[return-value]  # keys of JSON objects are strings
