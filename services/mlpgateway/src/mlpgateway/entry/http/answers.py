"""Sends answers to HTTP callers."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Final

from starlette.types import Send

from mlpgateway.call.call import Answer, Payload
from mlpgateway.call.headers import MOST_HEADER, MOST_HEADERS, is_name, is_of_gate, is_value
from mlpgateway.call.large_json import LargeText
from mlplace_gateproto import headers as names

_KEPT = ("z-", "content-hidden", "ratelimit", "x-ratelimit", names.COST.lower(), names.UNITS.lower())
JSON: Final = b"application/json"
BINARY: Final = b"application/octet-stream"


async def send_answer(send: Send, answer: Answer) -> None:
    headers, body = whole_answer(answer.payload, answer.headers)
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": body})


def whole_answer(payload: Payload, given: Mapping[str, str]) -> tuple[list[tuple[bytes, bytes]], bytes | memoryview]:
    """Returns the headers and the body of a response that has the whole answer."""
    body = _bytes(payload)
    kind = JSON if payload.protobuf is None else BINARY
    return [*head(kind, given), (b"content-length", str(len(body)).encode())], body


def _bytes(payload: Payload) -> bytes | memoryview:
    if type(payload) is LargeText:
        return payload.source.view
    return payload.protobuf if payload.protobuf is not None else (payload.json or "").encode()


def head(kind: bytes, given: Mapping[str, str]) -> list[tuple[bytes, bytes]]:
    """Returns the content type and those headers that belong to the protocol and are valid in HTTP.

    Only the instance's are bounded in number: they must not displace the gate's own.
    """
    headers, of_instance = [(b"content-type", kind)], 0
    for name, value in given.items():
        if len(name) > MOST_HEADER or not (on_wire := _name(name)) or not is_value(value):
            continue
        if not is_of_gate(on_wire.decode()):
            of_instance += 1
            if of_instance > MOST_HEADERS:
                continue
        headers.append((on_wire, value.encode()))
    return headers


@lru_cache(maxsize=1024)
def _name(name: str) -> bytes | None:
    """Returns the name as sent; None for a header that is not sent to callers."""
    lower = name.lower()
    return lower.encode() if is_name(name) and lower.startswith(_KEPT) else None
