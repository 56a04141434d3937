"""Gates that report calls, and the loops that keep the samples, run by hand."""

import itertools
import uuid
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta

import httpx
import pytest

from mlpcore import registry
from mlpcore.features.metrics.loops import Measures
from mlpcore.features.metrics.tiers import EPOCH
from mlpcore.state import CoreState
from mlplace_contracts.events import CallsSampled, Envelope, encode
from mlplace_contracts.internal.hosting import Enrolled, InstanceUse
from mlplace_kit.clock import ManualClock
from mlplace_runtime.bus.consumer import ConsumerRunner
from mlplace_runtime.bus.port import Delivered, Record
from mlplace_testing.agents import AgentTwin
from mlplace_testing.world import World

from .names import ACME, Hear, Measured, send, server_sample


@pytest.fixture
def clock() -> ManualClock:
    """Starts at the noon of a Wednesday: no day, month or daylight-saving time ends while a test moves it by hours."""
    return ManualClock(datetime(2026, 3, 11, 12, tzinfo=UTC))


@pytest.fixture(autouse=True)
def whole_hour(clock: ManualClock) -> None:
    """Periods begin and end at the times that the tests name."""
    clock.advance(timedelta(hours=1) - (clock.now() - EPOCH) % timedelta(hours=1))


@pytest.fixture
async def measures(state: CoreState) -> Measures:
    made = Measures(state)
    await made.keep_partitions()
    return made


@pytest.fixture
def hear(state: CoreState, measures: Measures) -> Hear:
    """Delivers events as the consumer's loop does, with the inbox."""
    consumer = next(found for make in registry.CONSUMERS if (found := make(state)).name == "mlpcore.samples")

    async def run(*events: CallsSampled) -> None:
        batch: list[Delivered] = []
        for event in events:
            envelope = Envelope(
                event_id=uuid.uuid4(),
                type_name=event.type_name,
                occurred_at=state.clock.now(),
                payload=event.model_dump(mode="json"),
            )
            record = Record(topic=event.topic.name, key=event.key, value=encode(envelope))
            batch.append(Delivered(record=record, partition=0, offset=0))
        await ConsumerRunner(consumer, state.database, bus=None).handle(batch)  # type: ignore[arg-type]  # no bus here

    return run


@pytest.fixture
async def model_id(client: httpx.AsyncClient, publisher: World) -> int:
    made = await client.post(f"{ACME}/model", json={"modelName": "ner"}, headers=publisher.owner)
    assert made.status_code == 200, made.text
    return int(made.json()["id"]["modelId"])


@pytest.fixture
def pass_time(clock: ManualClock, measures: Measures) -> Callable[[timedelta], Awaitable[None]]:
    """Moves the clock and lets the loops do what is due then."""

    async def run(by: timedelta) -> None:
        clock.advance(by)
        await measures.keep_partitions()
        await measures.turn()

    return run


@pytest.fixture
async def agent(client: httpx.AsyncClient, world: World) -> AgentTwin:
    body = {"groupName": "default", "serverName": "local"}
    made = await client.post("/internal/mlpcore/bootstrap/server", json=body, headers=world.internal)
    answer = await client.post("/api/mlpcore/hosting-server/enroll", json={"token": made.json()["enrolmentToken"]})
    twin = AgentTwin(client, Enrolled.model_validate_json(answer.content))
    await twin.beat()
    return twin


@pytest.fixture
async def instance(client: httpx.AsyncClient, publisher: World, agent: AgentTwin) -> int:
    image = {"name": "ner", "image": "acme/ner:1"}
    made = (await client.post(f"{ACME}/image", json=image, headers=publisher.owner)).json()["id"]
    body = {"modelName": "ner", "imageId": made["imageId"], "imageAccountId": made["accountId"],
            "hostingType": "INTERNAL"}  # fmt: skip
    assert (await client.post(f"{ACME}/model", json=body, headers=publisher.owner)).status_code == 200
    asked = await client.post(f"{ACME}/model/ner/instances", json=1, headers=publisher.owner)
    assert asked.status_code == 200, asked.text
    (found,) = await agent.beat()
    return found


@pytest.fixture
def measured(agent: AgentTwin, instance: int, measures: Measures) -> Measured:
    """Lets the agent report a sample of its server, with these uses of instances."""
    sequence = itertools.count()

    async def run(*uses: InstanceUse) -> None:
        await send(agent, instance, server_sample(next(sequence), *uses))

    return run
