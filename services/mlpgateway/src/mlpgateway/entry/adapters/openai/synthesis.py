"""Speech of a `tts` model, streamed while it is synthesised; whole for a call with an idempotency key."""

from collections.abc import AsyncGenerator, Awaitable
from contextlib import aclosing
from dataclasses import dataclass
from typing import Final, Literal

from msgspec.structs import replace
from starlette.types import Send

from mlpgateway.call.call import Answer, Call, Payload
from mlpgateway.call.context import size_of
from mlpgateway.entry.adapters.incoming import AdapterRequest
from mlpgateway.entry.adapters.openai.objects import Object, payload_of
from mlpgateway.entry.adapters.turns import in_turns
from mlpgateway.entry.grpc.audio import PcmReader, SpeechFields, check_speech, in_pieces, wav_header
from mlpgateway.entry.grpc.speech import NoAudio, as_sound, audio_of
from mlpgateway.entry.http.answers import BINARY, head

WAV_RATE: Final = 24_000
"""The rate of a WAV file when the caller sets none, in Hz: its header has to contain one."""


@dataclass(frozen=True, slots=True)
class Speech:
    """What to synthesise. `rate` in Hz; None: the model's own. `chunk_kb` is the size of the answer's pieces in KiB.

    `fields`: where the caller's request has them.
    """

    text: str
    fields: SpeechFields
    voice: str | None = None
    container: Literal["pcm", "wav"] = "pcm"
    rate: int | None = None
    chunk_kb: int | None = None

    def __post_init__(self) -> None:
        """Raises ValidationFailed."""
        check_speech(self.text, rate=self.rate, chunk_kb=self.chunk_kb, fields=self.fields)

    @property
    def known_rate(self) -> int | None:
        return self.rate or (WAV_RATE if self.container == "wav" else None)

    def request(self, inner: str | None = None) -> Payload:
        """Returns the request of the task type `tts`."""
        spec: Object = {"audioEncoding": "LINEAR16_PCM"}
        if self.known_rate is not None:
            spec["sampleRateHertz"] = self.known_rate
        if self.chunk_kb is not None:
            spec["chunkSizeKb"] = self.chunk_kb
        body: Object = {"text": self.text, "outputAudioSpec": spec}
        if self.voice is not None:
            body["voice"] = self.voice
        if inner is not None:
            body["model"] = inner
        return payload_of(body)

    @property
    def piece_bytes(self) -> int | None:
        return self.chunk_kb * 1024 if self.chunk_kb else None

    def whole(self, answer: Answer) -> Answer | Awaitable[Answer]:
        """Returns the audio of all parts of an answer. Raises UnexpectedAnswer."""
        reader = PcmReader(self.known_rate)
        sounds: list[bytes] = []

        def end() -> Answer:
            sound = b"".join((*sounds, reader.end()))
            if not sound:
                raise NoAudio
            if self.container == "wav":
                sound = wav_header(self.known_rate or WAV_RATE, len(sound)) + sound
            return Answer(Payload(protobuf=sound), answer.headers)

        parts = (*answer.before, answer.payload)
        return in_turns(parts, size_of, lambda part: sounds.append(reader.feed(audio_of(part))), end)


async def speak(incoming: AdapterRequest, call: Call, speech: Speech) -> None:
    """Sends the speech. Raises errors before the first bytes; later ones cut the connection."""
    if incoming.options.key is None:
        answers = incoming.stream(call, as_sound(speech.known_rate))
        await _stream(_Voice(answers, speech), speech, incoming.send)
        return
    answer = await incoming.answer(replace(call, keep_parts=True), speech.whole)
    sound = answer.payload.protobuf or b""
    await _start(incoming.send, speech, answer)
    size = speech.piece_bytes or len(sound) or 1
    for place in range(0, len(sound), size):
        await incoming.send({"type": "http.response.body", "body": sound[place : place + size], "more_body": True})
    await incoming.send({"type": "http.response.body", "body": b""})


async def _stream(voice: "_Voice", speech: Speech, send: Send) -> None:
    started = False
    async with aclosing(in_pieces(voice.audio(), speech.piece_bytes)) as pieces:
        async for piece in pieces:
            if not started:
                started = True
                await _start(send, speech, voice.headers)
            await send({"type": "http.response.body", "body": piece, "more_body": True})
    await send({"type": "http.response.body", "body": b""})


async def _start(send: Send, speech: Speech, about: Answer | None) -> None:
    kind = b"audio/wav" if speech.container == "wav" else BINARY
    headers = [*head(kind, about.headers if about else {}), (b"x-accel-buffering", b"no")]
    await send({"type": "http.response.start", "status": 200, "headers": headers})


class _Voice:
    """`headers` is the first answer, None until there is one."""

    def __init__(self, answers: AsyncGenerator[Answer], speech: Speech) -> None:
        self._answers = answers
        self._speech = speech
        self.headers: Answer | None = None

    async def audio(self) -> AsyncGenerator[bytes]:
        rate = self._speech.known_rate or WAV_RATE
        begun = self._speech.container == "pcm"
        async with aclosing(self._answers) as answers:
            async for answer in answers:
                self.headers = self.headers or answer
                sound = answer.payload.protobuf or b""
                if sound and not begun:  # nothing is sent before there is audio: a call without any is an error
                    begun = True
                    yield wav_header(rate, len(sound) if answer.first and answer.last else None)
                yield sound
