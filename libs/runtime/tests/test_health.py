"""Tests the answer of `/health/ready` for each combination of unavailable parts."""

from collections.abc import AsyncGenerator
from pathlib import Path

import httpx
import pytest

from mlplace_kit.clock import ManualClock
from mlplace_runtime.bus.local import LocalBus
from mlplace_runtime.db.database import Database
from mlplace_runtime.service import Runtime
from mlplace_runtime.web.app import attach, create_app
from mlplace_testing.identities import Identities
from mlplace_testing.web import client_for

_LATE = {"identities": "still reading"}
_AWAY = "the brokers are away"
_NOWHERE = "postgresql+asyncpg://nobody@/nothing?host=/nowhere"


class _Bus(LocalBus):
    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self.wrong: str | None = None

    def trouble(self) -> str | None:
        return self.wrong


class _Service:
    """A service whose parts can be made unavailable."""

    def __init__(self, bus: _Bus) -> None:
        self.bus = bus
        self.needed: dict[str, str] = {}
        self.late: dict[str, str] = {}

    def runtime(self, database: Database, identities: Identities, clock: ManualClock) -> Runtime:
        return Runtime(
            "test",
            database,
            identities.authenticator,
            identities,
            clock,
            lambda: self.needed,
            lambda: self.late,
            self.bus,
        )


@pytest.fixture
def service(tmp_path: Path) -> _Service:
    return _Service(_Bus(tmp_path / "bus.sqlite3"))


@pytest.fixture
async def client(
    service: _Service, database: Database, identities: Identities, clock: ManualClock
) -> AsyncGenerator[httpx.AsyncClient]:
    app = create_app(name="test", title="Test", version="1", routers=[])
    attach(app, service.runtime(database, identities, clock))
    async with client_for(app) as opened:
        yield opened


async def _answer(client: httpx.AsyncClient) -> tuple[int, str, dict[str, str]]:
    answer = await client.get("/health/ready")
    return answer.status_code, answer.json()["status"], answer.json()["missing"]


class TestReady:
    async def test_with_all_parts_is_ok(self, client: httpx.AsyncClient) -> None:
        assert await _answer(client) == (200, "ok", {})

    async def test_without_the_bus_is_degraded(self, client: httpx.AsyncClient, service: _Service) -> None:
        service.bus.wrong = _AWAY
        assert await _answer(client) == (200, "degraded", {"events": _AWAY})

    async def test_while_reading_old_events_is_unavailable_if_the_bus_works(
        self, client: httpx.AsyncClient, service: _Service
    ) -> None:
        service.late = _LATE
        assert await _answer(client) == (503, "unavailable", _LATE)
        service.bus.wrong = _AWAY
        assert await _answer(client) == (200, "degraded", {**_LATE, "events": _AWAY})

    async def test_without_a_needed_part_is_unavailable(self, client: httpx.AsyncClient, service: _Service) -> None:
        service.needed = {"read-models": "still reading"}
        service.bus.wrong = _AWAY
        assert await _answer(client) == (503, "unavailable", {**service.needed, "events": _AWAY})

    async def test_without_the_database_is_unavailable(
        self, service: _Service, identities: Identities, clock: ManualClock
    ) -> None:
        app = create_app(name="test", title="Test", version="1", routers=[])
        attach(app, service.runtime(Database(_NOWHERE, application_name="test"), identities, clock))
        async with client_for(app) as client:
            assert await _answer(client) == (503, "unavailable", {"database": "does not answer"})
