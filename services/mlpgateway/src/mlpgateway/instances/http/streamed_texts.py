"""Cuts the body of a streamed answer into the texts of its parts: lines, or the data of server-sent events.

Events are those of the WHATWG HTML Standard (section 9.2), with one difference: there, a line that is no field is
ignored; here, it is an error.
"""

from collections.abc import Iterator, Mapping
from typing import Final, Protocol

from mlpgateway.errors.calls import BrokenAnswer
from mlpgateway.instances.http.refusal import refusal_of_event
from mlplace_kit.json_text import BYTE_ORDER_MARK

_DONE: Final = b"[DONE]"
_ERROR, _END = b"error", b"end"
"""Names of events with which the platform's own streams end."""
_PING: Final = b"ping"
"""The name of events that only keep the connection open, as Anthropic's API sends them."""
_UNREAD: Final = frozenset({b"", b"id", b"retry"})
"""Fields that say nothing of an answer; the empty name is that of a comment."""


class StreamedTexts(Protocol):
    """Cuts a body into texts. `done`: the body says that none follows."""

    done: bool

    def piece(self, data: bytes) -> Iterator[bytes]: ...

    def end(self) -> Iterator[bytes]: ...


class Lines:
    """Yields lines, with `blank` empty ones too. A long line is joined from its pieces and searched only once."""

    __slots__ = ("_begun", "_blank", "_framed", "_line", "_most", "done")

    def __init__(self, most: int, *, framed: bool, blank: bool = False) -> None:
        self._most = most
        self._framed = framed
        self._blank = blank
        self._line = bytearray()
        self._begun = False
        self.done = False

    def piece(self, data: bytes) -> Iterator[bytes]:
        line = self._line
        *ends, begun = data.split(b"\n")
        for end in ends:
            line += end
            _check(line, self._most)
            text = self._text(line)
            line.clear()
            if self._blank or text.strip():
                yield text
        line += begun
        _check(line, self._most)

    def end(self) -> Iterator[bytes]:
        text = self._text(self._line)
        if text if self._blank else text.strip():
            if not self._framed:
                raise BrokenAnswer(reason="its last line is not complete")
            yield text

    def _text(self, line: bytearray) -> bytes:
        text = bytes(line).rstrip(b"\r")
        if not self._begun:
            self._begun = True
            text = text.removeprefix(BYTE_ORDER_MARK)
        return text


class Events:
    """Yields the data of server-sent events, without a final `[DONE]`. An event is bounded like a line.

    An event that ends with the body, without a blank line, counts, too, unless only the end of the connection says that
    the body is complete (`framed` is false). Raises InstanceError for the event `error`, and BrokenAnswer, also for a
    line that is no field: it may be a page, or an error, in place of the rest of the answer.
    """

    __slots__ = ("_after_return", "_data", "_framed", "_lines", "_most", "_name", "_told", "done")

    def __init__(self, most: int, told: Mapping[str, str], *, framed: bool) -> None:
        """`told`: the headers of the answer, which are those of the error."""
        self._most = most
        self._told = told
        self._framed = framed
        self._lines = Lines(most, framed=framed, blank=True)
        self._data = bytearray()
        self._name = b""
        self._after_return = False
        self.done = False

    def piece(self, data: bytes) -> Iterator[bytes]:
        return self._events(self._lines.piece(self._with_line_feeds(data)))

    def _with_line_feeds(self, data: bytes) -> bytes:
        """Returns the data with an LF for each CR LF and CR. A piece may begin with the LF of the last one's CR."""
        if not data:
            return data
        if self._after_return:
            data = data.removeprefix(b"\n")
        self._after_return = data.endswith(b"\r")
        return data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")

    def end(self) -> Iterator[bytes]:
        yield from self._events(self._lines.end())
        if self.done or not (self._data or self._name):
            return
        says_end = self._name in {_ERROR, _END} or bytes(self._data).strip() == _DONE
        if not self._framed and not says_end:
            raise BrokenAnswer(reason="its last event is not complete")
        if (text := self._event()) is not None:
            yield text

    def _events(self, lines: Iterator[bytes]) -> Iterator[bytes]:
        data = self._data
        for line in lines:
            if not line:
                text = self._event() if data or self._name in {_ERROR, _END} else None
                self._name = b""
                if self.done:
                    return
                if text is not None:
                    yield text
                continue
            field, _, value = line.partition(b":")
            if field == b"data":
                data += value.removeprefix(b" ")
                _check(data, self._most)
                data += b"\n"
            elif field == b"event":
                self._name = value.strip()
            elif field not in _UNREAD and line.strip():
                raise BrokenAnswer(reason="a line of its events is no field")

    def _event(self) -> bytes | None:
        """Returns the data; None if there is none, and at the end of the stream, which sets `done`."""
        text = bytes(self._data[:-1])
        self._data.clear()
        if self._name == _ERROR:
            raise refusal_of_event(text, self._told)
        if self._name == _PING:
            return None
        mark = text.strip()
        self.done = mark == _DONE or self._name == _END
        return text if mark and not self.done else None


def _check(part: bytearray, most: int) -> None:
    """Raises BrokenAnswer."""
    if len(part) > most:
        raise BrokenAnswer(reason=f"a part is larger than {most} bytes")
