"""Answers on their way out."""

from collections.abc import Mapping

from starlette.types import Send

from mlpgateway.proxy.call import Answer, Payload
from mlplace_kit.errors import DomainError
from mlplace_runtime.web.errors import error_bytes, from_unexpected

_MOST_HEADER = 1024
_MOST_HEADERS = 32
_LINE_BREAKS = {ord("\n"): " ", ord("\r"): " "}
_KEPT = ("z-", "content-hidden", "ratelimit", "x-ratelimit")
_JSON = b"application/json"
_BINARY = b"application/octet-stream"


async def send_answer(send: Send, answer: Answer) -> None:
    payload = answer.payload
    body = _bytes(payload)
    kind = _JSON if payload.protobuf is None else _BINARY
    length = (b"content-length", str(len(body)).encode())
    start = {"type": "http.response.start", "status": 200, "headers": [*_head(kind, answer.headers), length]}
    await send(start)
    await send({"type": "http.response.body", "body": body})


class LineStream:
    """One JSON text on a line for each part, handed on as it comes."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self.started = False

    async def part(self, answer: Answer) -> None:
        if not self.started:
            self.started = True
            headers = [*_head(_JSON, answer.headers), (b"x-accel-buffering", b"no")]
            await self._send({"type": "http.response.start", "status": 200, "headers": headers})
        text = answer.payload.json or ""
        # Outside of strings a line break is white space, inside JSON allows none: a blank is the same JSON.
        line = text.translate(_LINE_BREAKS) if "\n" in text or "\r" in text else text
        await self._send({"type": "http.response.body", "body": f"{line}\n".encode(), "more_body": True})

    async def end(self) -> None:
        await self._send({"type": "http.response.body", "body": b""})

    async def fail(self, error: Exception, request_id: str) -> None:
        """The status went out with the first part: the error is the last line."""
        shown = error if isinstance(error, DomainError) else from_unexpected(error)
        await self._send({"type": "http.response.body", "body": error_bytes(shown, request_id) + b"\n"})


def _bytes(payload: Payload) -> bytes:
    return payload.protobuf if payload.protobuf is not None else (payload.json or "").encode()


def _head(kind: bytes, given: Mapping[str, str]) -> list[tuple[bytes, bytes]]:
    """The limits, and of the instance's headers those of the protocol, when they can be headers of HTTP at all."""
    kept = [
        (name.lower().encode(), value.encode())
        for name, value in given.items()
        if name.isascii() and name.lower().startswith(_KEPT) and _is_header(name, value)
    ]
    return [(b"content-type", kind), *kept[:_MOST_HEADERS]]


def _is_header(name: str, value: str) -> bool:
    word = name.replace("-", "").isalnum() and len(name) <= _MOST_HEADER
    return word and value.isascii() and value.isprintable() and len(value) <= _MOST_HEADER
