"""What callers of a real server get, and what the log says, when an instance's answer ends early or has no body."""

import asyncio
import logging
from collections.abc import AsyncGenerator
from types import SimpleNamespace

import pytest

from mlplace_runtime.process.http.binding import listen
from mlplace_runtime.process.http.server import HttpServer

BODILESS = {
    "304": b"HTTP/1.1 304 Not Modified\r\n\r\n",
    "304 with the length of another answer": b"HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n",
    "204": b"HTTP/1.1 204 No Content\r\n\r\n",
    "205": b"HTTP/1.1 205 Reset Content\r\nContent-Length: 0\r\n\r\n",
    "205 in chunks": b"HTTP/1.1 205 Reset Content\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    "205 until its end": b"HTTP/1.1 205 Reset Content\r\nConnection: close\r\n\r\n",
    "200 with an empty body": b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
}
CUT = {
    "of a length": b"HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\nbegun",
    "in chunks": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nbegun\r\n",
}


@pytest.fixture
async def answering(open_world, kit, tools) -> AsyncGenerator[SimpleNamespace]:
    """A gateway behind a real server, and an instance that answers with the bytes of `says`.

    It closes the connection when `heard` is set.
    """
    told = SimpleNamespace(says=b"", heard=asyncio.Event())

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        health = head.startswith(b"GET /health ")
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n" if health else told.says)
        if not health:
            await told.heard.wait()
        writer.close()

    async with (
        await asyncio.start_server(serve, "127.0.0.1", 0) as instance,
        open_world(instance_networks="127.0.0.0/8") as world,
    ):
        world.know(kit.model_changed(http=tools.HTTP), tools.told_of(7, instance.sockets[0].getsockname()[1]))
        world.components.http_instances.open("127.0.0.1:1")
        await tools.reached(world)
        listener = listen("127.0.0.1", 0)
        server = HttpServer(world.app, listener)
        await server.start()
        told.port, told.key = listener.getsockname()[1], world.key()["MLP-API-KEY"]
        yield told
        await server.stop()
        await world.components.http_instances.close()


async def asked(told: SimpleNamespace, version: str = "1.1", method: str = "GET") -> bytes:
    """Returns all that the server sends until it ends the connection."""
    reader, writer = await asyncio.open_connection("127.0.0.1", told.port)
    line = f"{method} /api/mlpgateway/account/acme/model/ner/http/x HTTP/{version}"
    writer.write(f"{line}\r\nHost: x\r\nConnection: close\r\nMLP-API-KEY: {told.key}\r\n\r\n".encode())
    async with asyncio.timeout(60):
        heard = await reader.readuntil(b"begun") if told.says.endswith((b"begun", b"begun\r\n")) else b""
        told.heard.set()
        heard += await reader.read()
    writer.close()
    return heard


def errors(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [record.getMessage() for record in caplog.records if record.levelno >= logging.ERROR]


class TestAnswersWithoutBody:
    @pytest.mark.parametrize("said", BODILESS.values(), ids=BODILESS)
    @pytest.mark.parametrize("method", ["GET", "HEAD"])
    @pytest.mark.parametrize("version", ["1.0", "1.1"])
    async def test_they_are_whole_and_no_error(self, answering, caplog, said, method, version) -> None:
        answering.says = said
        heard = await asked(answering, version, method)
        head, _, body = heard.partition(b"\r\n\r\n")
        assert (head.split()[1], body) == (said.split()[1], b"0\r\n\r\n" if b": chunked" in head else b"")
        assert errors(caplog) == []


class TestCutAnswers:
    @pytest.mark.parametrize("said", CUT.values(), ids=CUT)
    async def test_caller_notices_and_the_log_has_no_error(self, answering, caplog, said) -> None:
        answering.says = said
        heard = await asked(answering)
        assert not heard.endswith(b"0\r\n\r\n")
        assert errors(caplog) == []

    async def test_caller_of_http10_gets_a_reset(self, answering, caplog) -> None:
        answering.says = CUT["in chunks"]
        with pytest.raises(ConnectionResetError):
            await asked(answering, "1.0")
        assert errors(caplog) == []
