import asyncio

import pytest

from mlplace_agent.forwards import forwarding
from mlplace_testing.ports import free_port


async def _shout(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while data := await reader.read(100):
        writer.write(data.upper())
        await writer.drain()
    writer.close()


class TestForwarding:
    async def test_a_loopback_port_forwards_to_the_address(self) -> None:
        gate, port = await asyncio.start_server(_shout, "127.0.0.1", 0), free_port()
        async with gate, forwarding({port: f"127.0.0.1:{gate.sockets[0].getsockname()[1]}"}):
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(b"hello")
            assert await reader.readexactly(5) == b"HELLO"
            writer.close()

    async def test_an_unreachable_gate_closes_the_connection_but_not_the_port(self) -> None:
        port, away = free_port(), free_port()
        async with forwarding({port: f"127.0.0.1:{away}"}):
            for _ in range(2):
                reader, writer = await asyncio.open_connection("127.0.0.1", port)
                assert await reader.read() == b""
                writer.close()

    async def test_closes_connections_and_frees_the_port_at_the_end(self) -> None:
        gate, port = await asyncio.start_server(_shout, "127.0.0.1", 0), free_port()
        async with gate:
            async with forwarding({port: f"127.0.0.1:{gate.sockets[0].getsockname()[1]}"}):
                reader, writer = await asyncio.open_connection("127.0.0.1", port)
                writer.write(b"a")
                assert await reader.readexactly(1) == b"A"
            assert await reader.read() == b""
            writer.close()
            with pytest.raises(ConnectionRefusedError):
                await asyncio.open_connection("127.0.0.1", port)
