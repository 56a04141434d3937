"""Reads the body of an instance's answer piece by piece, whichever way the pieces arrive.

JSON, or bytes of another type, are one answer; server-sent events and lines of JSON are a streamed one. What claims to
be JSON and is not is an error of the call. So is a last line that is not complete, where only the end of the connection
says that the body is: it may have been cut off.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Final, Protocol

from mlpgateway.call.call import Answer, Payload
from mlpgateway.call.error_bodies import MOST_BYTES
from mlpgateway.call.json_bodies import Body, without_mark
from mlpgateway.call.large_json import LARGE_BYTES, LargeText, TextBuffer, is_utf8
from mlpgateway.errors.calls import BrokenAnswer
from mlpgateway.instances.http.client.framing import Headers
from mlpgateway.instances.http.headers import of_protocol
from mlpgateway.instances.http.media_types import Declared, Form, declared_by, media_type_of_error
from mlpgateway.instances.http.refusal import refusal_of, refusal_of_event
from mlpgateway.instances.json_answers import problem_of
from mlplace_kit.json_text import BYTE_ORDER_MARK

_DONE: Final = b"[DONE]"
_ERROR, _END = b"error", b"end"
"""Names of events with which the platform's own streams end."""
_FRAMED: Final = frozenset({b"content-length", b"transfer-encoding"})
FEW_LINES: Final = 32
"""Lines of an answer that are read in one turn of the event loop."""
_NOT_UTF8: Final = "it is not UTF-8"


class AnswerBody(Protocol):
    """Give it each piece, then call `end`. It returns the answers that a piece completes; read them all, in order.

    A piece may have very many answers: `few` cuts it into pieces for one turn of the event loop each.

    Nothing may follow after an answer marked as the last. Raises BrokenAnswer for an invalid body, InstanceError at the
    end of the body of an error status.
    """

    def few(self, data: bytes) -> Iterator[bytes]: ...

    def piece(self, data: bytes) -> Iterable[Answer]: ...

    def end(self) -> Iterable[Answer]: ...


def body_of(status: int, headers: Headers, most_bytes: int, *, whole: bool) -> AnswerBody:
    """`most_bytes` bounds what is held. `whole`: the caller reads only the last part."""
    if not 200 <= status < 300:
        return _ErrorBody(status, headers)
    try:
        declared = declared_by(headers)
    except BrokenAnswer as problem:
        return _Refused(problem)
    told = of_protocol(headers)
    match declared.form:
        case Form.EVENTS:
            return _Parts(_Events(most_bytes, framed=_is_framed(headers)), told, whole=whole)
        case Form.LINES:
            return _Parts(_Lines(most_bytes, framed=_is_framed(headers)), told, whole=whole)
        case Form.JSON | Form.BYTES:
            return _WholeBody(declared, told, most_bytes)


def _is_framed(headers: Headers) -> bool:
    """Returns whether the end of the body is not just the end of the connection."""
    return any(name.lower() in _FRAMED for name, _ in headers)


def _payload(body: bytearray, declared: Declared) -> Payload:
    if declared.form is Form.BYTES:
        return Payload(protobuf=bytes(body), data_type=declared.media_type)
    return _of_json(without_mark(body))


def _of_json(text: Body) -> Payload:
    """Returns the text, a large one as it came: as a string, it would be decoded, checked and encoded in one turn.

    Raises BrokenAnswer.
    """
    payload: Payload
    try:
        payload = Payload(json=str(text, "utf-8")) if len(text) < LARGE_BYTES else LargeText(source=TextBuffer(text))
    except UnicodeDecodeError:
        raise BrokenAnswer(reason=_NOT_UTF8) from None
    if type(payload) is LargeText and not is_utf8(text):
        raise BrokenAnswer(reason=_NOT_UTF8)
    if (problem := problem_of(payload, part=False)) is not None:
        raise problem
    return payload


class _Collected:
    """The bytes of a body, up to `most`."""

    __slots__ = ("_body", "_most")

    def __init__(self, most: int) -> None:
        self._most = most
        self._body = bytearray()

    def few(self, data: bytes) -> Iterator[bytes]:
        return iter((data,))

    def piece(self, data: bytes) -> Iterable[Answer]:
        self._body += data
        if len(self._body) > self._most:
            raise BrokenAnswer(reason=f"it is larger than {self._most} bytes")
        return ()


class _WholeBody(_Collected):
    __slots__ = ("_declared", "_told")

    def __init__(self, declared: Declared, told: Mapping[str, str], most: int) -> None:
        super().__init__(most)
        self._declared = declared
        self._told = told

    def end(self) -> Iterable[Answer]:
        return (Answer(_payload(self._body, self._declared), self._told),)


class _Refused:
    """A body that is not read, because of what its headers declare."""

    __slots__ = ("_problem",)

    def __init__(self, problem: BrokenAnswer) -> None:
        self._problem = problem

    def few(self, data: bytes) -> Iterator[bytes]:
        return iter((data,))

    def piece(self, data: bytes) -> Iterable[Answer]:
        del data
        raise self._problem

    def end(self) -> Iterable[Answer]:
        raise self._problem


class _ErrorBody:
    """The text of a very large error is left out."""

    __slots__ = ("_body", "_headers", "_status")

    def __init__(self, status: int, headers: Headers) -> None:
        self._body = bytearray()
        self._status = status
        self._headers = headers

    def few(self, data: bytes) -> Iterator[bytes]:
        return iter((data,))

    def piece(self, data: bytes) -> Iterable[Answer]:
        self._body += data
        return () if len(self._body) <= MOST_BYTES else self.end()

    def end(self) -> Iterable[Answer]:
        raise refusal_of(self._status, self._headers, media_type_of_error(self._headers), bytes(self._body))


class _Texts(Protocol):
    """Cuts a body into texts. `done`: the body says that none follows."""

    done: bool

    def piece(self, data: bytes) -> Iterator[bytes]: ...

    def end(self) -> Iterator[bytes]: ...


class _Parts:
    """Yields each part as it comes, and then an empty part marked as the last.

    With `whole` the caller reads only the last part, so each part is held until the next one, and the last has content.
    """

    __slots__ = ("_first", "_held", "_texts", "_told", "_whole")

    def __init__(self, texts: _Texts, told: Mapping[str, str], *, whole: bool) -> None:
        self._texts = texts
        self._told = told
        self._whole = whole
        self._held: Payload | None = None
        self._first = True

    def few(self, data: bytes) -> Iterator[bytes]:
        """An answer takes at least one line."""
        begin = 0
        while begin < len(data):
            end = begin
            for _ in range(FEW_LINES):
                end = data.find(b"\n", end) + 1 or len(data)
                if end == len(data):
                    break
            yield data[begin:end]
            begin = end

    def piece(self, data: bytes) -> Iterator[Answer]:
        for text in self._texts.piece(data):
            yield from self._next(text)
        if self._texts.done:
            yield self._last()

    def end(self) -> Iterator[Answer]:
        for text in self._texts.end():
            yield from self._next(text)
        yield self._last()

    def _next(self, text: bytes) -> Iterator[Answer]:
        held = self._held
        if held is not None or not self._whole:
            yield self._part(held or _of_json(text), last=False)
        self._held = _of_json(text) if self._whole else None

    def _last(self) -> Answer:
        if self._first and self._held is None:
            raise BrokenAnswer(reason="it is empty")
        return self._part(self._held or Payload(), last=True)

    def _part(self, payload: Payload, *, last: bool) -> Answer:
        first, self._first = self._first, False
        return Answer(payload, self._told if first else {}, first=first, last=last, partial=True)


class _Lines:
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


class _Events:
    """Yields the data of server-sent events, without a final `[DONE]`. An event is bounded like a line.

    An event that ends with the body, without a blank line, counts, too, unless only the end of the connection says that
    the body is complete (`framed` is false). Raises InstanceError for the event `error`, and BrokenAnswer.
    """

    __slots__ = ("_data", "_framed", "_lines", "_most", "_name", "done")

    def __init__(self, most: int, *, framed: bool) -> None:
        self._most = most
        self._framed = framed
        self._lines = _Lines(most, framed=framed, blank=True)
        self._data = bytearray()
        self._name = b""
        self.done = False

    def piece(self, data: bytes) -> Iterator[bytes]:
        return self._events(self._lines.piece(data))

    def end(self) -> Iterator[bytes]:
        yield from self._events(self._lines.end())
        if self.done or not (self._data or self._name):
            return
        says_end = self._name in {_ERROR, _END} or bytes(self._data[:-1]) == _DONE
        if not self._framed and not says_end:
            raise BrokenAnswer(reason="its last event is not complete")
        if (text := self._event()) is not None:
            yield text

    def _events(self, lines: Iterator[bytes]) -> Iterator[bytes]:
        data = self._data
        for line in lines:
            if line.startswith(b"data:"):
                data += line[5:].removeprefix(b" ")
                _check(data, self._most)
                data += b"\n"
            elif line.startswith(b"event:"):
                self._name = line[6:].strip()
            elif not line:
                text = self._event() if data or self._name in {_ERROR, _END} else None
                self._name = b""
                if self.done:
                    return
                if text is not None:
                    yield text

    def _event(self) -> bytes | None:
        """Returns the data; None if there is none, and at the end of the stream, which sets `done`."""
        text = bytes(self._data[:-1])
        self._data.clear()
        if self._name == _ERROR:
            raise refusal_of_event(text)
        if text == _DONE or self._name == _END:
            self.done = True
        return None if self.done or not text else text


def _check(part: bytearray, most: int) -> None:
    """Raises BrokenAnswer."""
    if len(part) > most:
        raise BrokenAnswer(reason=f"a part is larger than {most} bytes")
