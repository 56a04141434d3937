"""`audio/speech`: text to speech, as WAV or PCM at 24 kHz."""

from typing import Final

from mlpgateway.entry.adapters.errors import AudioFormatNotSupported
from mlpgateway.entry.adapters.incoming import AdapterRequest
from mlpgateway.entry.adapters.openai.objects import Fields
from mlpgateway.entry.adapters.openai.synthesis import Speech, speak
from mlpgateway.entry.grpc.audio import SpeechFields
from mlplace_kit.errors import ValidationFailed
from mlplace_kit.violations import broken

_RATE: Final = 24_000
"""The sample rate of OpenAI's PCM, in Hz."""
_FIELDS: Final = SpeechFields("input", rate="response_format", chunk_kb="response_format", encoding="response_format")
"""The caller chooses the text only; a format has one rate."""


async def speech(incoming: AdapterRequest) -> None:
    """The default format is WAV: models return PCM, and the gateway compresses nothing.

    Fields such as speed and instructions become the config, for models that know them.
    """
    fields = await Fields.of(incoming)
    fields.expect_no_stream()
    model = fields.model()
    text = fields.required("input", str)
    voice = fields.take("voice", str)
    form = fields.take("response_format", str) or "wav"
    if form not in {"wav", "pcm"}:
        raise AudioFormatNotSupported("response_format", asked=form, supported=("wav", "pcm"))
    if (way := fields.take("stream_format", str)) not in {None, "audio"}:
        raise ValidationFailed(
            {"stream_format": broken("one_of", message=f"must be audio, not {way}", allowed="audio")}
        )
    if fields.is_number("speed", 1):
        fields.raw("speed")
    order = Speech(text=text, fields=_FIELDS, voice=voice, container="wav" if form == "wav" else "pcm", rate=_RATE)
    call = incoming.call(model, order.request(model.inner), fields.rest())
    await speak(incoming, call, order)
