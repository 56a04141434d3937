"""A service of one route, from its declaration to its end."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

import httpx
import pytest
import sqlalchemy as sa
from fastapi import APIRouter, Depends

from mlplace_contracts.events import SessionRevoked
from mlplace_contracts.topics import SESSIONS
from mlplace_kit.clock import Clock, ManualClock
from mlplace_kit.credentials import KeyedHasher
from mlplace_runtime.auth.authenticator import CookieNames
from mlplace_runtime.auth.invalidation import Invalidator
from mlplace_runtime.bootstrap import Callers, Service
from mlplace_runtime.bus.consumer import Consumer
from mlplace_runtime.bus.local import LocalBus
from mlplace_runtime.db.database import Database
from mlplace_runtime.db.messaging import inbox, outbox
from mlplace_runtime.db.outbox import Outbox
from mlplace_runtime.internal_client import InternalClient
from mlplace_runtime.service import Shared, state_of
from mlplace_runtime.tasks import Loop
from mlplace_runtime.web.policy import Public
from mlplace_testing.identities import INTERNAL_TOKEN, Identities
from mlplace_testing.waiting import eventually
from mlplace_testing.web import client_for

HOUR = 3600.0


@dataclass(frozen=True, slots=True)
class Settings:
    database_url: str
    max_body_bytes: int = 1000


@dataclass(frozen=True, slots=True)
class State:
    database: Database
    clock: Clock
    happened: list[str] = field(default_factory=list[str])


router = APIRouter(dependencies=[Depends(Public())])


@router.get("/happened")
async def happened(state: Annotated[State, Depends(state_of(State))]) -> list[str]:
    return state.happened


class Sample:
    """Notes what happens to it."""

    def __init__(self, identities: Identities) -> None:
        self.happened: list[str] = []
        self.service = Service(
            name="runtime",
            title="Sample",
            routers=[router],
            migrations=Path("migrations"),
            open_state=self._open_state,
            callers=lambda *_: Callers(identities.authenticator, identities, Invalidator()),
            consumers=lambda _: [Consumer("runtime.revoked", (SESSIONS,), (SessionRevoked,), self._handle)],
            loops=lambda _: [Loop("own", self._run)],
        )

    @asynccontextmanager
    async def _open_state(self, _: Settings, shared: Shared, database: Database) -> AsyncGenerator[State]:
        self.happened.append("opened")
        yield State(database, shared.clock, self.happened)
        assert await database.answers(), "resources close before the database"
        self.happened.append("closed")

    async def _handle(self, *_: object) -> None:
        self.happened.append("handled")

    async def _run(self) -> None:
        self.happened.append("loop began")
        try:
            await asyncio.sleep(HOUR)
        finally:
            self.happened.append("loop ended")


@pytest.fixture
def sample(identities: Identities) -> Sample:
    return Sample(identities)


@pytest.fixture
def shared(bus: LocalBus, clock: ManualClock, hasher: KeyedHasher, tmp_path: Path) -> Shared:
    return Shared(
        bus=bus,
        clock=clock,
        internal=InternalClient({}, INTERNAL_TOKEN),
        hasher=hasher,
        envelope_key=bytes(32),
        internal_token=INTERNAL_TOKEN,
        cookies=CookieNames(secure=False),
        data_dir=tmp_path,
    )


@pytest.fixture
async def client(sample: Sample, database: Database, shared: Shared) -> AsyncGenerator[httpx.AsyncClient]:
    async with sample.service.open(Settings(database.url), shared) as app:
        transport = httpx.ASGITransport(app=app)
        async with httpx.AsyncClient(transport=transport, base_url="http://testserver") as opened:
            yield opened


class TestOpen:
    async def test_serves_routes_that_find_the_state(self, client: httpx.AsyncClient) -> None:
        answer = await client.get("/happened")
        assert (answer.status_code, answer.json()[0]) == (200, "opened")

    async def test_becomes_ready_when_identities_have_been_read(self, client: httpx.AsyncClient) -> None:
        async def ready() -> int:
            return (await client.get("/health/ready")).status_code

        assert await eventually(ready, until=lambda status: status == 200) == 200

    async def test_ships_the_outbox_and_feeds_the_consumers(
        self, client: httpx.AsyncClient, database: Database, clock: ManualClock
    ) -> None:
        async with database.transaction() as session:
            await Outbox(session, clock).add(SessionRevoked(session_hash="a", user_id=1, revoked_at=clock.now()))

        async def seen() -> bool:
            return "handled" in (await client.get("/happened")).json()

        await eventually(seen)
        async with database.transaction() as session:
            counts = [await session.scalar(sa.select(sa.func.count()).select_from(of)) for of in (outbox, inbox)]
        assert counts == [0, 1]

    async def test_refuses_bodies_above_the_limit_of_its_settings(self, client: httpx.AsyncClient) -> None:
        assert (await client.post("/happened", content=b"x" * 1001)).status_code == 413

    async def test_ends_loops_before_it_closes_the_state(
        self, sample: Sample, database: Database, shared: Shared
    ) -> None:
        async def begun() -> bool:
            return "loop began" in sample.happened

        async with sample.service.open(Settings(database.url), shared):
            await eventually(begun)
        assert sample.happened == ["opened", "loop began", "loop ended", "closed"]


class TestAssemble:
    async def test_without_its_state_a_route_fails(
        self, sample: Sample, database: Database, clock: ManualClock, identities: Identities
    ) -> None:
        app = sample.service.assemble(State(database, clock), identities.authenticator, identities)
        async with client_for(app) as client:
            assert (await client.get("/happened")).json() == []
            app.state.service = object()
            assert (await client.get("/happened")).status_code == 500
