"""Streamed answers over HTTP, in each format. Writing waits while the caller does not read."""

from typing import Final, Protocol

from starlette.types import Send

from mlpgateway.call.call import Answer
from mlpgateway.entry.http.answers import JSON, head
from mlpgateway.errors.gate import UnexpectedAnswer
from mlplace_kit.errors import DomainError
from mlplace_runtime.web.errors import error_bytes, from_unexpected

EVENT_STREAM: Final = b"text/event-stream; charset=utf-8"
_LINE_BREAKS = {ord("\n"): " ", ord("\r"): " "}
_UNBUFFERED = (b"x-accel-buffering", b"no")


class PartStream(Protocol):
    """`started` is True once the status is sent; a later failure is reported in the body."""

    started: bool

    async def part(self, answer: Answer) -> None: ...

    async def end(self) -> None: ...

    async def fail(self, error: Exception, request_id: str) -> None: ...


class LineStream:
    """One line of JSON for each part, sent as it comes."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self.started = False

    async def part(self, answer: Answer) -> None:
        if not self.started:
            self.started = True
            await start(self._send, JSON, answer)
        if line := one_line(answer):  # an end mark, and any other part without text, is no line
            await self._send({"type": "http.response.body", "body": f"{line}\n".encode(), "more_body": True})

    async def end(self) -> None:
        await self._send({"type": "http.response.body", "body": b""})

    async def fail(self, error: Exception, request_id: str) -> None:
        """Writes the error as the last line, because the status was sent with the first part."""
        await self._send({"type": "http.response.body", "body": shown(error, request_id) + b"\n"})


class EventStream:
    """Server-sent events: each part is a message; the end or an error is an event of that name."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self.started = False

    async def part(self, answer: Answer) -> None:
        if not self.started:
            self.started = True
            await start(self._send, EVENT_STREAM, answer)
        if line := one_line(answer):
            await self._send({"type": "http.response.body", "body": f"data: {line}\n\n".encode(), "more_body": True})

    async def end(self) -> None:
        await self._send({"type": "http.response.body", "body": b"event: end\ndata: {}\n\n"})

    async def fail(self, error: Exception, request_id: str) -> None:
        event = b"event: error\ndata: " + shown(error, request_id) + b"\n\n"
        await self._send({"type": "http.response.body", "body": event})


async def start(send: Send, kind: bytes, answer: Answer) -> None:
    headers = [*head(kind, answer.headers), _UNBUFFERED]
    await send({"type": "http.response.start", "status": 200, "headers": headers})


def is_empty_part(answer: Answer) -> bool:
    """Returns whether this is one of several parts, and has no content, such as an end mark."""
    return answer.partial and answer.payload.is_empty


def as_text(answer: Answer) -> Answer:
    """The shape of streams of text. Raises UnexpectedAnswer for bytes, which no line and no event can hold."""
    if answer.payload.protobuf is not None and not is_empty_part(answer):
        raise UnexpectedAnswer(operation="a stream of JSON", kind="bytes")
    return answer


def one_line(answer: Answer) -> str:
    """Returns the JSON with line breaks replaced by spaces. They can only be white space: strings contain none."""
    text = answer.payload.json or ""
    return text.translate(_LINE_BREAKS) if "\n" in text or "\r" in text else text


def shown(error: Exception, request_id: str) -> bytes:
    return error_bytes(error if isinstance(error, DomainError) else from_unexpected(error), request_id)
