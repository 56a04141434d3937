from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from mlplace_runtime.db.database import Database
from mlplace_testing.compiled import opened_database
from mlplace_testing.plugin import DatabaseFactory

MIGRATIONS = Path(__file__).parent / "migrations"


@pytest.fixture
async def database(database_factory: DatabaseFactory) -> AsyncGenerator[Database]:
    made = await database_factory("runtime", MIGRATIONS)
    opened = opened_database(made.service_url)
    yield opened
    await opened.close()
