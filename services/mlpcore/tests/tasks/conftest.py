from collections.abc import AsyncGenerator

import pytest

from mlpcore.state import CoreState
from mlplace_kit.clock import ManualClock
from mlplace_runtime.db.database import Database

from .outside import Outside
from .workshop import Workshop


@pytest.fixture
def workshop(state: CoreState, database: Database, clock: ManualClock) -> Workshop:
    return Workshop(state, database, clock)


@pytest.fixture
async def outside(workshop: Workshop) -> AsyncGenerator[Outside]:
    made = Outside(workshop)
    yield made
    for runner in made.runners:
        await runner.works.close()
