"""Speech under the older paths: on the path of a model, and with the model in the request."""

from collections.abc import Mapping
from typing import Final, Literal

import msgspec

from mlpgateway.call.json_bodies import decoded, without_mark
from mlpgateway.call.query_fields import read_query
from mlpgateway.entry.adapters.incoming import AdapterRequest
from mlpgateway.entry.adapters.openai.synthesis import Speech, speak
from mlpgateway.entry.grpc.audio import SpeechFields
from mlpgateway.entry.large_bodies.memory import SharedBody
from mlpgateway.entry.large_bodies.reader import APART_BYTES
from mlpgateway.policy.access.model_directory import ModelReference
from mlplace_kit.errors import PayloadTooLarge, ValidationFailed
from mlplace_kit.violations import broken

_ENCODINGS: Final[dict[str, Literal["pcm", "wav"]]] = {"LINEAR16_PCM": "pcm", "WAV": "wav"}

_IN_QUERY: Final = SpeechFields("text", "sampleRateHertz", "chunkSizeKb", "audioEncoding")
_IN_BODY: Final = SpeechFields(
    "text", "outputAudioSpec.sampleRateHertz", "outputAudioSpec.chunkSizeKb", "outputAudioSpec.audioEncoding"
)
_QUERY: Final = frozenset({"text", "model", "voice", "audioEncoding", "sampleRateHertz", "chunkSizeKb"})


class _Spec(msgspec.Struct, forbid_unknown_fields=True, rename="camel"):
    audio_encoding: str | None = None
    sample_rate_hertz: int | None = None
    chunk_size_kb: int | None = None


class _Body(msgspec.Struct, forbid_unknown_fields=True, rename="camel"):
    text: str
    model: str | None = None
    voice: str | None = None
    output_audio_spec: _Spec | None = None


_body = msgspec.json.Decoder(_Body)


async def by_query(incoming: AdapterRequest) -> None:
    given = read_query(incoming.scope["query_string"], _QUERY)
    spec = _Spec(given.get("audioEncoding"), _whole(given, "sampleRateHertz"), _whole(given, "chunkSizeKb"))
    await _speak(incoming, given.get("model"), given.get("text", ""), given.get("voice"), spec, _IN_QUERY)


def _whole(given: Mapping[str, str], name: str) -> int | None:
    """Raises ValidationFailed."""
    if name not in given:
        return None
    try:
        return msgspec.convert(given[name], int, strict=False)
    except msgspec.ValidationError:
        raise ValidationFailed(
            {name: broken("wrong_type", message="must be a whole number", expected="integer")}
        ) from None


async def by_body(incoming: AdapterRequest) -> None:
    body = incoming.body
    if isinstance(body, SharedBody):
        raise PayloadTooLarge(limit=str(APART_BYTES))  # no text for speech is this long
    asked = decoded(_body, without_mark(body))
    await _speak(incoming, asked.model, asked.text, asked.voice, asked.output_audio_spec or _Spec(), _IN_BODY)


async def _speak(
    incoming: AdapterRequest, model: str | None, text: str, voice: str | None, spec: _Spec, fields: SpeechFields
) -> None:
    reference = incoming.model or ModelReference.parse(model or "")
    encoding = spec.audio_encoding or "LINEAR16_PCM"
    if encoding not in _ENCODINGS:
        raise ValidationFailed({fields.encoding: broken("one_of", allowed=", ".join(_ENCODINGS))})
    speech = Speech(
        text=text,
        fields=fields,
        voice=voice,
        container=_ENCODINGS[encoding],
        rate=spec.sample_rate_hertz,
        chunk_kb=spec.chunk_size_kb,
    )
    inner = reference.inner or (model if incoming.model else None)
    await speak(incoming, incoming.call(reference, speech.request(inner)), speech)
