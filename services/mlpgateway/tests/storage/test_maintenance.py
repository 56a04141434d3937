"""Wrong counts are corrected, and orphaned objects are deleted."""

import asyncio
import uuid
from datetime import timedelta

import pytest
import sqlalchemy as sa

from mlpgateway.features.storage.counting import Kind, StoredBytes
from mlpgateway.features.storage.maintenance import StorageMaintenance
from mlpgateway.features.storage.tables import StorageChange

LARGE = '"' + "x" * 300_000 + '"'


@pytest.fixture
def maintenance(world) -> StorageMaintenance:
    """Returns a storage maintenance to which every object is old."""
    own = world.components.storage.maintenance
    return StorageMaintenance(own._stored, database=world.components.database, objects=own._objects, young=timedelta(0))


async def astray(world, kit, kind: Kind, size: int, items: int) -> None:
    async with world.components.database.transaction() as session:
        await StoredBytes(session).change(kit.DEMO, kind, size=size, items=items)


async def keys(world) -> list[str]:
    return [each.key async for batch in world.components.storage.maintenance._objects.entries("") for each in batch]


class TestCounts:
    async def test_folding_does_not_change_the_sums(self, world, maintenance, storage, begun) -> None:
        for _ in range(3):
            await begun()
        before = await storage()
        await maintenance.fold()
        async with world.components.database.transaction() as session:
            assert (await session.execute(sa.select(sa.func.count()).select_from(StorageChange))).scalar_one() == 0
        assert await storage() == before
        await begun()
        assert (await storage())["kinds"]["predictions"][1] == 4

    async def test_counts_are_right_when_changes_happen_during_folding(self, maintenance, storage, begun) -> None:
        one = await begun()
        size = (await storage())["usedBytes"]
        assert one

        async def fold() -> None:
            for _ in range(10):
                await maintenance.fold()

        await asyncio.gather(*(begun() for _ in range(20)), fold(), maintenance.reconcile())
        assert (await storage())["kinds"]["predictions"] == (21 * size, 21)

    async def test_wrong_counts_are_corrected(self, world, kit, maintenance, storage, begun) -> None:
        await begun()
        before = await storage()
        await astray(world, kit, Kind.PREDICTIONS, 12_345, 1)
        await astray(world, kit, Kind.ARCHIVE, -99, -1)
        await maintenance.fold()
        await astray(world, kit, Kind.ANSWERS, 7, 0)
        assert (await storage())["usedBytes"] != before["usedBytes"]
        await maintenance.reconcile()
        assert await storage() == before


class TestOrphans:
    async def test_orphaned_objects_are_deleted_and_all_others_stay(
        self, world, kit, served, maintenance, begun, over, caller
    ) -> None:
        world.instance(kit.says(LARGE))
        made = await over(await begun())
        (named,) = await keys(world)
        objects = maintenance._objects
        left = [
            f"mlpgateway/predictions/{made['id']}/{uuid.uuid4().hex}",
            f"mlpgateway/predictions/{uuid.uuid4()}/{uuid.uuid4().hex}",
            f"archive/{kit.ACME}/{kit.MODEL}/{uuid.uuid4()}",
        ]
        for key in left:
            await objects.put(key, b"left behind")
        await objects.put("somebody/else", b"not ours")
        await world.components.storage.maintenance.remove_orphans()
        assert len(await keys(world)) == 5, "they are young: their rows may be on the way"
        await maintenance.remove_orphans()
        assert sorted(await keys(world)) == sorted([named, "somebody/else"])
        output = await world.client.get(made["urls"]["output"], headers=caller)
        assert output.text == LARGE

    async def test_objects_of_an_open_prediction_stay(self, world, maintenance, begun) -> None:
        made = await begun()
        key = f"mlpgateway/predictions/{made['id']}/{uuid.uuid4().hex}"
        await maintenance._objects.put(key, b"of an attempt under way")
        await maintenance.remove_orphans()
        assert await keys(world) == [key]
