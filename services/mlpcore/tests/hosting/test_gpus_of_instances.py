"""The GPUs that agents say instances have, compared with those that are allocated. No GPU is allocated twice."""

import json
from datetime import timedelta

import httpx
import pytest
import sqlalchemy as sa

from mlpcore.features.instances.lifecycle.gpu_comparison import STAYS
from mlpcore.features.instances.loops.comparing import GONE_AFTER, Comparison
from mlpcore.features.instances.loops.reconciler import Reconciler
from mlpcore.features.instances.tables import Instance
from mlpcore.features.placement.tables import Allocation, GpuAllocation
from mlpcore.state import CoreState
from mlplace_contracts.internal.hosting import DesiredInstance, ReportedGpu, ReportedInstance, ReportedPhase
from mlplace_kit.clock import ManualClock
from mlplace_runtime.db.database import Database
from mlplace_testing.agents import AgentTwin, report
from mlplace_testing.world import World

from .test_placement import MODEL, allocations, allow, listed, need, scale

P = ReportedPhase
VRAM = 24_576
Held = dict[tuple[int, str], int]


@pytest.fixture
async def machine(client: httpx.AsyncClient, publisher: World, model_id: int, agent: AgentTwin) -> AgentTwin:
    """A server with two GPUs, and a model that needs a whole one."""
    gpus = tuple(ReportedGpu(gpu_id=f"GPU-{n}", model="NVIDIA L4", vram_mb=VRAM) for n in (1, 2))
    agent.capacity = agent.capacity.model_copy(update={"gpus": gpus})
    await agent.beat()
    await allow(client, publisher, gpuModelInstanceLimit=5)
    await need(client, publisher, gpuRequested=True)
    return agent


@pytest.fixture
def comparison(state: CoreState) -> Comparison:
    return Comparison(state)


async def started(client: httpx.AsyncClient, world: World, agent: AgentTwin, count: int = 1) -> list[DesiredInstance]:
    await scale(client, world, count)
    return sorted((await agent.beat()).values(), key=lambda given: given.instance_id)


def runs(given: DesiredInstance, **values: object) -> ReportedInstance:
    """What an agent of this release reports of the instance."""
    said = {"gpu_ids": given.gpu_ids, "gpu_memory_mb": given.gpu_memory_mb, **values}
    return report(given.instance_id, P.RUNNING, generation=given.generation, **said)


async def gpus(database: Database) -> Held:
    async with database.transaction() as session:
        rows = (await session.scalars(sa.select(GpuAllocation))).all()
    return {(row.instance_id, row.gpu_id): row.vram_mb for row in rows}


async def lose(database: Database, table: type[Allocation | GpuAllocation], given: DesiredInstance) -> None:
    async with database.transaction() as session:
        await session.execute(sa.delete(table).where(table.instance_id == given.instance_id))


async def server_of(database: Database, given: DesiredInstance) -> tuple[int | None, str]:
    async with database.transaction() as session:
        row = await session.get_one(Instance, given.instance_id)
        return row.server_id, row.state


class TestRebuild:
    @pytest.mark.parametrize("table", [Allocation, GpuAllocation])
    @pytest.mark.parametrize("part", [None, 10_000])
    async def test_lost_rows_are_written_again_and_the_instance_goes_on(
        self,
        client: httpx.AsyncClient,
        publisher: World,
        machine: AgentTwin,
        database: Database,
        table: type[Allocation | GpuAllocation],
        part: int | None,
    ) -> None:
        await need(client, publisher, gpuRequested=True, gpuMemoryLimitMb=part)
        (given,) = await started(client, publisher, machine)
        before, held = await allocations(database), await gpus(database)
        assert held == {(given.instance_id, "GPU-1"): part or VRAM}
        await lose(database, table, given)
        state = await machine.state(runs(given))
        assert (state.kept, state.instances) == ((given.instance_id,), ())
        assert (await allocations(database), await gpus(database)) == (before, held)

    async def test_others_get_only_gpus_that_are_left_after_the_rebuild(
        self,
        client: httpx.AsyncClient,
        publisher: World,
        machine: AgentTwin,
        database: Database,
        reconciler: Reconciler,
    ) -> None:
        first, _ = await started(client, publisher, machine, 2)
        await lose(database, GpuAllocation, first)
        await machine.beat(runs(first))
        await scale(client, publisher, 3)
        await reconciler.turn()
        held = await gpus(database)
        assert sorted(gpu_id for _, gpu_id in held) == ["GPU-1", "GPU-2"]
        assert held[first.instance_id, first.gpu_ids[0]] == VRAM

    async def test_one_that_is_being_removed_holds_its_gpu_until_it_has_ended(
        self, client: httpx.AsyncClient, publisher: World, machine: AgentTwin, database: Database
    ) -> None:
        (given,) = await started(client, publisher, machine)
        await scale(client, publisher, 0)
        await lose(database, Allocation, given)
        assert given.instance_id in await machine.beat(runs(given))
        assert await gpus(database) == {(given.instance_id, "GPU-1"): VRAM}
        await machine.beat(runs(given).model_copy(update={"phase": P.EXITED}))
        assert (await gpus(database), await allocations(database)) == ({}, {})

    async def test_agreeing_rows_stay_as_they_are(
        self, client: httpx.AsyncClient, publisher: World, machine: AgentTwin, database: Database, clock: ManualClock
    ) -> None:
        both = await started(client, publisher, machine, 2)
        held = await gpus(database)
        clock.advance(STAYS)
        state = await machine.state(*map(runs, both))
        assert (state.instances, await gpus(database), len(held)) == ((), held, 2)


class TestReplacement:
    async def test_instance_whose_gpu_another_one_holds_leaves_it(
        self,
        client: httpx.AsyncClient,
        publisher: World,
        machine: AgentTwin,
        database: Database,
        clock: ManualClock,
        reconciler: Reconciler,
    ) -> None:
        first, second = await started(client, publisher, machine, 2)
        await lose(database, GpuAllocation, first)
        await scale(client, publisher, 3)
        told = await machine.beat(runs(first), runs(second))
        (third,) = [told[number] for number in told.keys() - {first.instance_id, second.instance_id}]
        assert third.gpu_ids == first.gpu_ids
        clock.advance(STAYS)
        assert first.instance_id not in await machine.beat(runs(first), runs(second), runs(third))
        assert await server_of(database, first) == (None, "IDLE")
        await reconciler.turn()
        assert sorted(await gpus(database)) == [(second.instance_id, "GPU-2"), (third.instance_id, "GPU-1")]
        events = await client.get(f"{MODEL}/instance/{first.instance_id}/events", headers=publisher.owner)
        assert "AllocationLost" in [event["reason"] for event in events.json()["events"]]
        (waiting,) = [row["waiting"] for row in await listed(client, publisher) if row["waiting"]]
        assert [lack["what"] for lack in waiting["details"]["lacking"]] == ["freeGpu"]

    async def test_shared_gpu_without_enough_memory_left_is_not_given(
        self, client: httpx.AsyncClient, publisher: World, machine: AgentTwin, database: Database, clock: ManualClock
    ) -> None:
        await need(client, publisher, gpuRequested=True, gpuMemoryLimitMb=10_000)
        first, second = await started(client, publisher, machine, 2)
        assert first.gpu_ids == second.gpu_ids == ("GPU-1",)
        await lose(database, GpuAllocation, first)
        clock.advance(STAYS)
        await machine.beat(runs(first, gpu_memory_mb=VRAM - 10_000 + 1), runs(second))
        assert await gpus(database) == {(second.instance_id, "GPU-1"): 10_000}
        assert (await server_of(database, first))[0] is None

    async def test_two_that_claim_one_gpu_do_not_both_get_it(
        self, client: httpx.AsyncClient, publisher: World, machine: AgentTwin, database: Database, clock: ManualClock
    ) -> None:
        first, second = await started(client, publisher, machine, 2)
        for each in (first, second):
            await lose(database, Allocation, each)
        clock.advance(STAYS)
        await machine.beat(runs(first), runs(second, gpu_ids=first.gpu_ids))
        assert await gpus(database) == {(first.instance_id, "GPU-1"): VRAM}
        assert (await server_of(database, second))[0] is None


class TestHostileReport:
    @pytest.mark.parametrize(
        "said", [{"gpu_ids": ("GPU-2", "GPU-1")}, {"gpu_ids": ("none",)}, {"gpu_ids": ("nul\0", "'", "x" * 5000)}]
    )
    async def test_claim_of_more_than_the_model_needs_or_of_unknown_gpus_gives_nothing(
        self,
        client: httpx.AsyncClient,
        publisher: World,
        machine: AgentTwin,
        database: Database,
        clock: ManualClock,
        said: dict[str, object],
    ) -> None:
        (given,) = await started(client, publisher, machine)
        held = await gpus(database)
        await machine.beat(runs(given, **said))
        assert (await gpus(database), await server_of(database, given)) == (
            held, (machine.enrolled.server_id, "SCHEDULED")
        )  # fmt: skip
        clock.advance(STAYS)
        await machine.beat(runs(given, **said))
        assert (await gpus(database), (await server_of(database, given))[0]) == ({}, None)

    async def test_claim_for_an_instance_without_gpus_gives_nothing(
        self, client: httpx.AsyncClient, publisher: World, machine: AgentTwin, database: Database
    ) -> None:
        await need(client, publisher, gpuRequested=False)
        (given,) = await started(client, publisher, machine)
        await machine.beat(runs(given, gpu_ids=("GPU-1",)))
        assert await gpus(database) == {}

    async def test_server_replaces_an_instance_at_most_once_in_a_while(
        self,
        client: httpx.AsyncClient,
        publisher: World,
        machine: AgentTwin,
        database: Database,
        clock: ManualClock,
        reconciler: Reconciler,
    ) -> None:
        """A start that the platform orders is an event and an entry in the log."""
        (given,) = await started(client, publisher, machine)
        clock.advance(STAYS)
        await machine.beat(runs(given, gpu_ids=("none",)))
        await machine.beat()
        await reconciler.turn()
        (again,) = (await machine.beat()).values()
        assert again.generation == given.generation + 1
        for _ in range(3):
            clock.advance(timedelta(seconds=5))
            await machine.beat(runs(again, gpu_ids=("none",)))
            await reconciler.turn()
        assert list(await machine.beat(runs(again))) == [given.instance_id]
        assert (await server_of(database, again))[0] is not None

    @pytest.mark.parametrize("memory", [-5, 0, 10**40])
    async def test_memory_is_bounded_by_that_of_the_gpu(
        self, client: httpx.AsyncClient, publisher: World, machine: AgentTwin, database: Database, memory: int
    ) -> None:
        (given,) = await started(client, publisher, machine)
        await lose(database, GpuAllocation, given)
        said = runs(given).model_dump(mode="json") | {"gpu_memory_mb": memory}
        body = {"agent_version": "1", "capacity": machine.capacity.model_dump(), "instances": [said]}
        assert (await machine.post(json.dumps(body))).status_code == 200
        assert await gpus(database) == {(given.instance_id, "GPU-1"): min(max(memory, 1), VRAM)}

    @pytest.mark.parametrize("said", [{"gpu_ids": "GPU-1"}, {"gpu_ids": [7]}, {"gpu_memory_mb": "much"}])
    async def test_value_of_a_wrong_type_is_refused(
        self, client: httpx.AsyncClient, publisher: World, machine: AgentTwin, said: dict[str, object]
    ) -> None:
        (given,) = await started(client, publisher, machine)
        wrong = runs(given).model_dump(mode="json") | said
        body = {"agent_version": "1", "capacity": machine.capacity.model_dump(), "instances": [wrong]}
        answer = await machine.post(json.dumps(body))
        assert (answer.status_code, answer.json()["code"]) == (400, "mlp.core.malformed_request")


class TestOlderAgent:
    """It does not report GPUs. Nobody knows which ones an instance without an allocation uses."""

    async def test_instance_is_replaced_after_a_while_and_never_allocated_without_a_gpu(
        self,
        client: httpx.AsyncClient,
        publisher: World,
        machine: AgentTwin,
        database: Database,
        comparison: Comparison,
        clock: ManualClock,
        reconciler: Reconciler,
    ) -> None:
        (given,) = await started(client, publisher, machine)
        await lose(database, Allocation, given)
        silent = runs(given, gpu_ids=())
        for _ in range(2):
            await machine.beat(silent)
            await comparison.turn()
            assert await allocations(database) == {}
            clock.advance(GONE_AFTER / 2)
        await machine.beat(silent)
        await comparison.turn()
        assert (await server_of(database, given))[0] is None
        await reconciler.turn()
        assert await gpus(database) == {(given.instance_id, "GPU-1"): VRAM}
        assert (await machine.beat())[given.instance_id].generation == given.generation + 1

    async def test_instance_of_a_silent_server_stays(
        self,
        client: httpx.AsyncClient,
        publisher: World,
        machine: AgentTwin,
        database: Database,
        comparison: Comparison,
        clock: ManualClock,
    ) -> None:
        (given,) = await started(client, publisher, machine)
        await lose(database, Allocation, given)
        for _ in range(3):
            await comparison.turn()
            clock.advance(GONE_AFTER)
        await comparison.turn()
        assert (await server_of(database, given))[0] == machine.enrolled.server_id
        await machine.beat(runs(given))
        assert await gpus(database) == {(given.instance_id, "GPU-1"): VRAM}
