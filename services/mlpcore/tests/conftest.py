from collections.abc import AsyncGenerator, Generator
from functools import partial

import httpx
import pytest
from fastapi import FastAPI

from mlpcore import registry
from mlpcore.features.accounts.dependencies import account_service_of
from mlpcore.identity import OwnAccounts
from mlpcore.main import MIGRATIONS, SERVICE
from mlpcore.settings import MlpcoreSettings
from mlpcore.state import CoreState
from mlplace_contracts.enums import Feature
from mlplace_contracts.events import AccountChanged
from mlplace_kit.clock import ManualClock
from mlplace_kit.credentials import KeyedHasher
from mlplace_runtime.db.database import Database
from mlplace_runtime.db.times import process_time
from mlplace_runtime.secrets import Vault
from mlplace_testing.compiled import opened_database
from mlplace_testing.identities import Identities
from mlplace_testing.plugin import DatabaseFactory
from mlplace_testing.post import Post
from mlplace_testing.statements import Statements, counted_statements
from mlplace_testing.web import client_for, shared_app
from mlplace_testing.world import Teller, World, account_changed, world_of


@pytest.fixture
def post() -> Post:
    return Post()


@pytest.fixture
async def database(database_factory: DatabaseFactory) -> AsyncGenerator[Database]:
    made = await database_factory("mlpcore", MIGRATIONS)
    opened = opened_database(made.service_url)
    yield opened
    await opened.close()


@pytest.fixture
def state(database: Database, clock: ManualClock, hasher: KeyedHasher) -> CoreState:
    return CoreState(
        settings=MlpcoreSettings(database_url=database.url),
        database=database,
        clock=clock,
        hasher=hasher,
        vault=Vault(bytes(32)),
        ports=registry.PORTS,
        shared_time=process_time,
    )


@pytest.fixture
def app(state: CoreState, identities: Identities) -> FastAPI:
    """The whole service without loops, with the users and keys of `identities`."""
    accounts, build = OwnAccounts(state.database), partial(shared_app, SERVICE.build_app)
    return SERVICE.assemble(state, identities.authenticator, accounts, build=build)


@pytest.fixture
async def client(app: FastAPI) -> AsyncGenerator[httpx.AsyncClient]:
    async with client_for(app, service="mlpcore") as opened:
        yield opened


@pytest.fixture
def tell(state: CoreState) -> Teller:
    """Passes events to the consumer of accounts in a transaction, as the consumer's loop does."""

    async def run(*events: AccountChanged) -> None:
        consumer = registry.CONSUMERS[0](state)
        async with state.database.transaction() as session:
            await consumer.handle(session, events)

    return run


@pytest.fixture
async def world(identities: Identities, tell: Teller) -> World:
    acme, globex = identities.account(1000000001, "acme"), identities.account(1000000002, "globex")
    await tell(account_changed(acme), account_changed(globex))
    return world_of(identities, acme, globex)


@pytest.fixture
async def publisher(state: CoreState, world: World) -> World:
    """Both accounts have the feature that allows publication and billing."""
    async with state.database.transaction() as session:
        accounts = account_service_of(session, state)
        for entry in (world.acme, world.globex):
            await accounts.bootstrap(account_id=entry.account_id, features=[Feature.PUBLIC_MODEL_ADMIN], limits=None)
    return world


@pytest.fixture
def statements(database: Database) -> Generator[Statements]:
    with counted_statements(database) as counted:
        yield counted
