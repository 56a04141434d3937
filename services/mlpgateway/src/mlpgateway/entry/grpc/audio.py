"""16-bit PCM: read from and written to WAV files, and split into pieces of one size."""

import struct
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass
from typing import Final

from mlpgateway.errors.gate import UnexpectedAnswer
from mlplace_kit.errors import DomainError, ValidationFailed
from mlplace_kit.violations import Violation, broken

_HEADER: Final = struct.Struct("<4sI4s4sIHHIIHH4sI")
_FORMAT: Final = struct.Struct("<HHIIHH")
_CHUNK: Final = struct.Struct("<4sI")
_LINEAR: Final = 1
_BITS, _BYTES = 16, 2
_UNTIL_THE_END: Final = 0xFFFF_FFFF
_NO_SIZE: Final = 0x2000_0000
"""From here on (1.5 hours at 48 kHz), and with 0, the size in a header says that its writer did not know it: writers
differ in what they write then.
"""
_MOST_HEADER: Final = 65_536
_LOWEST, _HIGHEST = 8_000, 48_000
_MOST_CHUNK_KB = 1024


@dataclass(frozen=True, slots=True)
class SpeechFields:
    """The paths of the fields in a caller's request for speech: entries name them differently."""

    text: str
    rate: str
    chunk_kb: str
    encoding: str


def check_speech(text: str, *, rate: int | None, chunk_kb: int | None, fields: SpeechFields) -> None:
    """Checks a caller's request for speech. Raises ValidationFailed, with the paths in `fields`."""
    problems: dict[str, Violation] = {}
    if not text:
        problems[fields.text] = broken("required")
    if rate is not None and not _LOWEST <= rate <= _HIGHEST:
        problems[fields.rate] = broken("between", min=str(_LOWEST), max=str(_HIGHEST))
    if chunk_kb is not None and not 1 <= chunk_kb <= _MOST_CHUNK_KB:
        problems[fields.chunk_kb] = broken("between", min="1", max=str(_MOST_CHUNK_KB))
    if problems:
        raise ValidationFailed(problems)


def wav_header(rate: int, size: int | None) -> bytes:
    """Returns the header for mono audio. `size` None: a stream, which readers take to its end."""
    data = _UNTIL_THE_END if size is None else size
    whole = _UNTIL_THE_END if size is None else size + _HEADER.size - _CHUNK.size
    return _HEADER.pack(
        b"RIFF", whole, b"WAVE", b"fmt ", _FORMAT.size, _LINEAR, 1, rate, rate * _BYTES, _BYTES, _BITS, b"data", data
    )  # fmt: skip


class PcmReader:
    """Reads a model's audio as PCM, unwrapping a WAV file when the model sends one.

    Bare PCM carries no rate and is assumed to have the requested one. A WAV file with another rate or several channels
    is refused. Anything after the audio data of a file is dropped.
    """

    def __init__(self, rate: int | None) -> None:
        """`rate` in Hz; None accepts any rate."""
        self._rate = rate
        self._head = bytearray()
        # The position in `_head` of a file's next chunk, and finally of the audio data.
        self._place = len(b"RIFF....WAVE")
        self._in_data = False
        # The bytes of audio still to come; None: until the end.
        self._left: int | None = None

    def feed(self, data: bytes) -> bytes:
        """Returns the PCM in these bytes. Raises UnexpectedAnswer."""
        if not self._in_data:
            self._head += data
            self._in_data = self._is_bare() or self._finds_data()
            if not self._in_data:
                if len(self._head) > _MOST_HEADER:
                    raise UnexpectedAnswer(operation="tts", kind="a WAV file without audio")
                return b""
            data = bytes(self._head[self._place :])
            self._head.clear()
        if self._left is not None:
            data = data[: self._left]
            self._left -= len(data)
        return data

    def end(self) -> bytes:
        """Returns audio that was too short to be told from the beginning of a file.

        Raises UnexpectedAnswer for a file that has less audio than it says: the end of a connection does not tell
        whether an answer is whole. Some writers count their headers, too.
        """
        if self._left is not None and self._left > _HEADER.size:
            raise UnexpectedAnswer(operation="tts", kind="a WAV file that ends too early")
        return b"" if self._in_data or self._head.startswith(b"RIFF") else bytes(self._head)

    def _is_bare(self) -> bool:
        bare = len(self._head) >= len(b"RIFF") and not self._head.startswith(b"RIFF")
        if bare:
            self._place = 0
        return bare

    def _finds_data(self) -> bool:
        """Searches the header for the audio data. Resumes where it stopped: a file may come byte by byte."""
        while (inside := self._place + _CHUNK.size) <= len(self._head):
            name, size = _CHUNK.unpack_from(self._head, self._place)
            if name == b"data":
                self._place = inside
                self._left = size if 0 < size < _NO_SIZE else None
                return True
            if name == b"fmt ":
                if inside + _FORMAT.size > len(self._head):
                    return False
                self._check(*_FORMAT.unpack_from(self._head, inside))
            self._place = inside + size + size % 2
        return False

    def _check(self, kind: int, channels: int, rate: int, _bytes: int, _align: int, bits: int) -> None:
        if (kind, channels, bits) != (_LINEAR, 1, _BITS):
            raise UnexpectedAnswer(operation="tts", kind="audio that is not 16-bit PCM of one channel")
        if self._rate is not None and rate != self._rate:
            raise UnexpectedAnswer(operation="tts", kind=f"audio with {rate} Hz instead of {self._rate}")


async def in_pieces(audio: AsyncGenerator[bytes], size: int | None) -> AsyncGenerator[bytes]:
    """Yields pieces of `size` bytes, the last one maybe smaller; None: as they come. Empty pieces are skipped.

    What was held before an error is yielded before it, unless it is all there is: nothing is sent yet then, and the
    caller gets the error itself.
    """
    held, begun = bytearray(), False
    async with aclosing(audio):
        try:
            async for data in audio:
                held += data
                while held and (size is None or len(held) >= size):
                    begun = True
                    yield bytes(held[:size])
                    del held[:size]
        except DomainError:
            if held and begun:
                yield bytes(held)
            raise
    if held:
        yield bytes(held)
