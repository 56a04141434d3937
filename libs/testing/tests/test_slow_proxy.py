"""Tests the slow proxy: data arrives late, but complete, in order and at the right client."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from mlplace_testing.ports import free_port
from mlplace_testing.slow_proxy import Address, SlowProxy, slow_proxy
from mlplace_testing.waiting import eventually


class Echo:
    """A server that echoes."""

    def __init__(self) -> None:
        self.clients = 0

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.clients += 1
        while data := await reader.read(1000):
            writer.write(data)
        writer.close()
        await writer.wait_closed()
        self.clients -= 1

    async def alone(self) -> bool:
        return not self.clients


@pytest.fixture(params=["tcp", "unix"])
async def opened(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncGenerator[tuple[SlowProxy, Address]]:
    if request.param == "tcp":
        listen: Address = ("127.0.0.1", free_port())
        server: Address = ("127.0.0.1", free_port())
    else:
        listen, server = tmp_path / "near", tmp_path / "far"
    echo = Echo()
    if isinstance(server, Path):
        start = asyncio.start_unix_server(echo.serve, server)
    else:
        start = asyncio.start_server(echo.serve, *server)
    async with await start:
        async with slow_proxy(listen, server) as proxy:
            yield proxy, listen
        await eventually(echo.alone)


@asynccontextmanager
async def _client(address: Address) -> AsyncGenerator[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
    if isinstance(address, Path):
        reader, writer = await asyncio.open_unix_connection(address)
    else:
        reader, writer = await asyncio.open_connection(*address)
    try:
        yield reader, writer
    finally:
        writer.close()
        await writer.wait_closed()


async def _held(proxy: SlowProxy) -> int:
    return proxy.held


class TestSlowProxy:
    async def test_forwards_both_directions(self, opened: tuple[SlowProxy, Address]) -> None:
        _, address = opened
        async with _client(address) as (reader, writer), _client(address) as (other_reader, other_writer):
            writer.write(b"mine")
            other_writer.write(b"theirs")
            assert await other_reader.readexactly(6) == b"theirs"
            assert await reader.readexactly(4) == b"mine"

    async def test_holds_back_answers_until_it_is_sped_up(self, opened: tuple[SlowProxy, Address]) -> None:
        proxy, address = opened
        async with _client(address) as (reader, writer):
            proxy.slow_down(3600)
            writer.write(b"one")
            await eventually(lambda: _held(proxy), until=lambda held: held == 3)
            hearing = asyncio.create_task(reader.readexactly(6))
            writer.write(b"two")
            await eventually(lambda: _held(proxy), until=lambda held: held == 6)
            assert not hearing.done()
            proxy.speed_up()
            assert await hearing == b"onetwo"
            assert (proxy.held, proxy.slowed) == (0, 6)

    async def test_answers_arrive_after_their_delay(self, opened: tuple[SlowProxy, Address]) -> None:
        proxy, address = opened
        proxy.slow_down(0.3)
        async with _client(address) as (reader, writer):
            began = asyncio.get_running_loop().time()
            writer.write(b"x")
            assert await reader.readexactly(1) == b"x"
            assert asyncio.get_running_loop().time() - began >= 0.3

    async def test_the_end_of_the_server_arrives_after_its_data(self, tmp_path: Path) -> None:
        async def farewell(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            writer.write(b"bye")
            writer.close()
            await writer.wait_closed()

        async with (
            await asyncio.start_unix_server(farewell, tmp_path / "far"),
            slow_proxy(tmp_path / "near", tmp_path / "far") as proxy,
        ):
            proxy.slow_down(0.1)
            async with _client(tmp_path / "near") as (reader, _):
                assert await reader.read() == b"bye"

    async def test_an_unreachable_server_closes_the_connection(self, tmp_path: Path) -> None:
        async with (
            slow_proxy(tmp_path / "near", tmp_path / "nowhere"),
            _client(tmp_path / "near") as (reader, _),
        ):
            assert await reader.read() == b""
