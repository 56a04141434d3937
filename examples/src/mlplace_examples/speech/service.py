"""Speech from Russian and English text."""

import base64
import re
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from mlplace_examples.speech.espeak import Espeak
from mlplace_examples.speech.resampling import resample

Voice = Literal["ru", "en"]
_CYRILLIC = re.compile(r"[а-яё]", re.IGNORECASE)


class AudioSpec(BaseModel):
    """``chunkSizeKb`` belongs to streamed answers and has no effect here."""

    model_config = ConfigDict(extra="forbid")

    audioEncoding: Literal["LINEAR16_PCM"] = "LINEAR16_PCM"  # noqa: N815 - name on the wire
    sampleRateHertz: Annotated[int, Field(ge=8000, le=48000)] | None = None  # noqa: N815 - name on the wire
    chunkSizeKb: Annotated[int, Field(ge=1)] | None = None  # noqa: N815 - name on the wire


class Manner(BaseModel):
    """Defaults for fields that the request omits. Audio is always base64."""

    model_config = ConfigDict(extra="forbid")

    voice: Voice | None = None
    outputAudioSpec: AudioSpec | None = None  # noqa: N815 - name on the wire
    encodeBase64: Literal[True] = True  # noqa: N815 - name on the wire


class SpeechRequest(BaseModel):
    model_config = ConfigDict(extra="forbid")

    text: str = Field(min_length=1, max_length=5000)
    voice: Voice | None = None
    outputAudioSpec: AudioSpec | None = None  # noqa: N815 - name on the wire


class Speech(BaseModel):
    """16-bit little-endian mono PCM without a header, base64."""

    text: str
    audio_base64: str


class Speaker:
    """eSpeak NG; 22 050 Hz unless the request or the config sets another rate."""

    def __init__(self) -> None:
        self._espeak = Espeak()

    def predict(self, data: SpeechRequest, config: Manner | None = None) -> Speech:
        """Without a voice, a text with Cyrillic letters gets the Russian one."""
        manner = config or Manner()
        voice = data.voice or manner.voice or ("ru" if _CYRILLIC.search(data.text) else "en")
        spec = data.outputAudioSpec or manner.outputAudioSpec or AudioSpec()
        spoken = self._espeak.say(data.text, voice)
        rate = self._espeak.sample_rate
        pcm = resample(spoken, source_hertz=rate, target_hertz=spec.sampleRateHertz or rate)
        return Speech(text=data.text, audio_base64=base64.b64encode(pcm).decode())
