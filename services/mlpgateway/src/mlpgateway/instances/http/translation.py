"""Translates calls to plain HTTP requests and back, with the paths and bodies of the platform's own API.

`predict` is `POST /predict` with the request as its body, or `POST /predict-with-config` with `{"data", "config"}` when
there is a config; other methods are `POST /ext`. The answer is JSON, or bytes of another type; server-sent events and
lines of JSON are a streamed answer.
"""

import json
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from dataclasses import dataclass
from typing import Final

import aiohttp
import msgspec

from mlpgateway.call.call import Answer, Operation, Payload
from mlpgateway.call.large_json import LargeText
from mlpgateway.call.transport import InstanceError, InstanceRequest
from mlpgateway.errors.calls import BrokenAnswer
from mlpgateway.instances.http.headers import of_protocol
from mlplace_gateproto import codes

_JSON: Final = "application/json"
_EVENTS: Final = "text/event-stream"
_LINES: Final = frozenset({"application/x-ndjson", "application/jsonl", "application/x-jsonlines"})
_DONE: Final = b"[DONE]"
_MOST_ERROR: Final = 64 * 1024
_MOST_TEXT: Final = 2000


@dataclass(frozen=True, slots=True)
class Asked:
    target: str
    headers: Mapping[str, str]
    body: bytes | memoryview


def request_of(request: InstanceRequest) -> Asked:
    if request.operation is Operation.EXT:
        params = {name: value.json or "" for name, value in request.params.items()}
        return _as_json("/ext", json.dumps({"methodName": request.method_name, "params": params}).encode())
    data = request.data or Payload()
    config = request.config.json if request.config is not None else None
    if data.protobuf is not None:
        return Asked("/predict", {"Content-Type": "application/octet-stream"}, data.protobuf)
    text = data.source.view if type(data) is LargeText else (data.json or "null").encode()
    if config is None or config.strip() in {"", "{}"}:
        return _as_json("/predict", text)
    return _as_json("/predict-with-config", b"".join([b'{"data":', text, b',"config":', config.encode(), b"}"]))


def _as_json(target: str, body: bytes | memoryview) -> Asked:
    return Asked(target, {"Content-Type": _JSON, "Accept": f"{_JSON}, {_EVENTS}"}, body)


async def answers_of(response: aiohttp.ClientResponse, most_bytes: int, *, whole: bool) -> AsyncGenerator[Answer]:
    """Yields the answer. Raises InstanceError for an error status, BrokenAnswer for an invalid body."""
    told = of_protocol(response.raw_headers)
    kind = response.content_type
    if not 200 <= response.status < 300:
        raise await _error(response, told)
    if kind == _EVENTS:
        parts = _in_parts(_events(response, most_bytes), told, whole=whole)
    elif kind in _LINES:
        parts = _in_parts(_lines(response, most_bytes), told, whole=whole)
    else:
        yield Answer(_payload(await _whole(response, most_bytes), kind), told)
        return
    async for part in parts:
        yield part


def _payload(body: bytes, kind: str) -> Payload:
    if kind != _JSON and not kind.endswith("+json"):
        return Payload(protobuf=body)
    try:
        return Payload(json=body.decode())
    except UnicodeDecodeError:
        raise BrokenAnswer(reason="it is not UTF-8") from None


async def _whole(response: aiohttp.ClientResponse, most: int) -> bytes:
    body = bytearray()
    async for piece in response.content.iter_any():
        body += piece
        if len(body) > most:
            raise BrokenAnswer(reason=f"it is larger than {most} bytes")
    return bytes(body)


class _Problem(msgspec.Struct):
    """The JSON form of the platform's own errors."""

    code: str = codes.INTERNAL_ERROR
    message: str = ""
    args: dict[str, str] = {}


async def _error(response: aiohttp.ClientResponse, told: Mapping[str, str]) -> InstanceError:
    body = await _whole(response, _MOST_ERROR)
    try:
        problem = msgspec.json.decode(body, type=_Problem)
    except msgspec.DecodeError:
        problem = _Problem()
    text = problem.message or f"the instance answered {response.status}"
    status = response.status if 400 <= response.status < 600 else 502
    return InstanceError(
        code=problem.code[:128], message=text[:_MOST_TEXT], status=status, details=problem.args, headers=told
    )


async def _in_parts(texts: AsyncIterator[bytes], told: Mapping[str, str], *, whole: bool) -> AsyncGenerator[Answer]:
    """Yields each part as it comes, and then an empty part marked as the last.

    With `whole` the caller reads only the last part, so each part is held until the next one, and the last has content.
    """
    held: Payload | None = None
    first = True
    async for text in texts:
        if held is not None or not whole:
            yield Answer(held or _payload(text, _JSON), told if first else {}, first=first, last=False, partial=True)
            first = False
        held = _payload(text, _JSON) if whole else None
    if first and held is None:
        raise BrokenAnswer(reason="it is empty")
    yield Answer(held or Payload(), told if first else {}, first=first, last=True, partial=True)


async def _events(response: aiohttp.ClientResponse, most: int) -> AsyncGenerator[bytes]:
    """Yields the data of server-sent events, without a final `[DONE]`. An event is bounded like a line."""
    data = bytearray()
    async for line in _lines(response, most, blank=True):
        if line.startswith(b"data:"):
            data += line[5:].removeprefix(b" ")
            _check(data, most)
            data += b"\n"
        elif not line and data:
            text = bytes(data[:-1])
            data.clear()
            if text == _DONE:
                return
            yield text
    if data and (text := bytes(data[:-1])) != _DONE:
        yield text


async def _lines(response: aiohttp.ClientResponse, most: int, *, blank: bool = False) -> AsyncGenerator[bytes]:
    """Yields lines, with `blank` empty ones too. A long line is joined from its pieces and searched only once."""
    line = bytearray()
    async for piece in response.content.iter_any():
        *ends, begun = piece.split(b"\n")
        for end in ends:
            line += end
            _check(line, most)
            text = bytes(line).rstrip(b"\r")
            line.clear()
            if text or blank:
                yield text
        line += begun
        _check(line, most)
    if line:
        yield bytes(line).rstrip(b"\r")


def _check(part: bytearray, most: int) -> None:
    """Raises BrokenAnswer."""
    if len(part) > most:
        raise BrokenAnswer(reason=f"a part is larger than {most} bytes")
