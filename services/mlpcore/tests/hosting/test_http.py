"""The HTTP addresses of instances, reported by servers or set by the owner of an external connection."""

from collections.abc import Awaitable, Callable

import httpx
import pytest

from mlpcore.features.providers.hosting_server.reports import http_of
from mlplace_contracts.events import InstanceChanged, InstanceHttp, ModelChanged, ModelHttp
from mlplace_contracts.internal.hosting import ReportedPhase
from mlplace_runtime.db.database import Database
from mlplace_testing.agents import AgentTwin, GateTwin, report
from mlplace_testing.events import published
from mlplace_testing.world import World

MODEL = "/api/mlpcore/account/acme/model/greeting"
P = ReportedPhase
HTTP = {"isHttpEnabled": True, "httpPort": 8080, "mainPageEndpoint": "/up", "httpInterfaceOnly": True}


@pytest.fixture
async def over_http(client: httpx.AsyncClient, publisher: World, model_id: int) -> int:
    answer = await client.post(f"{MODEL}/http", json=HTTP, headers=publisher.owner)
    assert answer.status_code == 200, answer.text
    return model_id


async def newest(database: Database) -> InstanceChanged:
    return max(await published(database, InstanceChanged), key=lambda event: event.version)


class TestSettings:
    async def test_http_settings_reach_the_gates(self, over_http: int, database: Database) -> None:
        event = (await published(database, ModelChanged))[-1]
        assert event.http == ModelHttp(port=8080, page="/up", only=True)

    async def test_main_page_defaults_to_health(
        self, client: httpx.AsyncClient, publisher: World, model_id: int, database: Database
    ) -> None:
        await client.post(f"{MODEL}/http", json={"isHttpEnabled": True, "httpPort": 1}, headers=publisher.owner)
        assert (await published(database, ModelChanged))[-1].http == ModelHttp(port=1, page="/health", only=False)

    async def test_disabled_settings_are_published_as_none(
        self, client: httpx.AsyncClient, publisher: World, over_http: int, database: Database
    ) -> None:
        await client.post(f"{MODEL}/http", json={**HTTP, "isHttpEnabled": False}, headers=publisher.owner)
        assert (await published(database, ModelChanged))[-1].http is None


class TestServer:
    async def test_server_gets_the_port_and_reports_the_address(
        self, client: httpx.AsyncClient, publisher: World, over_http: int, agent: AgentTwin, database: Database
    ) -> None:
        await client.post(f"{MODEL}/instances", json=1, headers=publisher.owner)
        ((number, desired),) = (await agent.beat()).items()
        assert desired.http_port == 8080
        told = report(number, P.RUNNING, http_host="10.0.0.7", http_port=40_001)
        await agent.beat(told)
        assert (await newest(database)).http == InstanceHttp(host="10.0.0.7", port=40_001, trusted=True)
        before = len(await published(database, InstanceChanged))
        await agent.beat(told)
        assert len(await published(database, InstanceChanged)) == before

    async def test_ended_run_removes_the_address(
        self, client: httpx.AsyncClient, publisher: World, over_http: int, agent: AgentTwin, database: Database
    ) -> None:
        await client.post(f"{MODEL}/instances", json=1, headers=publisher.owner)
        (number,) = await agent.beat()
        await agent.beat(report(number, P.RUNNING, http_host="10.0.0.7", http_port=40_001))
        await agent.beat(report(number, P.BACKOFF, http_host="10.0.0.7", http_port=40_001, exit_code=1))
        assert (await newest(database)).http is None

    @pytest.mark.parametrize(
        ("host", "port"), [("a b", 1), ("a\n", 1), ("", 1), ("x" * 256, 1), ("a", 0), ("a", 70_000), ("a", None)]
    )
    def test_invalid_reported_address_is_ignored(self, host: str, port: int | None) -> None:
        assert http_of(report(1, P.RUNNING, http_host=host, http_port=port), trusted=False) is None


class TestState:
    async def test_model_is_running_while_a_gate_reaches_it(
        self,
        client: httpx.AsyncClient,
        publisher: World,
        over_http: int,
        agent: AgentTwin,
        gate: GateTwin,
        told: Callable[..., Awaitable[None]],
    ) -> None:
        await client.post(f"{MODEL}/instances", json=1, headers=publisher.owner)
        (number,) = await agent.beat()
        found = gate.connected(number, hostname="", sdk_version=0, image_name="")
        await told(found)
        assert (await client.get(f"{MODEL}/status", headers=publisher.owner)).json()["state"] == "RUNNING"
        await told(gate.lost(found))
        assert (await client.get(f"{MODEL}/status", headers=publisher.owner)).json()["state"] == "STARTING"


class TestExternal:
    async def test_owner_sets_host_and_port(
        self, client: httpx.AsyncClient, publisher: World, over_http: int, database: Database
    ) -> None:
        query = "httpHost=ml.example.org&httpPort=443"
        made = (await client.post(f"{MODEL}/external?{query}", headers=publisher.owner)).json()
        assert (made["httpHost"], made["httpPort"]) == ("ml.example.org", 443)
        assert (await newest(database)).http == InstanceHttp(host="ml.example.org", port=443, trusted=False)

    @pytest.mark.parametrize("host", ["ml.example.org.", "my_app", "ML-1.example", "192.0.2.1", "2001:db8::1"])
    async def test_names_and_addresses_are_hosts(
        self, client: httpx.AsyncClient, publisher: World, over_http: int, host: str
    ) -> None:
        made = await client.post(f"{MODEL}/external", params={"httpHost": host}, headers=publisher.owner)
        assert made.json()["httpHost"] == host

    async def test_port_defaults_to_the_models_settings(
        self, client: httpx.AsyncClient, publisher: World, over_http: int
    ) -> None:
        made = (await client.post(f"{MODEL}/external?httpHost=ml.example.org", headers=publisher.owner)).json()
        assert made["httpPort"] == 8080

    async def test_port_without_a_host_is_refused(
        self, client: httpx.AsyncClient, publisher: World, over_http: int
    ) -> None:
        refused = await client.post(f"{MODEL}/external?httpPort=443", headers=publisher.owner)
        assert (refused.status_code, "httpHost" in refused.text) == (400, True)

    async def test_host_is_refused_for_a_model_without_http(
        self, client: httpx.AsyncClient, publisher: World, model_id: int
    ) -> None:
        refused = await client.post(f"{MODEL}/external?httpHost=ml.example.org", headers=publisher.owner)
        assert (refused.status_code, "httpHost" in refused.text) == (400, True)

    async def test_application_gets_a_connection_without_an_address(
        self, client: httpx.AsyncClient, publisher: World, over_http: int
    ) -> None:
        made = await client.post(f"{MODEL}/external-application", headers=publisher.owner)
        assert made.status_code == 200
        assert made.json()["envVariables"]["MLP_SERVICE_TOKEN"]
        assert len((await client.get(f"{MODEL}/external", headers=publisher.owner)).json()) == 1
