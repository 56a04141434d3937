"""An AUTOMATIC model on one server, a gate that reports its calls, and the loops of autoscaling, run by hand."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import pytest

from mlpcore import registry
from mlpcore.features.autoscaling.scaler import Autoscaler
from mlpcore.features.metrics.loops import Measures
from mlpcore.features.metrics.tiers import EPOCH
from mlpcore.features.tasks.runner import TaskRunner
from mlpcore.state import CoreState
from mlplace_contracts.events import CallsSampled, Event
from mlplace_contracts.internal.hosting import Enrolled, ReportedPhase
from mlplace_kit.clock import ManualClock
from mlplace_testing.agents import AgentTwin, GateTwin, report
from mlplace_testing.gate_samples import Gate, sample
from mlplace_testing.world import World

ACCOUNT = "/api/mlpcore/account/acme"
MODEL = f"{ACCOUNT}/model/greeting"
SMALL = {"cpuRequest": "100m", "memoryLimit": "100Mi", "ephemeralDiskLimit": "100Mi"}


@pytest.fixture
def clock() -> ManualClock:
    """Starts at the noon of a Wednesday: no day, month or daylight-saving time ends while a test moves it by hours."""
    return ManualClock(datetime(2026, 3, 11, 12, tzinfo=UTC))


@dataclass
class Site:
    """`told` passes events to a consumer as its loop does."""

    client: httpx.AsyncClient
    world: World
    state: CoreState
    clock: ManualClock
    scaler: Autoscaler
    agent: AgentTwin
    gate: Gate
    links: GateTwin
    model_id: int
    running: Sequence[int] = ()

    async def told(self, consumer: str, *events: Event) -> None:
        found = next(made for make in registry.CONSUMERS if (made := make(self.state)).name == consumer)
        async with self.state.database.transaction() as session:
            await found.handle(session, events)

    async def configure(self, **scaling: object) -> None:
        values = {
            "enabled": True,
            "minInstanceCount": 1,
            "maxInstanceCount": 5,
            "cooldownDurationMinutes": 5,
            **scaling,
        }
        body = {"modelName": "greeting", "hostingType": "AUTOMATIC", "autoScalingConfiguration": values}
        answer = await self.client.post(MODEL, json=body, headers=self.world.owner)
        assert answer.status_code == 200, answer.text
        await self.scaler.register()

    async def live_in(self, zone: str) -> None:
        """Changes the time zone of the account."""
        mine = "/api/mlpcore/account"
        account = (await self.client.get(mine, headers=self.world.owner)).json()
        answer = await self.client.post(mine, json=account | {"timeZone": zone}, headers=self.world.owner)
        assert answer.status_code == 200, answer.text

    async def request(self, count: int) -> None:
        answer = await self.client.post(f"{MODEL}/instances", json=count, headers=self.world.owner)
        assert answer.status_code == 200, answer.text

    async def requested(self) -> int:
        answer = await self.client.get(f"{MODEL}/instances", headers=self.world.owner)
        return int(answer.json()["internalRequested"])

    async def connect(self) -> Sequence[int]:
        """All instances that the server should run become connected. Returns them."""
        wanted = await self.beat()
        for number in wanted:
            await self.told("mlpcore.connections", self.links.connected(number))
        self.running = wanted
        return await self.beat()

    async def beat(self) -> Sequence[int]:
        """The agent reports. Returns the instances that it should run."""
        found = await self.agent.beat(*(report(number, ReportedPhase.RUNNING) for number in self.running))
        return [number for number, each in found.items() if not each.stop]

    async def measure(self, seconds: int = 60, **values: object) -> None:
        """The gate reports these calls in each interval of 10 s."""
        for _ in range(seconds // 10):
            self.clock.advance(timedelta(seconds=10))
            samples = [sample(self.model_id, **values)] if values else []
            await self.hear(self.gate.report(self.clock.now(), *samples))
        self.clock.advance(timedelta(seconds=2))

    async def hear(self, event: CallsSampled) -> None:
        await self.told("mlpcore.samples", event)

    async def decide(self) -> int:
        """Looks at the models that are due: 15 s after the last time. Returns the requested number."""
        await self.beat()
        await self.scaler.turn()
        return await self.requested()

    async def read(self, path: str) -> Any:
        answer = await self.client.get(f"{MODEL}{path}", headers=self.world.owner)
        assert answer.status_code == 200, answer.text
        return answer.json()


@pytest.fixture
async def site(client: httpx.AsyncClient, publisher: World, state: CoreState, clock: ManualClock) -> Site:
    clock.advance(timedelta(hours=1) - (clock.now() - EPOCH) % timedelta(hours=1))
    await Measures(state).keep_partitions()
    body = {"groupName": "default", "serverName": "local"}
    made = await client.post("/internal/mlpcore/bootstrap/server", json=body, headers=publisher.internal)
    enrolled = await client.post("/api/mlpcore/hosting-server/enroll", json={"token": made.json()["enrolmentToken"]})
    agent = AgentTwin(client, Enrolled.model_validate_json(enrolled.content))
    await agent.beat()
    image = (
        await client.post(f"{ACCOUNT}/image", json={"name": "i", "image": "a/i:1"}, headers=publisher.owner)
    ).json()
    body = {
        "modelName": "greeting",
        "imageId": image["id"]["imageId"],
        "imageAccountId": image["id"]["accountId"],
        "hostingType": "AUTOMATIC",
        "resourceLimits": SMALL,
    }
    model = await client.post(f"{ACCOUNT}/model", json=body, headers=publisher.owner)
    assert model.status_code == 200, model.text
    model_id = int(model.json()["id"]["modelId"])
    links = GateTwin(account_id=publisher.acme.account_id, model_id=model_id, clock=clock)
    return Site(client, publisher, state, clock, Autoscaler(state), agent, Gate(), links, model_id)


@pytest.fixture
def runner(state: CoreState) -> TaskRunner:
    return TaskRunner(state, registry.TASKS)
