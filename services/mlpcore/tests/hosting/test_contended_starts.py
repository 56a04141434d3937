"""Starts while others hold the locks that a placement needs."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import httpx
import pytest
import sqlalchemy as sa
from prometheus_client import REGISTRY

from mlpcore.features.accounts.tables import PlatformAccount
from mlpcore.features.instances.dependencies import scaling_of
from mlpcore.features.instances.loops.reconciler import Reconciler, reconciler_loop
from mlpcore.features.instances.tables import HostingRequest
from mlpcore.features.models.tables import Model
from mlpcore.features.placement.allocations import PLACEMENT_WANTED, Allocations
from mlpcore.features.resource_groups.tables import ResourceGroup
from mlpcore.features.servers.tables import Server
from mlpcore.state import CoreState
from mlplace_contracts.internal.hosting import ReportedPhase
from mlplace_runtime.db.database import Database
from mlplace_runtime.tasks import ended
from mlplace_testing.agents import AgentTwin, report
from mlplace_testing.world import World

MODEL = "/api/mlpcore/account/acme/model/greeting"
P = ReportedPhase
THEIRS = "/api/mlpcore/account/globex/model/theirs"
_BLOCKED = sa.text(
    "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
)


@asynccontextmanager
async def _account_held(database: Database, world: World) -> AsyncGenerator[None]:
    """Another process changes instances of the account."""
    async with database.transaction() as session:
        row = sa.select(PlatformAccount).where(PlatformAccount.account_id == world.acme.account_id)
        assert (await session.scalars(row.with_for_update())).one()
        yield


@asynccontextmanager
async def _nobody_waits(database: Database) -> AsyncGenerator[None]:
    """Fails if a statement waits for a lock meanwhile: such a wait lasts for seconds, until the lock's time limit."""
    waits = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
    seen: list[int] = []

    async def look() -> None:
        while True:
            async with database.transaction() as session:
                seen.append(int(await session.scalar(sa.text(waits)) or 0))
            await asyncio.sleep(0.2)

    looking = asyncio.create_task(look())
    try:
        yield
    finally:
        await ended(looking)
    assert set(seen) <= {0}


@asynccontextmanager
async def _group_held(database: Database) -> AsyncGenerator[None]:
    """Another process places instances in the group of the server."""
    async with database.transaction() as session:
        group_id = (await session.scalars(sa.select(ResourceGroup.group_id))).one()
        await Allocations(session).hold(group_id)
        yield


async def _blocked(database: Database) -> int:
    async with database.dedicated_connection() as connection:
        return int((await connection.execute(_BLOCKED)).scalar_one())


def _passes() -> float:
    return REGISTRY.get_sample_value("mlp_core_placement_pass_seconds_count") or 0.0


async def _waiting(client: httpx.AsyncClient, world: World) -> list[object]:
    rows = (await client.get(f"{MODEL}/instance", headers=world.owner)).json()["instances"]
    return [row["id"] for row in rows if row["serverName"] is None]


async def _their_model(client: httpx.AsyncClient, world: World) -> None:
    path, image = "/api/mlpcore/account/globex", {"name": "theirs", "image": "globex/theirs:1"}
    made = await client.post(f"{path}/image", json=image, headers=world.stranger)
    assert made.status_code == 200, made.text
    body = {"modelName": "theirs", "hostingType": "HOSTING_SERVER", "imageAccountId": world.globex.account_id}
    body |= {"imageId": made.json()["id"]["imageId"]}
    answer = await client.post(f"{path}/model", json=body, headers=world.stranger)
    assert answer.status_code == 200, answer.text


class TestHeldGroup:
    async def test_start_is_accepted_and_the_next_pass_places_the_instance(
        self,
        client: httpx.AsyncClient,
        publisher: World,
        model_id: int,
        agent: AgentTwin,
        database: Database,
        reconciler: Reconciler,
    ) -> None:
        async with _group_held(database):
            answer = await client.post(f"{MODEL}/instance/start", headers=publisher.owner)
            assert answer.status_code == 200, answer.text
            assert len(await _waiting(client, publisher)) == 1
            assert database.signal(PLACEMENT_WANTED).is_set()
            await reconciler.turn()  # another process holds the group: this one does nothing
        assert await agent.beat() == {}
        await reconciler.turn()
        assert len(await agent.beat()) == 1

    async def test_placement_that_follows_a_held_group_waits_for_locks_as_long_as_usual(
        self, database: Database, agent: AgentTwin
    ) -> None:
        async with database.transaction() as session:
            group_id = (await session.scalars(sa.select(ResourceGroup.group_id))).one()
            usual = await session.scalar(sa.select(sa.func.current_setting("lock_timeout")))
            async with _group_held(database):
                assert not await Allocations(session).hold_soon(group_id)
            assert await Allocations(session).hold_soon(group_id)
            assert await session.scalar(sa.select(sa.func.current_setting("lock_timeout"))) == usual == "4s"


class TestHeldAccount:
    @pytest.mark.parametrize("path", ["instance/start", "instances/single"])
    async def test_many_starts_of_an_account_take_one_connection(
        self,
        client: httpx.AsyncClient,
        publisher: World,
        model_id: int,
        agent: AgentTwin,
        database: Database,
        path: str,
    ) -> None:
        async with database.transaction() as session:
            await session.execute(sa.text("SELECT 1 FROM platform_account FOR UPDATE"))
            starts = [asyncio.create_task(client.post(f"{MODEL}/{path}", headers=publisher.owner)) for _ in range(16)]
            while not await _blocked(database):
                assert not any(start.done() for start in starts)
            for _ in range(3):  # other requests are answered meanwhile
                assert (await client.get(f"{MODEL}/instance", headers=publisher.owner)).status_code == 200
            assert await _blocked(database) == 1
        statuses = [answer.status_code for answer in await asyncio.gather(*starts)]
        assert set(statuses) == ({200, 403} if path == "instance/start" else {200})

    @pytest.mark.parametrize("path", ["instance/start", "instances/single", "instances"])
    async def test_start_that_never_gets_its_turn_is_refused_as_one_change_too_many(
        self,
        client: httpx.AsyncClient,
        publisher: World,
        model_id: int,
        agent: AgentTwin,
        database: Database,
        path: str,
    ) -> None:
        await client.get("/api/mlpcore/account/acme/limits", headers=publisher.owner)
        async with _account_held(database, publisher):
            answer = await client.post(f"{MODEL}/{path}", json=1, headers=publisher.owner)
        assert (answer.status_code, answer.json()["code"]) == (429, "mlp.core.too_many_changes")
        assert answer.headers["retry-after"] == "2"
        assert await _waiting(client, publisher) == []
        assert (await client.post(f"{MODEL}/{path}", json=1, headers=publisher.owner)).status_code == 200

    async def test_pass_waits_for_no_account_and_places_instances_of_the_others(
        self,
        client: httpx.AsyncClient,
        publisher: World,
        model_id: int,
        agent: AgentTwin,
        database: Database,
        reconciler: Reconciler,
    ) -> None:
        await _their_model(client, publisher)
        async with _group_held(database):  # so that both wait for the next pass
            for path, owner in ((MODEL, publisher.owner), (THEIRS, publisher.stranger)):
                answer = await client.post(f"{path}/instances", json=1, headers=owner)
                assert answer.status_code == 200, answer.text
        async with _account_held(database, publisher), _nobody_waits(database):
            await reconciler.turn()
        (placed,) = await agent.beat()
        rows = (await client.get(f"{THEIRS}/instance", headers=publisher.stranger)).json()["instances"]
        assert [row["id"] for row in rows] == [placed]
        assert len(await _waiting(client, publisher)) == 1
        await reconciler.turn()
        assert len(await agent.beat()) == 2

    async def test_missing_instances_of_other_accounts_are_created_meanwhile(
        self,
        client: httpx.AsyncClient,
        publisher: World,
        model_id: int,
        agent: AgentTwin,
        database: Database,
        reconciler: Reconciler,
    ) -> None:
        await client.post(f"{MODEL}/instances", json=1, headers=publisher.owner)
        async with database.transaction() as session:
            await session.execute(sa.update(HostingRequest).values(requested=2))
        async with _account_held(database, publisher), _nobody_waits(database):
            await reconciler.turn()
            assert len(await agent.beat()) == 1
        await reconciler.turn()
        assert len(await agent.beat()) == 2


class TestFreedRoom:
    async def test_scheduler_looks_at_once_when_room_is_freed(
        self, client: httpx.AsyncClient, publisher: World, model_id: int, agent: AgentTwin, state: CoreState
    ) -> None:
        """The loop would look by itself after an hour."""
        needs = {"memoryLimit": "3000Mi", "cpuRequest": "100m", "ephemeralDiskLimit": "1Gi"}
        body = {"modelName": "greeting", "resourceLimits": needs}
        assert (await client.post(MODEL, json=body, headers=publisher.owner)).status_code == 200
        await client.post(f"{MODEL}/instances", json=2, headers=publisher.owner)
        (first,) = await agent.beat()
        before = _passes()
        loop = asyncio.ensure_future(reconciler_loop(state, seconds=3600).run())
        while _passes() == before:
            await agent.beat()
        await client.post(f"{MODEL}/instance/{first}/terminate", headers=publisher.owner)
        await agent.beat(report(first, P.EXITED))
        async with asyncio.timeout(60):
            while set(await agent.beat()) <= {first}:
                assert not loop.done()
        await ended(loop)

    async def test_agent_that_has_freed_room_comes_back_early(
        self, client: httpx.AsyncClient, publisher: World, model_id: int, agent: AgentTwin, state: CoreState
    ) -> None:
        usual = state.settings.heartbeat_seconds
        await client.post(f"{MODEL}/instances", json=1, headers=publisher.owner)
        (number,) = await agent.beat()
        assert (await agent.state(report(number, P.RUNNING))).heartbeat_seconds == usual
        await client.post(f"{MODEL}/instances", json=0, headers=publisher.owner)
        assert (await agent.state(report(number, P.STOPPING))).heartbeat_seconds == usual
        assert (await agent.state(report(number, P.EXITED))).heartbeat_seconds == 0.3 < usual
        assert (await agent.state()).heartbeat_seconds == usual


class TestLastPlace:
    async def test_of_two_accounts_that_start_at_once_one_gets_the_last_place_of_a_public_group(
        self,
        client: httpx.AsyncClient,
        publisher: World,
        model_id: int,
        agent: AgentTwin,
        database: Database,
        reconciler: Reconciler,
        state: CoreState,
    ) -> None:
        await _their_model(client, publisher)
        async with database.transaction() as session:
            await session.execute(sa.update(Server).values(max_instances=1))
        starts = {MODEL: publisher.owner, THEIRS: publisher.stranger}
        async with state.database.transaction() as session:  # one has placed its instance, and has not committed yet
            model = await session.get(Model, model_id)
            assert model is not None
            await scaling_of(session, state).request(model, 1)
            other = asyncio.create_task(client.post(f"{THEIRS}/instances", json=1, headers=publisher.stranger))
            while not other.done() and not await _blocked(database):
                pass
        assert (await other).status_code == 200
        await reconciler.turn()
        rows = [
            (await client.get(f"{path}/instance", headers=headers)).json()["instances"][0]
            for path, headers in starts.items()
        ]
        assert sorted(row["statusInfo"]["podStatus"] for row in rows) == ["IDLE", "SCHEDULED"]
        (loser,) = [row for row in rows if row["serverName"] is None]
        assert loser["waiting"]["details"]["lacking"] == [{"what": "instances", "servers": 1, "missing": 0}]
        assert len(await agent.beat()) == 1
