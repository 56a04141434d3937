"""Raw HTTP/1.1, for requests that normal clients cannot send."""

import asyncio
import json
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Answer:
    status: int
    headers: dict[str, str]
    body: bytes

    def json(self) -> dict[str, Any]:
        return json.loads(self.body)


async def say(port: int, data: bytes, *, seconds: float = 60.0, host: str = "127.0.0.1") -> bytes:
    """All data until the edge closes the connection."""
    reader, writer = await asyncio.open_connection(host, port)
    try:
        writer.write(data)
        async with asyncio.timeout(seconds):
            return await _rest(reader)
    finally:
        writer.close()


async def _rest(reader: asyncio.StreamReader) -> bytes:
    heard = bytearray()
    try:
        while part := await reader.read(65536):
            heard += part
    except ConnectionResetError:
        pass  # closed while the edge had not read everything
    return bytes(heard)


async def request(
    port: int, target: str, method: str = "GET", headers: str = "", body: bytes = b"", *, host: str = "127.0.0.1"
) -> Answer:
    """One request with the exact target; `headers` are whole lines. `host` is an address of the edge."""
    length = f"Content-Length: {len(body)}\r\n" if body else ""
    head = f"{method} {target} HTTP/1.1\r\nHost: edge.test\r\nConnection: close\r\n{headers}{length}\r\n"
    return parse(await say(port, head.encode("latin-1") + body, host=host))


def parse(heard: bytes) -> Answer:
    head, _, body = heard.partition(b"\r\n\r\n")
    first, *lines = head.decode("latin-1").split("\r\n")
    headers = {}
    for line in lines:
        name, _, value = line.partition(":")
        headers[name.lower()] = value.strip()
    if headers.get("transfer-encoding") == "chunked":
        body = _unchunked(body)
    return Answer(int(first.split()[1]), headers, body)


def _unchunked(body: bytes) -> bytes:
    parts = []
    while body:
        size, _, body = body.partition(b"\r\n")
        parts.append(body[: int(size, 16)])
        body = body[int(size, 16) + 2 :]
    return b"".join(parts)
