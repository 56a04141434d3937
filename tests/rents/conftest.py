from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack
from functools import partial
from pathlib import Path

import httpx
import pytest

from mlpbilling.main import MIGRATIONS as BILLING_MIGRATIONS
from mlpbilling.main import SERVICE as BILLING
from mlpbilling.settings import MlpbillingSettings
from mlpbilling.state import BillingState
from mlpcore import registry
from mlpcore.identity import OwnAccounts
from mlpcore.main import MIGRATIONS as CORE_MIGRATIONS
from mlpcore.main import SERVICE as CORE
from mlpcore.settings import MlpcoreSettings
from mlpcore.state import CoreState
from mlplace_contracts.internal.hosting import Enrolled
from mlplace_contracts.internal.people import PersonAnswer
from mlplace_kit.clock import ManualClock
from mlplace_kit.credentials import KeyedHasher
from mlplace_kit.money import NANO
from mlplace_runtime.bus.local import LocalBus
from mlplace_runtime.secrets import Vault
from mlplace_testing.agents import AgentTwin
from mlplace_testing.compiled import opened_database
from mlplace_testing.databases import DatabaseFactory
from mlplace_testing.identities import Identities
from mlplace_testing.web import client_for, shared_app
from mlplace_testing.world import World, account_changed, world_of
from tests.rents.installation import Installation

PLATFORM = 1
PRICE = {"price": 1, "tarifficationPeriod": "HOUR", "currency": "RUBLE"}


class Somebody:
    """A test double of accountsadmin."""

    async def person(self, *, user_id: int) -> PersonAnswer:
        return PersonAnswer(person=f"person-{user_id}", confirmed=True)


async def _core(stack: AsyncExitStack, make: DatabaseFactory, clock: ManualClock, hasher: KeyedHasher) -> CoreState:
    urls = await make("mlpcore", CORE_MIGRATIONS)
    database = opened_database(urls.service_url)
    stack.push_async_callback(database.close)
    return CoreState(
        settings=MlpcoreSettings(database_url=urls.service_url),
        database=database,
        clock=clock,
        hasher=hasher,
        vault=Vault(bytes(32)),
        ports=registry.PORTS,
    )


async def _billing(stack: AsyncExitStack, make: DatabaseFactory, clock: ManualClock) -> BillingState:
    urls = await make("mlpbilling", BILLING_MIGRATIONS)
    database = opened_database(urls.service_url)
    stack.push_async_callback(database.close)
    settings = MlpbillingSettings(database_url=urls.service_url)
    return BillingState(settings=settings, database=database, clock=clock, people=Somebody())


async def _post(client: httpx.AsyncClient, path: str, body: object, headers: dict[str, str]) -> httpx.Response:
    answer = await client.post(path, json=body, headers=headers)
    assert answer.status_code == 200, answer.text
    return answer


async def _world(client: httpx.AsyncClient, state: CoreState, identities: Identities) -> World:
    acme, globex = identities.account(1000000001, "acme"), identities.account(1000000002, "globex")
    consumer = registry.CONSUMERS[0](state)
    for entry in (identities.account(PLATFORM, "platform"), acme, globex):
        async with state.database.transaction() as session:
            await consumer.handle(session, [account_changed(entry)])
    world = world_of(identities, acme, globex)
    for entry in (acme, globex):
        features = {"account_id": entry.account_id, "features": ["mlp.public_model_admin"]}
        await _post(client, "/internal/mlpcore/bootstrap/account", features, world.internal)
    image = await _post(
        client, "/api/mlpcore/account/acme/image", {"name": "greeting", "image": "acme/greeting:1"}, world.owner
    )
    found = image.json()["id"]
    where = {"imageId": found["imageId"], "imageAccountId": found["accountId"], "hostingType": "HOSTING_SERVER"}
    await _post(client, "/api/mlpcore/account/acme/model", {"modelName": "greeting", **where}, world.owner)
    return world


async def _server(client: httpx.AsyncClient, world: World) -> AgentTwin:
    """The only server of the platform's group, which has a price."""
    body = {"groupName": "default", "serverName": "local"}
    made = await _post(client, "/internal/mlpcore/bootstrap/server", body, world.internal)
    token = {"token": made.json()["enrolmentToken"]}
    enrolled = await _post(client, "/api/mlpcore/hosting-server/enroll", token, {})
    agent = AgentTwin(client, Enrolled.model_validate_json(enrolled.content))
    await agent.beat()
    await _post(client, f"/api/mlpcore/account/{PLATFORM}/resource-groups/default", PRICE, world.admin)
    return agent


@pytest.fixture
async def installation(
    database_factory: DatabaseFactory, clock: ManualClock, hasher: KeyedHasher, identities: Identities, tmp_path: Path
) -> AsyncGenerator[Installation]:
    async with AsyncExitStack() as stack:
        core_state = await _core(stack, database_factory, clock, hasher)
        billing_state = await _billing(stack, database_factory, clock)
        accounts = OwnAccounts(core_state.database)
        core_app = CORE.assemble(
            core_state, identities.authenticator, accounts, build=partial(shared_app, CORE.build_app)
        )
        billing_app = BILLING.assemble(
            billing_state, identities.authenticator, identities, build=partial(shared_app, BILLING.build_app)
        )
        core = await stack.enter_async_context(client_for(core_app, service="mlpcore"))
        billing = await stack.enter_async_context(client_for(billing_app, service="mlpbilling"))
        world = await _world(core, core_state, identities)
        path = tmp_path / "bus.sqlite3"
        made = Installation(
            core=core,
            core_state=core_state,
            billing=billing,
            billing_state=billing_state,
            bus=await stack.enter_async_context(LocalBus(path)),
            bus_path=path,
            clock=clock,
            world=world,
            agent=await _server(core, world),
        )
        for entry in (world.acme, world.globex):
            await made.refill(entry.account_id, 1000 * NANO)
        await made.ship()  # what has nothing to do with rents
        yield made
