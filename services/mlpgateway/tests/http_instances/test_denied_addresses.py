"""Hosts that owners name for their services: not one connection arrives at a server inside that counts them."""

from collections.abc import AsyncGenerator
from ipaddress import ip_network

import pytest

from mlpgateway.egress.rules import EgressRules
from mlpgateway.instances.http.client import Address, Pool
from mlpgateway.instances.http.health import Health
from mlplace_testing.addresses import THIS_HOST
from mlplace_testing.sink import Sink, open_sink


@pytest.fixture
async def sink() -> AsyncGenerator[Sink]:
    async with open_sink() as made:
        yield made


async def is_well(pool: Pool, host: str, port: int) -> bool:
    health = Health(pool, Address(host, port, trusted=False), "/")
    try:
        await health.turn()
    finally:
        await pool.close()
    return health.well


async def judged(world, instance_id: int) -> None:
    """Until the gate has tried to ask the instance: before, nothing would have reached it anyway."""
    await world.components.http_instances._watched[instance_id].health.look()


class TestDenied:
    @pytest.mark.parametrize("host", [host.strip("[]") for host in THIS_HOST])
    async def test_inside_in_all_ways_to_write_it(self, sink: Sink, host: str) -> None:
        assert not await is_well(Pool(EgressRules()), host, sink.port)
        assert sink.connections == 0

    async def test_names_that_lead_inside(self, sink: Sink) -> None:
        async def inside(_host: str, _port: int) -> list[str]:
            return ["127.0.0.1"]

        assert not await is_well(Pool(EgressRules(), look_up=inside), "ml.example.org", sink.port)
        assert sink.connections == 0

    async def test_names_that_lead_outside_first_and_inside_then(self, sink: Sink) -> None:
        """Each connection is judged by the address that it is made to."""
        answers = [["127.0.0.2"], ["127.0.0.1"], ["127.0.0.1", "127.0.0.2"]]

        async def rebinding(_host: str, _port: int) -> list[str]:
            return answers.pop(0)

        pool = Pool(EgressRules([ip_network("127.0.0.2/32")]), look_up=rebinding)
        health = Health(pool, Address("ml.example.org", sink.port, trusted=False), "/")
        for _ in range(3):
            await health.turn()
        assert (health.well, answers, sink.connections) == (False, [], 0)
        await pool.close()

    async def test_where_others_lead(self, sink: Sink) -> None:
        """A redirect of a permitted host is an answer, not a way."""
        sink.answer = f"HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:{sink.port}/\r\n\r\n".encode()
        assert await is_well(Pool(EgressRules([ip_network("127.0.0.1/32")])), "127.0.0.1", sink.port)
        assert sink.connections == 1

    @pytest.mark.parametrize("port", [22, 25, 111, 445, 1023])
    async def test_ports_of_system_services(self, port: int) -> None:
        async def outside(_host: str, _port: int) -> list[str]:
            raise AssertionError("it is not even looked up")

        assert not await is_well(Pool(EgressRules(), look_up=outside), "ml.example.org", port)


class TestAllowed:
    async def test_a_network_that_the_operator_allows(self, sink: Sink) -> None:
        assert await is_well(Pool(EgressRules([ip_network("127.0.0.0/8")])), "127.0.0.1", sink.port)


class TestServersOfTenants:
    """What they report is what tenants say; only the platform's own servers stand in networks of the platform."""

    async def test_cannot_point_inside(self, open_world, kit, instance, tools) -> None:
        async with open_world(instance_networks="127.0.0.0/8") as world:
            world.know(kit.model_changed(http=tools.HTTP), tools.told_of(7, instance.port, trusted=False))
            world.components.http_instances.open("127.0.0.1:1")
            await judged(world, 7)
            assert (world.components.http_instances.of_model(500), instance.asked) == ([], 0)
            world.know(tools.told_of(8, instance.port))
            await tools.reached(world)
            assert [link.instance_id for link in world.components.http_instances.of_model(500)] == [8]
            await world.components.http_instances.close()

    async def test_of_the_platform_need_a_network_that_is_allowed(self, open_world, kit, instance, tools) -> None:
        async with open_world(egress_allowed_networks="10.99.0.0/16") as world:
            world.know(kit.model_changed(http=tools.HTTP), tools.told_of(7, instance.port))
            world.components.http_instances.open("127.0.0.1:1")
            await judged(world, 7)
            refused = await world.client.get("/api/mlpgateway/account/acme/model/ner/http/x", headers=world.key())
            assert refused.status_code == 503
            assert instance.asked == 0
            await world.components.http_instances.close()
