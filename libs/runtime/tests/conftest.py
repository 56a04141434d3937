from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from mlplace_runtime.db.database import Database
from mlplace_testing.plugin import DatabaseFactory

MIGRATIONS = Path(__file__).parent / "migrations"


@pytest.fixture
async def database(database_factory: DatabaseFactory) -> AsyncGenerator[Database]:
    made = await database_factory("runtime", MIGRATIONS)
    opened = Database(made.service_url, application_name="test")
    yield opened
    await opened.close()
