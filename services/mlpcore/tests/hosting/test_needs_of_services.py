"""The needs of a service follow its settings; what runs keeps what it got."""

from typing import Any

import httpx
import pytest
import sqlalchemy as sa
from sqlalchemy.exc import DBAPIError

from mlpcore.features.instances.loops.reconciler import Reconciler
from mlpcore.features.models.tables import Model
from mlpcore.features.placement.needs import COLUMNS, Needs, needs_of
from mlplace_runtime.db.database import Database
from mlplace_testing.agents import AgentTwin
from mlplace_testing.statements import Statements
from mlplace_testing.world import World

from .test_placement import ACCOUNT, MODEL, allocations, listed, need, scale

USUAL = Needs(milli_cpu=100, ram_mb=500, disk_mb=100)
LARGE = {
    "cpuRequest": "1.5", "memoryLimit": "1Gi", "ephemeralDiskLimit": "2Gi", "gpuRequested": True, "gpuCount": 2,
    "gpuMemoryLimitMb": 4096, "gpuModels": ["NVIDIA L4"], "serverLabels": {"zone": "a"},
}  # fmt: skip
NEEDED = Needs(
    milli_cpu=1500, ram_mb=1024, disk_mb=2048, gpu_count=2, vram_mb=4096, gpu_models=frozenset({"nvidia l4"}),
    labels=(("zone", "a"),),
)  # fmt: skip


async def stored(database: Database) -> dict[str, Needs]:
    """Returns the needs of each model by its name."""
    async with database.transaction() as session:
        rows = (await session.execute(sa.select(Model.name, *COLUMNS))).all()
    return {name: Needs.read(*needed) for name, *needed in rows}


async def save(client: httpx.AsyncClient, headers: dict[str, str], path: str, **body: Any) -> None:
    answer = await client.post(path, json=body, headers=headers)
    assert answer.status_code == 200, answer.text


async def clone(client: httpx.AsyncClient, headers: dict[str, str]) -> None:
    answer = await client.post(f"{MODEL}/clone", params={"name": "copy"}, headers=headers)
    assert answer.status_code == 200, answer.text


class TestFollowSettings:
    async def test_of_a_new_service(self, client: httpx.AsyncClient, publisher: World, database: Database) -> None:
        await save(client, publisher.owner, f"{ACCOUNT}/model", modelName="usual")
        await save(client, publisher.owner, f"{ACCOUNT}/model", modelName="large", resourceLimits=LARGE)
        assert await stored(database) == {"usual": USUAL, "large": NEEDED}

    async def test_of_a_changed_one(
        self, client: httpx.AsyncClient, publisher: World, model_id: int, database: Database
    ) -> None:
        await need(client, publisher, **LARGE)
        assert await stored(database) == {"greeting": NEEDED}
        await save(client, publisher.owner, MODEL, modelName="renamed", shortDescription="no need has changed")
        assert await stored(database) == {"renamed": NEEDED}
        await save(client, publisher.owner, f"{ACCOUNT}/model/renamed", modelName="renamed", resourceLimits=None)
        assert await stored(database) == {"renamed": USUAL}

    async def test_refused_settings_change_none(
        self, client: httpx.AsyncClient, publisher: World, model_id: int, database: Database
    ) -> None:
        body = {"modelName": "greeting", "resourceLimits": {"memoryLimit": "1Gi", "cpuRequest": "lots"}}
        assert (await client.post(MODEL, json=body, headers=publisher.owner)).status_code == 400
        assert await stored(database) == {"greeting": USUAL}

    async def test_of_a_clone(
        self, client: httpx.AsyncClient, publisher: World, model_id: int, database: Database
    ) -> None:
        await need(client, publisher, **LARGE)
        await clone(client, publisher.owner)
        await save(client, publisher.owner, MODEL, modelName="greeting", resourceLimits={})
        assert await stored(database) == {"greeting": USUAL, "copy": NEEDED}

    async def test_of_a_clone_of_another_accounts_prototype(
        self, client: httpx.AsyncClient, publisher: World, database: Database
    ) -> None:
        body = {"modelName": "greeting", "resourceLimits": LARGE, "prototype": True}
        await save(client, publisher.owner, f"{ACCOUNT}/model", **body)
        await save(client, publisher.owner, f"{MODEL}/public-settings", isPublic=True)
        await clone(client, publisher.stranger)
        assert await stored(database) == {"greeting": NEEDED, "copy": NEEDED}

    async def test_row_in_the_session_has_them_after_a_flush_without_another_statement(
        self, model_id: int, database: Database, statements: Statements
    ) -> None:
        async with database.transaction() as session:
            model = await session.get_one(Model, model_id)
            model.resource_limits = {**model.resource_limits, **LARGE}
            statements.clear()
            await session.flush()
            assert needs_of(model) == NEEDED
            assert statements.selects == []

    async def test_nothing_else_can_write_them(self, model_id: int, database: Database) -> None:
        with pytest.raises(DBAPIError, match="can only be updated to DEFAULT"):
            async with database.transaction() as session:
                await session.execute(sa.update(Model).values(milli_cpu=1))


class TestPlacement:
    async def test_running_instance_keeps_its_room_and_the_next_start_uses_the_new_needs(
        self, client: httpx.AsyncClient, publisher: World, model_id: int, agent: AgentTwin, database: Database
    ) -> None:
        await scale(client, publisher, 1)
        (first,) = await allocations(database)
        await need(client, publisher, cpuRequest="200m", memoryLimit="900Mi")
        assert await allocations(database) == {first: (100, 500, 100)}
        await scale(client, publisher, 2)
        held = await allocations(database)
        assert (held.pop(first), list(held.values())) == ((100, 500, 100), [(200, 900, 100)])

    async def test_waiting_instance_gets_room_for_the_new_needs(
        self,
        client: httpx.AsyncClient,
        publisher: World,
        model_id: int,
        agent: AgentTwin,
        database: Database,
        reconciler: Reconciler,
    ) -> None:
        await need(client, publisher, memoryLimit="5000Mi")
        await scale(client, publisher, 1)
        await reconciler.turn()
        assert await allocations(database) == {}
        await need(client, publisher, memoryLimit="900Mi")
        await reconciler.turn()
        assert list((await allocations(database)).values()) == [(100, 900, 100)]

    async def test_service_whose_settings_cannot_be_read_waits_and_holds_up_no_other(
        self,
        client: httpx.AsyncClient,
        publisher: World,
        model_id: int,
        agent: AgentTwin,
        database: Database,
        reconciler: Reconciler,
    ) -> None:
        await need(client, publisher, memoryLimit="5000Mi")
        await clone(client, publisher.owner)
        for name in ("greeting", "copy"):
            await client.post(f"{ACCOUNT}/model/{name}/instances", json=1, headers=publisher.owner)
        assert await allocations(database) == {}
        async with database.transaction() as session:
            broken = {"cpuRequest": "100m", "memoryLimit": "lots", "ephemeralDiskLimit": "100Mi"}
            await session.execute(sa.update(Model).where(Model.model_id == model_id).values(resource_limits=broken))
        await save(client, publisher.owner, f"{ACCOUNT}/model/copy", modelName="copy", resourceLimits={})
        await reconciler.turn()
        assert list((await allocations(database)).values()) == [(100, 500, 100)]
        (waits,) = await listed(client, publisher)
        assert (waits["waiting"]["reason"], waits["waiting"]["details"]["limit"]["name"]) == (
            "AccountLimit",
            "memoryLimit",
        )
