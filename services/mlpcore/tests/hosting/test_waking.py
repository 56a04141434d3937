"""Calls wake models that have no instance."""

from collections.abc import Awaitable, Callable
from datetime import timedelta

import httpx
import pytest

from mlpcore import registry
from mlpcore.state import CoreState
from mlplace_contracts.events import Event, WakeUpWanted
from mlplace_testing.agents import AgentTwin
from mlplace_testing.world import World

MODEL = "/api/mlpcore/account/acme/model/greeting"
CALLER = 1000000002
Wanted = Callable[..., Awaitable[None]]


@pytest.fixture
def wanted(state: CoreState, model_id: int, world: World) -> Wanted:
    """Sends the event of a gate that calls wait for the model."""

    async def run(*, times: int = 1, age: timedelta = timedelta(0), **about: object) -> None:
        values = {
            "account_id": world.acme.account_id,
            "model_id": model_id,
            "caller_account_id": CALLER,
            "occurred_at": state.clock.now() - age,
            **about,
        }
        events: list[Event] = [WakeUpWanted.model_validate(values)] * times
        consumers = [make(state) for make in registry.CONSUMERS]
        consumer = next(consumer for consumer in consumers if consumer.name == "mlpcore.wake-ups")
        async with state.database.transaction() as session:
            await consumer.handle(session, events)

    return run


async def instances(client: httpx.AsyncClient, world: World) -> list[dict[str, object]]:
    return (await client.get(f"{MODEL}/instance", headers=world.owner)).json()["instances"]


class TestWakeUps:
    async def test_model_without_instances_gets_one_and_logs_the_caller(
        self, client: httpx.AsyncClient, publisher: World, agent: AgentTwin, wanted: Wanted
    ) -> None:
        await wanted(times=3)
        assert len(await agent.beat()) == 1
        logs = (await client.get(f"{MODEL}/logs", headers=publisher.owner)).json()
        (entry,) = [entry for entry in logs if entry["code"] == "WAKE_UP"]
        assert entry["args"] == {"causeAccountId": CALLER}

    async def test_starting_model_gets_no_further_instance(
        self, client: httpx.AsyncClient, publisher: World, agent: AgentTwin, wanted: Wanted
    ) -> None:
        await client.post(f"{MODEL}/instances", json=2, headers=publisher.owner)
        await wanted()
        assert len(await agent.beat()) == 2

    @pytest.mark.parametrize("about", [{"model_id": 999_999}, {"account_id": 999_999}, {"age": timedelta(minutes=11)}])
    async def test_event_of_an_unknown_model_or_account_or_a_stale_event_is_ignored(
        self, client: httpx.AsyncClient, publisher: World, wanted: Wanted, about: dict[str, object]
    ) -> None:
        await wanted(**about)
        assert await instances(client, publisher) == []

    async def test_external_model_is_not_started(
        self, client: httpx.AsyncClient, publisher: World, wanted: Wanted
    ) -> None:
        body = {"modelName": "greeting", "hostingType": "EXTERNAL"}
        changed = await client.post(MODEL, json=body, headers=publisher.owner)
        assert changed.status_code == 200, changed.text
        await wanted()
        assert await instances(client, publisher) == []

    async def test_wake_up_beyond_the_accounts_limit_is_ignored(
        self, client: httpx.AsyncClient, publisher: World, wanted: Wanted
    ) -> None:
        while (await client.post(f"{MODEL}/external", headers=publisher.owner)).status_code == 200:
            pass
        running = await instances(client, publisher)
        await wanted()
        assert await instances(client, publisher) == running

    async def test_wake_up_beyond_a_limit_of_resources_is_ignored(
        self, client: httpx.AsyncClient, publisher: World, agent: AgentTwin, wanted: Wanted
    ) -> None:
        limits = (await client.get("/api/mlpcore/account/acme", headers=publisher.owner)).json()["limits"]
        path = f"/api/mlpcore/admin/account/{publisher.acme.account_id}/limits"
        little = {**limits, "cpuLimit": "50m"}
        assert (await client.post(path, json=little, headers=publisher.admin)).status_code == 200
        await wanted()
        assert await instances(client, publisher) == []
