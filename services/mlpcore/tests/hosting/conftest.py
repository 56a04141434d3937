"""A model with an image, and a server in the public group whose agent sends the reports of a test."""

from collections.abc import Awaitable, Callable

import httpx
import pytest

from mlpcore import registry
from mlpcore.features.instances.loops.reconciler import Reconciler
from mlpcore.state import CoreState
from mlplace_contracts.events import Event
from mlplace_contracts.internal.hosting import Enrolled
from mlplace_testing.agents import AgentTwin, GateTwin
from mlplace_testing.world import World

ACCOUNT = "/api/mlpcore/account/acme"


@pytest.fixture
async def model_id(client: httpx.AsyncClient, publisher: World) -> int:
    """The model `acme/greeting`, which runs on hosting servers."""
    image = {"name": "greeting", "image": "acme/greeting:1"}
    made = await client.post(f"{ACCOUNT}/image", json=image, headers=publisher.owner)
    assert made.status_code == 200, made.text
    body = {
        "modelName": "greeting",
        "imageId": made.json()["id"]["imageId"],
        "imageAccountId": made.json()["id"]["accountId"],
        "hostingType": "HOSTING_SERVER",
        "env": '{"GREETING": "it\'s $HOME", "API_SECRET": "s"}',
        "config": '{"a": 1}',
    }
    answer = await client.post(f"{ACCOUNT}/model", json=body, headers=publisher.owner)
    assert answer.status_code == 200, answer.text
    return int(answer.json()["id"]["modelId"])


@pytest.fixture
async def agent(client: httpx.AsyncClient, world: World) -> AgentTwin:
    body = {"groupName": "default", "serverName": "local"}
    made = await client.post("/internal/mlpcore/bootstrap/server", json=body, headers=world.internal)
    assert made.status_code == 200, made.text
    answer = await client.post("/api/mlpcore/hosting-server/enroll", json={"token": made.json()["enrolmentToken"]})
    assert answer.status_code == 200, answer.text
    enrolled = AgentTwin(client, Enrolled.model_validate_json(answer.content))
    await enrolled.beat()
    return enrolled


@pytest.fixture
def gate(state: CoreState, model_id: int, world: World) -> GateTwin:
    return GateTwin(account_id=world.acme.account_id, model_id=model_id, clock=state.clock)


@pytest.fixture
def told(state: CoreState) -> Callable[..., Awaitable[None]]:
    """Passes events to the consumer of connections in a transaction, as the consumer's loop does."""

    async def run(*events: Event) -> None:
        consumers = [make(state) for make in registry.CONSUMERS]
        consumer = next(consumer for consumer in consumers if consumer.name == "mlpcore.connections")
        async with state.database.transaction() as session:
            await consumer.handle(session, events)

    return run


@pytest.fixture
def reconciler(state: CoreState) -> Reconciler:
    return Reconciler(state)
