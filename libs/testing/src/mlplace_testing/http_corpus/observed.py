"""Sends a case to a front, and tells what came of it at the caller and at the application behind."""

import asyncio
import json
import re
from dataclasses import dataclass
from http import HTTPStatus
from typing import Final

from starlette.types import Receive, Scope, Send

from mlplace_testing.http_corpus.model import HOST, Case, End, Outcome, Request

_NUMBER: Final = "x-number"
LAST: Final = Request("GET", "/api/mlpcore/last")
PROBE: Final = f"GET {LAST.target} HTTP/1.1\r\nHost: {HOST}\r\nConnection: close\r\n\r\n".encode()
_WITHOUT_CONTENT: Final = frozenset({204, 304})
_DEADLINE_SECONDS: Final = 60.0
_REFUSALS: Final = frozenset({
    HTTPStatus.BAD_REQUEST, HTTPStatus.NOT_FOUND, HTTPStatus.METHOD_NOT_ALLOWED, HTTPStatus.REQUEST_URI_TOO_LONG,
    HTTPStatus.UPGRADE_REQUIRED, HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE, HTTPStatus.NOT_IMPLEMENTED,
    HTTPStatus.HTTP_VERSION_NOT_SUPPORTED,
})  # fmt: skip
"""What a front may answer by itself. Any other status is a fault of the front; the last two are those of nginx."""
_HEAD: Final = re.compile(rb"HTTP/1\.[01] ([1-5][0-9]{2}) ")
_STATUS: Final = re.compile(rb"status=([0-9]{3})")


class Recorder:
    """An application that records each complete request and numbers its answers.

    A query like `status=204` sets the status. A handshake of a WebSocket is denied, and not recorded.
    """

    def __init__(self) -> None:
        self.requests: list[Request] = []
        self.headers: list[dict[str, str]] = []

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "websocket":
            await send({"type": "websocket.http.response.start", "status": HTTPStatus.NOT_FOUND, "headers": []})
            await send({"type": "websocket.http.response.body", "body": b""})
            return
        body = b""
        while (message := await receive())["type"] == "http.request":
            body += message.get("body", b"")
            if not message.get("more_body"):
                break
        else:
            return  # the caller has left: the request never became whole
        raw: bytes = scope["raw_path"]
        query: bytes = scope["query_string"]
        target = raw + (b"?" + query if query else b"")
        self.requests.append(Request(scope["method"], target.decode("latin-1"), body))
        self.headers.append({name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]})
        status = _STATUS.search(query)
        await self._answer(send, int(status[1]) if status else 200)

    async def _answer(self, send: Send, status: int) -> None:
        content = b"" if status in _WITHOUT_CONTENT else json.dumps(len(self.requests)).encode()
        headers = [(_NUMBER.encode(), str(len(self.requests)).encode())]
        if status not in _WITHOUT_CONTENT:
            headers.append((b"content-length", str(len(content)).encode()))
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": content})


@dataclass(frozen=True, slots=True)
class Answer:
    """`number` is what the application put into it; None: the front itself answered."""

    status: int
    number: int | None


class NotHttpError(Exception):
    """The front sent something that is no answer."""


async def observed(port: int, recorder: Recorder, case: Case, *, segment: int = 65_536) -> Outcome:
    """Sends the case and a last request behind it, in segments of this many bytes, and hears the connection out.

    Raises AssertionError where answers and requests do not fit together.
    """
    before = len(recorder.requests)
    heard = await say(port, case.sent + PROBE, segment)
    requests = recorder.requests[before:]
    answers = _answers(heard, [request.method for request in requests])
    numbers = [answer.number for answer in answers if answer.number is not None]
    assert numbers == list(range(before + 1, before + 1 + len(requests))), (numbers, requests, heard)
    own = [answer.status for answer in answers if answer.number is None]
    assert _REFUSALS.issuperset(own), heard
    goes_on = bool(requests) and requests[-1] == LAST
    if goes_on:
        requests = requests[:-1]
    return Outcome(tuple(requests), _end(own=bool(own), goes_on=goes_on))


def _end(*, own: bool, goes_on: bool) -> End:
    if own:
        return End.DECLINES if goes_on else End.REFUSES
    return End.GOES_ON if goes_on else End.CLOSES


async def say(port: int, data: bytes, segment: int) -> bytes:
    """Returns all that comes until the front closes the connection.

    Small segments are handed to the system one at a time; it may still join some of them.
    """
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    heard = bytearray()
    try:
        async with asyncio.timeout(_DEADLINE_SECONDS):
            for at in range(0, len(data), segment):
                if writer.is_closing():
                    break
                writer.write(data[at : at + segment])
                await asyncio.sleep(0)
            while part := await reader.read(65_536):
                heard += part
    except ConnectionError:
        pass  # it was closed before it had read everything
    finally:
        writer.close()
    return bytes(heard)


def _answers(heard: bytes, methods: list[str]) -> list[Answer]:
    """Splits answers; those to the requests of the application come in the order of their methods."""
    answers: list[Answer] = []
    left = list(methods)
    while heard:
        found = _HEAD.match(heard)
        head, ended, rest = heard.partition(b"\r\n\r\n")
        if found is None or not ended:
            raise NotHttpError(heard)
        status = int(found[1])
        if status < 200:
            heard = rest
            continue
        headers = {
            name.strip().lower(): value.strip()
            for name, _, value in (line.partition(b":") for line in head.split(b"\r\n")[1:])
        }
        number = headers.get(_NUMBER.encode())
        method = left.pop(0) if number is not None and left else ""
        answers.append(Answer(status, int(number) if number is not None else None))
        heard = rest if method == "HEAD" or status in _WITHOUT_CONTENT else _behind_content(headers, rest)
    return answers


def _behind_content(headers: dict[bytes, bytes], rest: bytes) -> bytes:
    if (length := headers.get(b"content-length")) is not None:
        return rest[int(length) :]
    if headers.get(b"transfer-encoding") != b"chunked":
        return b""  # it ends with the connection
    while True:
        size, _, rest = rest.partition(b"\r\n")
        count = int(size, 16)
        rest = rest[count + 2 :]
        if not count:
            return rest
