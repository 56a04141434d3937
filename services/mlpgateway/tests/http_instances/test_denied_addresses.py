"""Hosts that owners set for their models: no connection reaches an internal server that counts them."""

from collections.abc import AsyncGenerator
from ipaddress import ip_network

import pytest

from mlpgateway.egress.rules import EgressRules
from mlpgateway.instances.http.client.address import Address
from mlpgateway.instances.http.client.client import HttpClient
from mlpgateway.instances.http.health import Health
from mlplace_testing.addresses import THIS_HOST
from mlplace_testing.sink import Sink, open_sink


@pytest.fixture
async def sink() -> AsyncGenerator[Sink]:
    async with open_sink() as made:
        yield made


async def is_well(client: HttpClient, host: str, port: int) -> bool:
    health = Health(client.pool(Address(host, port, trusted=False)), "/")
    try:
        await health.turn()
    finally:
        await client.close()
    return health.well


async def judged(world, instance_id: int) -> None:
    """Waits until the gate has tried to check the instance: before that, nothing could have reached it anyway."""
    await world.components.http_instances._watched[instance_id].health.look()


class TestDenied:
    @pytest.mark.parametrize("host", [host.strip("[]") for host in THIS_HOST])
    async def test_internal_address_is_refused_in_every_notation(self, sink: Sink, host: str) -> None:
        assert not await is_well(HttpClient(EgressRules()), host, sink.port)
        assert sink.connections == 0

    async def test_name_of_an_internal_address_is_refused(self, sink: Sink) -> None:
        async def inside(_host: str, _port: int) -> list[str]:
            return ["127.0.0.1"]

        assert not await is_well(HttpClient(EgressRules(), look_up=inside), "ml.example.org", sink.port)
        assert sink.connections == 0

    async def test_name_that_changes_to_an_internal_address_is_refused(self, sink: Sink) -> None:
        """Each connection is checked by the address to which it is made."""
        answers = [["127.0.0.2"], ["127.0.0.1"], ["127.0.0.1", "127.0.0.2"]]

        async def rebinding(_host: str, _port: int) -> list[str]:
            return answers.pop(0)

        client = HttpClient(EgressRules([ip_network("127.0.0.2/32")]), look_up=rebinding)
        health = Health(client.pool(Address("ml.example.org", sink.port, trusted=False)), "/")
        for _ in range(3):
            await health.turn()
        assert (health.well, answers, sink.connections) == (False, [], 0)
        await client.close()

    async def test_redirect_to_an_internal_address_is_not_followed(self, sink: Sink) -> None:
        """A redirect of a permitted host is an answer, and is not followed."""
        sink.answer = f"HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:{sink.port}/\r\n\r\n".encode()
        assert await is_well(HttpClient(EgressRules([ip_network("127.0.0.1/32")])), "127.0.0.1", sink.port)
        assert sink.connections == 1

    @pytest.mark.parametrize("port", [22, 25, 111, 445, 1023])
    async def test_ports_of_system_services_are_refused(self, port: int) -> None:
        async def outside(_host: str, _port: int) -> list[str]:
            raise AssertionError("it is not even looked up")

        assert not await is_well(HttpClient(EgressRules(), look_up=outside), "ml.example.org", port)


class TestAllowed:
    async def test_operator_can_allow_a_network(self, sink: Sink) -> None:
        assert await is_well(HttpClient(EgressRules([ip_network("127.0.0.0/8")])), "127.0.0.1", sink.port)


class TestServersOfTenants:
    """What they report comes from tenants; only the platform's own servers may be in its internal networks."""

    async def test_tenants_server_cannot_report_an_internal_address(self, open_world, kit, instance, tools) -> None:
        async with open_world(instance_networks="127.0.0.0/8") as world:
            world.know(kit.model_changed(http=tools.HTTP), tools.told_of(7, instance.port, trusted=False))
            world.components.http_instances.open("127.0.0.1:1")
            await judged(world, 7)
            assert (world.components.http_instances.of_model(500), instance.asked) == ([], 0)
            world.know(tools.told_of(8, instance.port))
            await tools.reached(world)
            assert [link.instance_id for link in world.components.http_instances.of_model(500)] == [8]
            await world.components.http_instances.close()

    async def test_platforms_server_needs_an_allowed_network(self, open_world, kit, instance, tools) -> None:
        async with open_world(egress_allowed_networks="10.99.0.0/16") as world:
            world.know(kit.model_changed(http=tools.HTTP), tools.told_of(7, instance.port))
            world.components.http_instances.open("127.0.0.1:1")
            await judged(world, 7)
            refused = await world.client.get("/api/mlpgateway/account/acme/model/ner/http/x", headers=world.key())
            assert refused.status_code == 503
            assert instance.asked == 0
            await world.components.http_instances.close()
