"""Tests a server's shutdown as a proxy in front of it sees it."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import pytest
from starlette.responses import PlainTextResponse
from starlette.types import Receive, Scope, Send

from mlplace_runtime.process.http.binding import bind
from mlplace_runtime.process.http.server import HttpServer, ShutdownTimes
from mlplace_runtime.process.listeners import listeners_at
from mlplace_runtime.web.request_context import RequestContext
from mlplace_testing.waiting import eventually


class App:
    """Answers when it is allowed to."""

    def __init__(self) -> None:
        self.running = 0
        self.let = asyncio.Event()
        self.let.set()

    async def __call__(self, _scope: Scope, _receive: Receive, send: Send) -> None:
        self.running += 1
        await self.let.wait()
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"2")]})
        await send({"type": "http.response.body", "body": b"ok"})
        self.running -= 1


class Proxy:
    """One kept-alive connection."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer

    def ask(self) -> None:
        self._writer.write(b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n")

    async def hear(self) -> str:
        async with asyncio.timeout(60):
            head = await self._reader.readuntil(b"\r\n\r\n")
            assert await self._reader.readexactly(2) == b"ok"
        return head.decode()

    async def end(self) -> bytes:
        async with asyncio.timeout(60):
            return await self._reader.read()

    def close(self) -> None:
        self._writer.close()


class Served:
    def __init__(self) -> None:
        self.app = App()
        self._listener = bind("127.0.0.1", 0)
        self.port: int = self._listener.getsockname()[1]
        self.server = HttpServer(self.app, self._listener)

    @asynccontextmanager
    async def proxy(self) -> AsyncGenerator[Proxy]:
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        yield Proxy(reader, writer)
        writer.close()

    async def refuses(self) -> bool:
        try:
            _, writer = await asyncio.wait_for(asyncio.open_connection("127.0.0.1", self.port), 60)
        except ConnectionRefusedError:
            return True
        writer.close()
        return False


@pytest.fixture
async def served() -> AsyncGenerator[Served]:
    made = Served()
    await made.server.start()
    yield made
    await made.server.stop()


class TestStart:
    async def test_before_the_start_callers_are_refused_at_once(self) -> None:
        listener = bind("127.0.0.1", 0)
        with pytest.raises(ConnectionRefusedError):
            await asyncio.open_connection("127.0.0.1", listener.getsockname()[1])
        listener.close()


class TestStop:
    async def test_kept_connections_are_served_once_more_and_new_ones_refused(self, served: Served) -> None:
        async with served.proxy() as proxy, served.proxy() as idle:
            for each in (proxy, idle):
                each.ask()
                assert "connection: close" not in await each.hear()
            stopping = asyncio.create_task(served.server.stop(ShutdownTimes(idle_seconds=3600)))
            await eventually(served.refuses)
            proxy.ask()
            assert "connection: close" in await proxy.hear()
            assert await proxy.end() == b""
            assert not stopping.done(), "the other side may still use the idle one"
            idle.close()
            async with asyncio.timeout(60):
                await stopping

    async def test_a_running_request_is_answered(self, served: Served) -> None:
        served.app.let.clear()
        async with served.proxy() as proxy:
            proxy.ask()
            await eventually(lambda: _value(served.app.running))
            stopping = asyncio.create_task(served.server.stop())
            await eventually(served.refuses)
            served.app.let.set()
            assert "200 OK" in await proxy.hear()
            await stopping

    async def test_a_stop_ends_within_its_time_limits(self, served: Served) -> None:
        async with served.proxy() as idle, asyncio.timeout(60):
            await served.server.stop(ShutdownTimes(idle_seconds=0.2, running_seconds=1))
            assert await idle.end() == b""

    @pytest.mark.parametrize("_round", range(4))  # the critical moment is short
    async def test_a_connection_opened_during_the_stop_is_served_or_refused_but_never_reset(
        self, served: Served, _round: int
    ) -> None:
        stop = asyncio.Event()
        answered = refused = 0

        async def connect_again_and_again() -> None:
            nonlocal answered, refused
            while not stop.is_set():
                try:
                    async with served.proxy() as proxy:
                        proxy.ask()
                        await proxy.hear()
                    answered += 1
                except ConnectionRefusedError:
                    refused += 1
                    return

        callers = [asyncio.create_task(connect_again_and_again()) for _ in range(20)]
        await eventually(lambda: _value(answered > 20))
        await served.server.stop(ShutdownTimes(idle_seconds=60))
        await asyncio.gather(*callers)
        assert refused == len(callers)


class TestListenersAt:
    def test_finds_sockets_of_this_process_by_port(self) -> None:
        listener = bind("127.0.0.1", 0)
        port = listener.getsockname()[1]
        assert listeners_at(port) == [], "it does not listen yet"
        listener.listen()
        (found,) = listeners_at(port)
        assert found.getsockname() == listener.getsockname()
        found.close()
        listener.close()


async def _value(value: object) -> object:
    return value


class TestContinue:
    """A caller asks whether it may send its body."""

    @pytest.mark.parametrize("asks", [True, False])
    async def test_connection_ends_after_an_answer_without_the_body(self, *, asks: bool) -> None:
        async def app(scope: Scope, receive: Receive, send: Send) -> None:
            if asks:
                assert (await receive())["body"] == b"12"
            await PlainTextResponse("ok")(scope, receive, send)

        listener = bind("127.0.0.1", 0)
        server = HttpServer(RequestContext(app, service="test", max_body_bytes=10), listener)
        await server.start()
        reader, writer = await asyncio.open_connection("127.0.0.1", listener.getsockname()[1])
        writer.write(b"PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n")
        async with asyncio.timeout(60):
            first = await reader.readuntil(b"\r\n\r\n")
            if asks:
                assert first.startswith(b"HTTP/1.1 100")
                writer.write(b"12")
                first = await reader.readuntil(b"\r\n\r\n")
        assert first.startswith(b"HTTP/1.1 200")
        assert (b"connection: close" in first.lower()) is not asks
        writer.close()
        await server.stop()
