"""A bounded buffer for an instance's output. It keeps the newest part and counts offsets from the start of the run."""

import codecs

_KEPT_BYTES = 256 * 1024
_CONTINUATION = 0b1000_0000


class Capture:
    """Takes bytes, holds valid UTF-8 without NUL. Offsets count bytes of that text since the start of the run."""

    def __init__(self, *, kept_bytes: int = _KEPT_BYTES) -> None:
        self._kept_bytes = kept_bytes
        self._decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")
        self._text = bytearray()
        self._start = 0

    @property
    def end(self) -> int:
        return self._start + len(self._text)

    def write(self, data: bytes, *, final: bool = False) -> None:
        text = self._decoder.decode(data, final=final).replace("\0", "\ufffd")
        self._text += text.encode()
        excess = len(self._text) - self._kept_bytes
        if excess > 0:
            self._drop(excess)

    def _drop(self, count: int) -> None:
        while count < len(self._text) and self._is_inside_a_character(count):
            count += 1
        del self._text[:count]
        self._start += count

    def read(self, offset: int, limit: int) -> tuple[int, str]:
        """At most `limit` bytes from `offset`, or from the oldest kept one. Returns their offset and the text.

        `offset` must be 0 or the end of an earlier piece, so that no character is split.
        """
        first = max(offset - self._start, 0)
        last = min(first + limit, len(self._text))
        while last < len(self._text) and last > first and self._is_inside_a_character(last):
            last -= 1
        return self._start + first, self._text[first:last].decode(errors="replace")

    def _is_inside_a_character(self, index: int) -> bool:
        return self._text[index] & 0b1100_0000 == _CONTINUATION
