from collections.abc import AsyncGenerator

import httpx
import pytest
from fastapi import FastAPI

from mlpcore import registry
from mlpcore.main import MIGRATIONS, assemble
from mlpcore.settings import MlpcoreSettings
from mlpcore.state import CoreState
from mlplace_kit.clock import ManualClock
from mlplace_kit.credentials import KeyedHasher
from mlplace_runtime.db.database import Database
from mlplace_runtime.secrets import Vault
from mlplace_testing.identities import Identities
from mlplace_testing.plugin import DatabaseFactory
from mlplace_testing.web import client_for, internal_client_to


@pytest.fixture
async def database(database_factory: DatabaseFactory) -> AsyncGenerator[Database]:
    made = await database_factory("mlpcore", MIGRATIONS)
    opened = Database(made.service_url, application_name="test")
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
        internal=internal_client_to(),
        ports=registry.PORTS,
    )


@pytest.fixture
def app(state: CoreState, identities: Identities) -> FastAPI:
    """The whole service, without loops, asked by made-up users and keys."""
    return assemble(state, identities.authenticator)


@pytest.fixture
async def client(app: FastAPI) -> AsyncGenerator[httpx.AsyncClient]:
    async with client_for(app, service="mlpcore") as opened:
        yield opened
