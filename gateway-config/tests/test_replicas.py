"""Services have several addresses, which change while the edge runs."""

import asyncio
from collections.abc import AsyncIterator, Callable

import pytest
from upstream_twins import NameServer, Service
from wire import request

from mlplace_testing.servers.nginx import Nginx
from mlplace_testing.waiting import eventually

FIRST, SECOND, NOBODY = "127.0.0.2", "127.0.0.3", "127.0.0.4"


@pytest.fixture
async def replicas() -> AsyncIterator[list[Service]]:
    first = Service("first", FIRST)
    second = Service("second", SECOND, first.port)
    for replica in (first, second):
        await replica.start()
    yield [first, second]
    for replica in (first, second):
        await replica.stop()


class TestReplicas:
    async def test_a_service_that_moved_is_found_at_its_new_address(
        self, another_edge: Callable[..., Nginx], names: NameServer, replicas: list[Service]
    ) -> None:
        names.addresses["core.test"] = [FIRST]
        edge = another_edge(EDGE_RESOLVER=f"127.0.0.1:{names.port}", EDGE_MLPCORE=f"core.test:{replicas[0].port}")

        async def who() -> str:
            return (await request(edge.http_port, "/api/mlpcore/x")).json().get("service", "")

        await eventually(who, until=lambda name: name == "first")
        await replicas[0].stop()
        names.addresses["core.test"] = [SECOND]
        await eventually(who, until=lambda name: name == "second")

    async def test_a_call_to_a_dead_replica_goes_to_a_live_one(
        self, another_edge: Callable[..., Nginx], names: NameServer, replicas: list[Service]
    ) -> None:
        names.addresses["gateway.test"] = [FIRST, NOBODY]
        edge = another_edge(EDGE_RESOLVER=f"127.0.0.1:{names.port}", EDGE_MLPGATEWAY=f"gateway.test:{replicas[0].port}")

        async def call() -> int:
            return (await request(edge.http_port, "/api/mlpgateway/x", "POST", body=b"{}")).status

        await eventually(call, until=lambda status: status == 200)
        assert [await call() for _ in range(10)] == [200] * 10

    async def test_a_call_received_by_a_replica_is_not_resent(
        self, another_edge: Callable[..., Nginx], names: NameServer
    ) -> None:
        async def hang_up(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await reader.readuntil(b"\r\n\r\n")
            calls.append(writer.get_extra_info("sockname")[0])
            writer.close()

        calls: list[str] = []
        rude = await asyncio.start_server(hang_up, FIRST, 0)
        port = rude.sockets[0].getsockname()[1]
        as_rude = await asyncio.start_server(hang_up, SECOND, port)
        names.addresses["gateway.test"] = [FIRST, SECOND]
        edge = another_edge(EDGE_RESOLVER=f"127.0.0.1:{names.port}", EDGE_MLPGATEWAY=f"gateway.test:{port}")

        async def call() -> list[str]:
            assert (await request(edge.http_port, "/api/mlpgateway/x", "POST", body=b"{}")).status == 502
            return calls

        await eventually(call)
        assert len(calls) == 1
        rude.close()
        as_rude.close()
