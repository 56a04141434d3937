"""Parts pass as they arrive, in both directions.

The fakes send a part only after the test has read the previous one.
"""

import asyncio
from collections.abc import Callable

import httpx
import pytest
from upstream_twins import STREAM_PARTS, Service
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus
from wire import Answer, parse, request

from mlplace_testing.servers.nginx import Nginx
from mlplace_testing.waiting import eventually

STREAMED = (
    "/api/mlpgateway/account/a/model/m/predict-with-config-v2-stream",
    "/api/mlpgate/account/a/model/m/predict-with-config-v2-stream",
    "/api/adapters/openai/chat/completions",
    "/p/a/b",
)


class TestAnswers:
    @pytest.mark.parametrize("path", STREAMED)
    async def test_five_parts_arrive_as_five_reads(
        self, client: httpx.AsyncClient, services: dict[str, Service], path: str
    ) -> None:
        parts: list[bytes] = []
        async with asyncio.timeout(60), client.stream("POST", f"{path}?twin=stream") as answer:
            services["mlpgateway"].next_part.release()
            async for part in answer.aiter_raw():
                parts.append(part)
                services["mlpgateway"].next_part.release()
        # No part waits for the last release.
        await services["mlpgateway"].next_part.acquire()
        assert parts == [b"part %d\n" % number for number in range(STREAM_PARTS)]


class TestUploads:
    @pytest.mark.parametrize("path", ["/api/mlpgateway/account/a/model/m/predict", "/p/a/b"])
    async def test_a_body_reaches_the_service_while_it_is_sent(
        self, edge: Nginx, services: dict[str, Service], path: str
    ) -> None:
        gateway = services["mlpgateway"]
        gateway.body_began.clear()
        reader, writer = await asyncio.open_connection("127.0.0.1", edge.http_port)
        head = f"POST {path}?twin=count HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 200000\r\n\r\n"
        writer.write(head.encode() + b"a" * 100_000)
        async with asyncio.timeout(60):
            await gateway.body_began.wait()
            writer.write(b"b" * 100_000)
            answer = parse(await reader.read())
        writer.close()
        assert answer.json() == {"received": 200_000}

    async def test_a_hundred_mebibytes_pass(self, client: httpx.AsyncClient) -> None:
        answer = await client.post("/api/mlpgateway/x?twin=count", content=bytes(100 * 1024 * 1024), timeout=60)
        assert answer.json() == {"received": 100 * 1024 * 1024}

    async def test_a_chunked_body_passes(self, client: httpx.AsyncClient) -> None:
        async def parts():
            for _ in range(3):
                yield b"x" * 1000

        assert (await client.post("/api/mlpgateway/x?twin=count", content=parts())).json() == {"received": 3000}


class TestConnections:
    @pytest.mark.parametrize("name", ["accountsadmin", "mlpcore", "mlpgateway", "mlpbilling"])
    async def test_client_and_upstream_connections_are_kept_alive(
        self, edge: Nginx, services: dict[str, Service], name: str
    ) -> None:
        before = len(services[name].seen)
        reader, writer = await asyncio.open_connection("127.0.0.1", edge.http_port)
        for _ in range(20):
            writer.write(f"GET /api/{name}/kept HTTP/1.1\r\nHost: x\r\n\r\n".encode())
            async with asyncio.timeout(60):
                assert (await _read_one(reader)).status == 200
        writer.close()
        # Connections to gates live for seconds; on a busy machine twenty requests may take as long.
        assert len({seen.peer for seen in services[name].seen[before:]}) <= (3 if name == "mlpgateway" else 1)

    async def test_a_connection_to_a_gate_is_replaced_after_seconds_while_in_use(
        self, client: httpx.AsyncClient, services: dict[str, Service]
    ) -> None:
        """A stopping gate relies on this to lose no call."""
        before = len(services["mlpgateway"].seen)

        async def peers() -> int:
            await client.post("/api/mlpgateway/x", content=b"{}")
            return len({seen.peer for seen in services["mlpgateway"].seen[before:]})

        await eventually(peers, until=lambda seen: seen > 1)

    async def test_an_idle_connection_to_a_gate_is_closed_by_the_edge_within_seconds(
        self, another_edge: Callable[..., Nginx]
    ) -> None:
        ended = asyncio.Event()

        async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await reader.readuntil(b"\r\n\r\n")
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
            assert await reader.read() == b""
            ended.set()
            writer.close()

        async with await asyncio.start_server(serve, "127.0.0.1", 0) as twin:
            edge = another_edge(EDGE_MLPGATEWAY=f"127.0.0.1:{twin.sockets[0].getsockname()[1]}")
            assert (await request(edge.http_port, "/api/mlpgateway/x")).status == 200
            async with asyncio.timeout(60):
                await ended.wait()

    async def test_a_caller_that_closes_its_sending_side_has_left(self, another_edge: Callable[..., Nginx]) -> None:
        got, left = asyncio.Event(), asyncio.Event()

        async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await reader.readuntil(b"\r\n\r\n")
            got.set()
            assert await reader.read() == b"{}", "then the edge closes the connection"
            left.set()
            writer.close()

        async with await asyncio.start_server(serve, "127.0.0.1", 0) as twin:
            edge = another_edge(EDGE_MLPGATEWAY=f"127.0.0.1:{twin.sockets[0].getsockname()[1]}")
            reader, writer = await asyncio.open_connection("127.0.0.1", edge.http_port)
            writer.write(b"POST /api/mlpgateway/x HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}")
            async with asyncio.timeout(60):
                await got.wait()  # the edge sends nothing for a caller who has left already
                writer.write_eof()
                await left.wait()
                assert await reader.read() == b""
            writer.close()

    @pytest.mark.parametrize(
        "path",
        ["/api/mlpcore/console", "/api/mlpgate/console", "/api/mlpgateway/account/a/model/m/http",
         "/api/mlpgateway/account/a/model/m/http/talk", "/api/mlpgateway/application/pass/_stcore/stream"],
    )  # fmt: skip
    async def test_a_web_socket_carries_messages_both_ways(self, edge: Nginx, path: str) -> None:
        async with asyncio.timeout(60), connect(f"ws://127.0.0.1:{edge.http_port}{path}", proxy=None) as socket:
            for text in ("ls -l", "привет"):
                await socket.send(text)
                assert await socket.recv() == text

    @pytest.mark.parametrize(
        "path",
        ["/api/mlpgateway/account/a/model/m/tts?text=hi", "/api/mlpgate/account/a/model/m/tts?text=hi",
         "/api/adapters/openai/models"],
    )  # fmt: skip
    async def test_a_handshake_reaches_the_gateway_as_one(self, edge: Nginx, path: str) -> None:
        """The gateway refuses it; a GET would be a call. The service here accepts all."""
        async with asyncio.timeout(60), connect(f"ws://127.0.0.1:{edge.http_port}{path}", proxy=None) as socket:
            await socket.send("hi")
            assert await socket.recv() == "hi"

    @pytest.mark.parametrize("path", ["/p/a/b", "/api/accountsadmin/c/sessions", "/api/mlpbilling/x"])
    async def test_other_addresses_cannot_become_web_sockets(self, edge: Nginx, path: str) -> None:
        with pytest.raises(InvalidStatus):
            await connect(f"ws://127.0.0.1:{edge.http_port}{path}", proxy=None)


async def _read_one(reader: asyncio.StreamReader) -> Answer:
    """One answer from a connection that stays open."""
    head = await reader.readuntil(b"\r\n\r\n")
    answer = parse(head.replace(b"transfer-encoding: chunked\r\n", b""))
    if length := answer.headers.get("content-length"):
        return Answer(answer.status, answer.headers, await reader.readexactly(int(length)))
    body = await reader.readuntil(b"0\r\n\r\n")
    return Answer(answer.status, answer.headers, body)
