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
from mlpgateway.instances.http.headers import of_answer
from mlpgateway.instances.http.media_types import Declared, Form, declared_by, media_type_of_error
from mlpgateway.instances.http.refusal import refusal_of
from mlpgateway.instances.http.streamed_texts import Events, Lines, StreamedTexts
from mlpgateway.instances.json_answers import problem_of

_FRAMED: Final = frozenset({b"content-length", b"transfer-encoding"})
_PARTIAL: Final = 206
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
    if status == _PARTIAL:
        return _Refused(BrokenAnswer(reason="it is a part of an answer (status 206), which nobody asked for"))
    try:
        declared = declared_by(headers)
    except BrokenAnswer as problem:
        return _Refused(problem)
    told = of_answer(headers)
    match declared.form:
        case Form.EVENTS:
            return _Parts(Events(most_bytes, told, framed=_is_framed(headers)), told, whole=whole)
        case Form.LINES:
            return _Parts(Lines(most_bytes, framed=_is_framed(headers)), told, whole=whole)
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


class _Parts:
    """Yields each part as it comes, and then an empty part marked as the last.

    With `whole` the caller reads only the last part, so each part is held until the next one, and the last has content.
    """

    __slots__ = ("_first", "_held", "_texts", "_told", "_whole")

    def __init__(self, texts: StreamedTexts, told: Mapping[str, str], *, whole: bool) -> None:
        self._texts = texts
        self._told = told
        self._whole = whole
        self._held: Payload | None = None
        self._first = True

    def few(self, data: bytes) -> Iterator[bytes]:
        """An answer takes at least one line, which ends with a CR, an LF or both."""
        begin, ends = 0, data.replace(b"\r\n", b" \n").replace(b"\r", b"\n")
        while begin < len(data):
            end = begin
            for _ in range(FEW_LINES):
                end = ends.find(b"\n", end) + 1 or len(data)
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
