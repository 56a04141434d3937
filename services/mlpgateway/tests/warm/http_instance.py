"""A plain HTTP server in the role of an instance. The request's field `do` says how it answers."""

import asyncio
import json
from contextlib import suppress
from typing import TYPE_CHECKING

from mlplace_contracts.events import InstanceChanged, InstanceHttp

if TYPE_CHECKING:
    from services.mlpgateway.tests.warm.site import Site

TOLD = ("Z-Server-Time: 1234567", "Z-custom-billing: 5", "Z-own: x", "Not-passed-on: y", "RateLimit: z")
MANY = 100_000
"""Parts of an answer that comes at once."""
_JSON = ("Content-Type: application/json",)
_EVENTS = ("Content-Type: text/event-stream", "Z-part: 0", "Transfer-Encoding: chunked")


_UNFRAMED = b"\r\nContent-Type: application/json\r\n\r\n"
_UNFRAMED_EVENTS = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"
UNFRAMED = {
    "unframed": b"HTTP/1.1 200 OK" + _UNFRAMED + b'{"n":1}',
    "old-unframed": b"HTTP/1.0 200 OK" + _UNFRAMED + b'{"n":1}',
    "unframed-cut": b"HTTP/1.1 200 OK" + _UNFRAMED + b'{"n":',
    "old-unframed-cut": b"HTTP/1.0 200 OK" + _UNFRAMED + b'{"n":',
    "unframed-events-cut": _UNFRAMED_EVENTS + b'data: 1\n\ndata: {"n":',
    "unframed-event-without-end": _UNFRAMED_EVENTS + b"data: 1\n\ndata: 2\n",
}
"""Answers that only the end of the connection ends."""
NO_JSON = {"not-json": b'{"n":', "nothing": b"", "no-number": b"NaN", "text": b"hello", "not-utf8": b'"\xff"'}
"""Bodies that claim to be JSON."""


class HttpInstance:
    """`cancelled` counts the connections that the gate has closed before their answer."""

    def __init__(self, site: "Site", number: int, model_id: int, account_id: int) -> None:
        self._site = site
        self.number = number
        self.model_id = model_id
        self._account_id = account_id
        self._held: list[tuple[asyncio.StreamWriter, str]] = []
        self._writers: set[asyncio.StreamWriter] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self._server: asyncio.Server | None = None
        self.cancelled = self.written = 0

    @property
    def active(self) -> int:
        return len(self._held)

    async def start(self) -> None:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self._tell(self._server.sockets[0].getsockname()[1])

    def _tell(self, port: int | None) -> None:
        place = None if port is None else InstanceHttp(host="127.0.0.1", port=port, trusted=True)
        self._site.world.know(
            InstanceChanged(
                version=next(self._site.versions),
                instance_id=self.number,
                model_id=self.model_id,
                account_id=self._account_id,
                token_hash=f"h{self.number}",
                accepts_connections=port is not None,
                http=place,
            )
        )

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._writers.add(writer)
        self._tasks.add(asyncio.current_task())  # type: ignore[arg-type]  # it runs in a task
        with suppress(asyncio.IncompleteReadError, ConnectionError):
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
                line, *headers = head.removesuffix("\r\n\r\n").split("\r\n")
                told = {name: value for name, _, value in (each.partition(": ") for each in headers)}
                if line.startswith("GET"):
                    writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
                    continue
                body = (await reader.readexactly(int(told["Content-Length"]))).decode()
                self._answer(writer, line, told, body)
        self.cancelled += any(holder is writer for holder, _ in self._held)
        self._writers.discard(writer)
        writer.close()

    def _answer(self, writer: asyncio.StreamWriter, line: str, told: dict[str, str], body: str) -> None:
        del told["Host"]
        self._site.heard.append((told, body, line, 0))
        do = what_to_do(body)
        if do == "hold":
            self._held.append((writer, body))
            self._site.holding.set()
        elif do == "break-once" and told["Z-requestId"] not in self._site.broken:
            self._site.broken.add(told["Z-requestId"])
            self.leave("broken")
        elif do == "endless":
            self._tasks.add(asyncio.create_task(self._flood(writer)))
        elif do == "drip":
            self._tasks.add(asyncio.create_task(self._drip(writer)))
        elif do != "silence" and not _said_malformed(writer, do):
            self._say(writer, do, body)

    def _say(self, writer: asyncio.StreamWriter, do: str, body: str) -> None:
        match do:
            case "error-400" | "error-500":
                said = json.dumps({"code": "model.said", "message": "no luck", "args": {"what": "luck"}})
                _write(writer, int(do[-3:]), (*_JSON, *TOLD), said.encode())
            case "parts":
                events = [f"data: {part}\n\n".encode() for part in parts_of(body)]
                pieces = [b"%x\r\n%b\r\n" % (len(each), each) for each in (*events, b"data: [DONE]\n\n")]
                writer.write("\r\n".join(("HTTP/1.1 200 OK", *_EVENTS, "\r\n")).encode() + pieces[0])
                writer.write(b"".join(pieces[1:]) + b"0\r\n\r\n")
            case "cut":
                writer.write("\r\n".join(("HTTP/1.1 200 OK", *_EVENTS, "\r\n")).encode() + b"3\r\nabc\r\n")
                writer.close()
            case "begin":
                writer.write("\r\n".join(("HTTP/1.1 200 OK", *_EVENTS, "\r\n")).encode() + b"3\r\nabc\r\n")
                self._held.append((writer, body))
                self._site.holding.set()
            case "large":
                _write(writer, 200, (*_JSON, *TOLD), b'"' + b"x" * 100_000 + b'"')
            case "moved":
                _write(writer, 307, ("Location: /other?a=b", "Set-Cookie: a=b"), b"elsewhere")
            case "lines" | "events":
                many = (b"1\n" if do == "lines" else b"data: 1\n\n") * MANY
                kind = "application/x-ndjson" if do == "lines" else "text/event-stream"
                _write(writer, 200, (f"Content-Type: {kind}",), many)
            case "bytes":
                _write(writer, 200, ("Content-Type: application/octet-stream",), b"\x00\x01")
            case "wrong-kind":
                writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nxy")
            case _:
                _write(writer, 200, (*_JSON, *(TOLD if do == "headers" else ())), echo_of(body).encode())

    async def _flood(self, writer: asyncio.StreamWriter) -> None:
        """Writes until the gate closes the connection."""
        writer.write("\r\n".join(("HTTP/1.1 200 OK", *_JSON, "\r\n")).encode())
        with suppress(ConnectionError):
            while not writer.is_closing():
                writer.write(b"x" * 65536)
                self.written += 65536
                await writer.drain()
        self.cancelled += 1

    async def _drip(self, writer: asyncio.StreamWriter) -> None:
        """Writes small pieces until the gate closes the connection."""
        writer.write("\r\n".join(("HTTP/1.1 200 OK", *_EVENTS, "\r\n")).encode())
        with suppress(ConnectionError):
            while not writer.is_closing():
                writer.write(b"3\r\nabc\r\n")
                await writer.drain()
                await asyncio.sleep(0.01)
        self.cancelled += 1

    def release(self) -> None:
        held, self._held = self._held, []
        for writer, body in held:
            self._say(writer, "echo", body)

    def leave(self, reason: str) -> None:
        """Like an instance that is removed, and dies with its requests."""
        del reason
        self._site.instances.remove(self)
        self._tell(None)
        if self._server is not None:
            self._server.close()
        for writer in self._writers:
            writer.transport.abort()

    async def close(self) -> None:
        if self._server is not None:
            self._server.close()
        for writer in self._writers:
            writer.transport.abort()
        await asyncio.gather(*self._tasks)


def _said_malformed(writer: asyncio.StreamWriter, do: str) -> bool:
    if do in UNFRAMED:
        writer.write(UNFRAMED[do])
        writer.close()
    elif do in NO_JSON:
        _write(writer, 200, _JSON, NO_JSON[do])
    else:
        return False
    return True


def what_to_do(body: str) -> str:
    read = json.loads(body)
    data = read["data"] if "config" in read else read
    return data["do"] if "do" in data else data["messages"][0]["content"]


def echo_of(body: str) -> str:
    """Returns the answer to this request: the request itself, within a conversation for a chat."""
    read = json.loads(body)
    return json.dumps({"of": body, "choices": []}) if "messages" in read.get("data", read) else body


def parts_of(body: str, words: int = 1) -> list[str]:
    """Returns the parts of a streamed answer to this request, which are also those of a conversation."""
    return [
        json.dumps({"part": part, "of": body, "choices": [{"index": 0, "delta": {"content": f"{part} " * words}}]})
        for part in range(3)
    ]


def _write(writer: asyncio.StreamWriter, status: int, headers: tuple[str, ...], body: bytes) -> None:
    head = "\r\n".join((f"HTTP/1.1 {status} Said", *headers, f"Content-Length: {len(body)}", "", ""))
    writer.write(head.encode() + body)
