"""Answers on their way out."""

from collections.abc import Mapping
from typing import Final

from starlette.types import Send

from mlpgateway.proxy.call import Answer, Payload

_MOST_HEADER = 1024
_MOST_HEADERS = 32
_KEPT = ("z-", "content-hidden", "ratelimit", "x-ratelimit")
JSON: Final = b"application/json"
BINARY: Final = b"application/octet-stream"


async def send_answer(send: Send, answer: Answer) -> None:
    payload = answer.payload
    body = _bytes(payload)
    kind = JSON if payload.protobuf is None else BINARY
    length = (b"content-length", str(len(body)).encode())
    start = {"type": "http.response.start", "status": 200, "headers": [*head(kind, answer.headers), length]}
    await send(start)
    await send({"type": "http.response.body", "body": body})


def _bytes(payload: Payload) -> bytes:
    return payload.protobuf if payload.protobuf is not None else (payload.json or "").encode()


def head(kind: bytes, given: Mapping[str, str]) -> list[tuple[bytes, bytes]]:
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
