"""What the scheduler does with rows: reserving room, saying why instances wait, freeing room."""

from datetime import timedelta
from typing import Any

import httpx
import pytest
import sqlalchemy as sa

from mlpcore.features.instances.loops.comparing import GONE_AFTER, Comparison
from mlpcore.features.instances.loops.reconciler import Reconciler
from mlpcore.features.instances.tables import Instance
from mlpcore.features.license.repository import LicenseRepository
from mlpcore.features.placement.tables import Allocation, GpuAllocation
from mlpcore.features.servers.tables import Server
from mlpcore.state import CoreState
from mlplace_contracts.internal.hosting import ReportedPhase
from mlplace_kit.clock import ManualClock
from mlplace_runtime.db.database import Database
from mlplace_testing.agents import AgentTwin, report
from mlplace_testing.statements import Statements
from mlplace_testing.world import World

ACCOUNT = "/api/mlpcore/account/acme"
MODEL = f"{ACCOUNT}/model/greeting"
P = ReportedPhase
GPU = {"gpu_id": "GPU-1", "model": "NVIDIA L4", "vram_mb": 24_576}


async def scale(client: httpx.AsyncClient, world: World, count: int) -> httpx.Response:
    return await client.post(f"{MODEL}/instances", json=count, headers=world.owner)


async def need(client: httpx.AsyncClient, world: World, **limits: object) -> None:
    body = {"modelName": "greeting", "resourceLimits": limits}
    answer = await client.post(MODEL, json=body, headers=world.owner)
    assert answer.status_code == 200, answer.text


async def allow(client: httpx.AsyncClient, world: World, **limits: object) -> None:
    read = await client.get(ACCOUNT, headers=world.owner)
    body = {**read.json()["limits"], **limits}
    answer = await client.post("/api/mlpcore/admin/account/acme/limits", json=body, headers=world.admin)
    assert answer.status_code == 200, answer.text


async def listed(client: httpx.AsyncClient, world: World) -> list[dict[str, Any]]:
    return (await client.get(f"{MODEL}/instance", headers=world.owner)).json()["instances"]


async def allocations(database: Database) -> dict[int, tuple[int, int, int]]:
    async with database.transaction() as session:
        rows = (await session.scalars(sa.select(Allocation))).all()
    return {row.instance_id: (row.milli_cpu, row.ram_mb, row.disk_mb) for row in rows}


async def set_server(database: Database, **values: object) -> None:
    async with database.transaction() as session:
        await session.execute(sa.update(Server).values(**values))


@pytest.fixture
def comparison(state: CoreState) -> Comparison:
    return Comparison(state)


class TestReservation:
    async def test_placed_instances_hold_what_their_model_needs(
        self, client: httpx.AsyncClient, publisher: World, model_id: int, agent: AgentTwin, database: Database
    ) -> None:
        await scale(client, publisher, 2)
        assert list((await allocations(database)).values()) == [(100, 500, 100)] * 2

    async def test_room_is_freed_when_the_instance_has_ended_and_used_again(
        self,
        client: httpx.AsyncClient,
        publisher: World,
        model_id: int,
        agent: AgentTwin,
        database: Database,
        reconciler: Reconciler,
    ) -> None:
        await need(client, publisher, memoryLimit="3000Mi", cpuRequest="100m", ephemeralDiskLimit="1Gi")
        await scale(client, publisher, 1)
        (first,) = await agent.beat()
        await scale(client, publisher, 2)
        assert list(await allocations(database)) == [first]
        await client.post(f"{MODEL}/instance/{first}/stop", headers=publisher.owner)
        await reconciler.turn()
        assert list(await allocations(database)) == [first]
        await agent.beat(report(first, P.EXITED))
        await reconciler.turn()
        (second,) = await allocations(database)
        assert second != first

    async def test_edit_changes_what_starts_later(
        self, client: httpx.AsyncClient, publisher: World, model_id: int, agent: AgentTwin, database: Database
    ) -> None:
        """Room, licence and the agent that starts again count what the instance got when it was placed."""
        await allow(client, publisher, gpuModelInstanceLimit=5)
        await set_server(database, gpus=[GPU])
        await need(client, publisher, gpuRequested=True)
        await scale(client, publisher, 1)
        await need(client, publisher, cpuRequest="200m", memoryLimit="900Mi", gpuRequested=True, gpuMemoryLimitMb=1)
        (first,) = (await agent.beat()).values()
        assert (first.milli_cpu, first.memory_bytes) == (100, 500 * 2**20)
        assert list((await allocations(database)).values()) == [(100, 500, 100)]
        for state, counted in (("STARTED", (0.1, 24)), ("REMOVING", (0, 0))):
            async with database.transaction() as session:
                await session.execute(sa.update(Instance).values(state=state))
                usage = await LicenseRepository(session).usage()
            assert (usage.cpu, usage.vram_gb) == counted

    async def test_gpu_is_reserved_as_a_whole_or_in_part(
        self, client: httpx.AsyncClient, publisher: World, model_id: int, agent: AgentTwin, database: Database
    ) -> None:
        await allow(client, publisher, gpuModelInstanceLimit=5)
        await set_server(database, gpus=[GPU])
        await need(client, publisher, gpuRequested=True, gpuMemoryLimitMb=10_000)
        await scale(client, publisher, 3)
        async with database.transaction() as session:
            held = (await session.execute(sa.select(GpuAllocation.gpu_id, GpuAllocation.vram_mb))).all()
        assert [tuple(row) for row in held] == [("GPU-1", 10_000)] * 2
        waiting = [row["waiting"] for row in await listed(client, publisher) if row["waiting"]]
        assert [each["details"]["lacking"] for each in waiting] == [
            [{"what": "vram", "servers": 1, "missing": 10_000 - 4_576}]
        ]


class TestStatements:
    async def test_pass_reads_and_writes_a_group_in_a_fixed_number_of_statements(
        self,
        client: httpx.AsyncClient,
        publisher: World,
        model_id: int,
        agent: AgentTwin,
        database: Database,
        reconciler: Reconciler,
        statements: Statements,
    ) -> None:
        counts: list[list[str]] = []
        for count in (1, 4):
            await set_server(database, last_heartbeat_at=None)
            await scale(client, publisher, count)
            await agent.beat()
            statements.clear()
            await reconciler.turn()
            counts.append([statement.split()[0] for statement in statements.seen])
            placed = [row["id"] for row in await listed(client, publisher) if row["serverId"] is not None]
            assert len(placed) == count
        assert counts[0] == counts[1]
        assert sum("jsonb_object_agg" in statement for statement in statements.seen) <= 1


class TestWaiting:
    async def test_reason_with_numbers_is_shown_in_list_state_status_events_and_log(
        self, client: httpx.AsyncClient, publisher: World, model_id: int, agent: AgentTwin, reconciler: Reconciler
    ) -> None:
        await need(client, publisher, memoryLimit="5000Mi", cpuRequest="1", ephemeralDiskLimit="1Gi")
        await scale(client, publisher, 1)
        for _ in range(2):
            await reconciler.turn()
        (row,) = await listed(client, publisher)
        expected = {
            "reason": "NotEnoughRoom",
            "message": "1 server: 1 lacks 0.977 GiB of memory",
            "details": {
                "servers": 1,
                "lacking": [{"what": "memory", "servers": 1, "missing": 1000}],
                "limit": None,
            },
        }
        assert row["waiting"] == expected
        one = f"{MODEL}/instance/{row['id']}"
        assert (await client.get(f"{one}/laststate", headers=publisher.owner)).json()["waiting"] == expected
        assert (await client.get(f"{MODEL}/status", headers=publisher.owner)).json()["waiting"] == expected
        shown = (await client.get(MODEL, headers=publisher.owner)).json()
        assert (shown["state"], shown["waitsForServer"]) == ("STARTING", True)
        events = (await client.get(f"{one}/events", headers=publisher.owner)).json()["events"]
        told = [(event["message"], event["count"]) for event in events if event["reason"] == "NotEnoughRoom"]
        assert told == [("The instance waits: 1 server: 1 lacks 0.977 GiB of memory", 1)]
        log = (await client.get(f"{MODEL}/logs", headers=publisher.owner)).json()
        (entry,) = [entry for entry in log if entry["code"] == "INSTANCE_WAITING"]
        assert (entry["level"], entry["args"]["details"]["servers"]) == ("WARNING", 1)

    async def test_running_instance_waits_for_nothing(
        self, client: httpx.AsyncClient, publisher: World, model_id: int, agent: AgentTwin
    ) -> None:
        await scale(client, publisher, 1)
        assert [row["waiting"] for row in await listed(client, publisher)] == [None]
        assert (await client.get(f"{MODEL}/status", headers=publisher.owner)).json()["waiting"] is None
        shown = (await client.get(MODEL, headers=publisher.owner)).json()
        assert (shown["state"], shown["waitsForServer"]) == ("STARTING", False)

    async def test_a_service_starts_while_one_of_its_instances_has_a_server(
        self, client: httpx.AsyncClient, publisher: World, model_id: int, agent: AgentTwin, reconciler: Reconciler
    ) -> None:
        await need(client, publisher, memoryLimit="3Gi")
        await scale(client, publisher, 2)
        await reconciler.turn()
        assert sorted(row["serverId"] is None for row in await listed(client, publisher)) == [False, True]
        assert (await client.get(MODEL, headers=publisher.owner)).json()["waitsForServer"] is False


class TestAccountLimits:
    @pytest.mark.parametrize(
        ("limits", "name", "allowed", "used", "needed"),
        [
            ({"cpuLimit": "250m"}, "cpuLimit", "250m", "100m", "200m"),
            ({"memoryLimit": "1Gi"}, "memoryLimit", "1024Mi", "500Mi", "1000Mi"),
            ({"ephemeralDiskLimit": "250Mi"}, "ephemeralDiskLimit", "250Mi", "100Mi", "200Mi"),
        ],
    )
    async def test_request_above_a_limit_is_refused_with_its_numbers(
        self,
        client: httpx.AsyncClient,
        publisher: World,
        model_id: int,
        agent: AgentTwin,
        limits: dict[str, str],
        name: str,
        allowed: str,
        used: str,
        needed: str,
    ) -> None:
        await allow(client, publisher, **limits)
        assert (await scale(client, publisher, 1)).status_code == 200
        answer = await scale(client, publisher, 3)
        assert (answer.status_code, answer.json()["code"]) == (403, "mlp.core.resource_limit_exceeded")
        assert answer.json()["args"] == {"name": name, "allowed": allowed, "used": used, "needed": needed}
        assert len(await listed(client, publisher)) == 1

    async def test_gpu_needs_a_limit_above_zero(
        self, client: httpx.AsyncClient, publisher: World, model_id: int, agent: AgentTwin
    ) -> None:
        await need(client, publisher, gpuRequested=True)
        answer = await scale(client, publisher, 1)
        assert answer.json()["args"] == {"name": "gpuModelInstanceLimit", "allowed": "0", "used": "0", "needed": "1"}

    async def test_own_group_is_not_limited(
        self, client: httpx.AsyncClient, publisher: World, model_id: int, agent: AgentTwin
    ) -> None:
        groups = f"{ACCOUNT}/resource-groups"
        made = await client.post(groups, json={"name": "mine", "isDefault": True}, headers=publisher.owner)
        assert made.status_code == 200, made.text
        await need(client, publisher, cpuRequest="64", gpuRequested=True)
        assert (await scale(client, publisher, 1)).status_code == 200

    @pytest.mark.parametrize(
        ("limits", "name"),
        [({"cpuLimit": "150m"}, "cpuLimit"), ({"baseModelInstanceLimit": 1}, "baseModelInstanceLimit")],
    )
    async def test_lowered_limit_holds_back_what_waits_already(
        self,
        client: httpx.AsyncClient,
        publisher: World,
        model_id: int,
        agent: AgentTwin,
        database: Database,
        reconciler: Reconciler,
        limits: dict[str, Any],
        name: str,
    ) -> None:
        await set_server(database, last_heartbeat_at=None)
        await scale(client, publisher, 2)
        await allow(client, publisher, **limits)
        await agent.beat()
        await reconciler.turn()
        assert len(await allocations(database)) == 1
        (waiting,) = [row["waiting"] for row in await listed(client, publisher) if row["waiting"]]
        assert (waiting["reason"], waiting["details"]["limit"]["name"]) == ("AccountLimit", name)
        assert name in waiting["message"]

    async def test_missing_instance_waits_for_a_limit_and_says_so(
        self,
        client: httpx.AsyncClient,
        publisher: World,
        model_id: int,
        agent: AgentTwin,
        database: Database,
        reconciler: Reconciler,
    ) -> None:
        """A requested instance that has ended is missing; meanwhile the limit was lowered."""
        await scale(client, publisher, 2)
        (first, _) = sorted(await agent.beat())
        await allow(client, publisher, baseModelInstanceLimit=1)
        async with database.transaction() as session:
            await session.execute(sa.update(Instance).where(Instance.instance_id == first).values(state="DELETED"))
        for _ in range(3):
            await reconciler.turn()
        status = (await client.get(f"{MODEL}/status", headers=publisher.owner)).json()
        limit = {"name": "baseModelInstanceLimit", "allowed": "1", "used": "1", "needed": "1"}
        assert (status["waiting"]["reason"], status["waiting"]["details"]["limit"]) == ("AccountLimit", limit)
        assert len(await listed(client, publisher)) == 2
        await allow(client, publisher, baseModelInstanceLimit=2)
        await reconciler.turn()
        assert (await client.get(f"{MODEL}/status", headers=publisher.owner)).json()["waiting"] is None


class TestComparison:
    async def test_missing_allocations_are_added_and_orphans_deleted(
        self,
        client: httpx.AsyncClient,
        publisher: World,
        model_id: int,
        agent: AgentTwin,
        database: Database,
        comparison: Comparison,
    ) -> None:
        """A process of the previous release places an instance, and forgets another one's room."""
        await scale(client, publisher, 2)
        first, second = sorted(await agent.beat())
        async with database.transaction() as session:
            await session.execute(sa.delete(Allocation).where(Allocation.instance_id == first))
            idle = {"state": "IDLE", "server_id": None}
            await session.execute(sa.update(Instance).where(Instance.instance_id == second).values(idle))
        await comparison.turn()
        assert await allocations(database) == {first: (100, 500, 100)}

    async def test_agreeing_rows_stay_as_they_are(
        self,
        client: httpx.AsyncClient,
        publisher: World,
        model_id: int,
        agent: AgentTwin,
        database: Database,
        comparison: Comparison,
    ) -> None:
        await scale(client, publisher, 2)
        before = await allocations(database)
        await comparison.turn()
        assert (await allocations(database), len(before)) == (before, 2)

    async def test_instances_of_a_vanished_gpu_move_after_a_while(
        self,
        client: httpx.AsyncClient,
        publisher: World,
        model_id: int,
        agent: AgentTwin,
        database: Database,
        comparison: Comparison,
        clock: ManualClock,
        reconciler: Reconciler,
    ) -> None:
        await allow(client, publisher, gpuModelInstanceLimit=5)
        await set_server(database, gpus=[GPU])
        await need(client, publisher, gpuRequested=True)
        await scale(client, publisher, 1)
        await set_server(database, gpus=[])
        await comparison.turn()
        clock.advance(GONE_AFTER - timedelta(seconds=1))
        await set_server(database, last_heartbeat_at=clock.now())
        await comparison.turn()
        assert len(await allocations(database)) == 1
        clock.advance(timedelta(seconds=1))
        await comparison.turn()
        assert await allocations(database) == {}
        await reconciler.turn()
        (row,) = await listed(client, publisher)
        assert row["waiting"]["details"]["lacking"] == [{"what": "gpu", "servers": 1, "missing": 1}]
