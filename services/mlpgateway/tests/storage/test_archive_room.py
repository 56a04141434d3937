"""An account's archive keeps to its part of the storage: the oldest records make room."""

from datetime import timedelta
from typing import Any

import pytest
import sqlalchemy as sa

from mlpgateway.features.archive.metrics import ARCHIVE_DROPPED
from mlpgateway.features.archive.tables import ArchivedRequest
from mlplace_contracts.events import ModelArchive
from mlplace_testing.waiting import eventually

ARCHIVE = "/api/mlpgateway/account/acme/model/ner/archive"
BODY = '{"text":"' + "x" * 20_000 + '"}'


@pytest.fixture
def world(world_with_cleanup) -> Any:
    return world_with_cleanup


@pytest.fixture
def owner(world, kit) -> dict[str, str]:
    world.know(kit.model_changed(archive=ModelArchive(most=1000)))
    return world.key(kit.ACME, permissions=("read", "write"))


@pytest.fixture
def archived(world, owner):
    async def read() -> list[dict]:
        answer = await world.client.get(ARCHIVE, params={"size": 100}, headers=owner)
        assert answer.status_code == 200, answer.text
        return answer.json()["records"]

    return read


def dropped() -> float:
    return ARCHIVE_DROPPED.labels("limit")._value.get()


async def rows(world) -> int:
    async with world.components.database.transaction() as session:
        return (await session.execute(sa.select(sa.func.count()).select_from(ArchivedRequest))).scalar_one()


class TestRoom:
    async def test_newest_records_stay_and_the_oldest_make_room(
        self, world, kit, owner, archived, limited, storage
    ) -> None:
        most = 400_000
        limited(most, kit.ACME)
        world.instance(kit.says('"a"'))
        newest = ""
        for _ in range(30):
            await world.predict(world.key(), BODY)
            found = await eventually(
                archived, until=lambda found, known=newest: found and found[0]["id"] != known, seconds=60
            )
            newest = found[0]["id"]
            assert (await storage("acme", owner))["kinds"]["archive"][0] <= most // 2
        assert 5 <= len(await archived()) <= 9

    async def test_nothing_is_archived_without_storage(self, world, kit, owner, archived, limited) -> None:
        limited(1000, kit.ACME)
        world.instance(kit.says('"a"'))
        before = dropped()
        assert (await world.predict(world.key(), BODY)).status_code == 200

        async def more() -> float:
            return dropped() - before

        await eventually(more, seconds=60)
        limited(10**9, kit.ACME)
        await world.predict(world.key(), '{"text":"second"}')
        (only,) = await eventually(archived, until=bool, seconds=60)
        assert only["requestBytes"] < 100

    async def test_record_older_than_the_accounts_setting_is_deleted(
        self, world, kit, owner, archived, storage
    ) -> None:
        world.instance(kit.says('"a"'))
        for _ in range(2):
            await world.predict(world.key(), "{}")
        second, first = await eventually(archived, until=lambda found: len(found) == 2, seconds=60)
        async with world.components.database.transaction() as session:
            values = {"created_at": sa.func.now() - timedelta(hours=2)}
            await session.execute(sa.update(ArchivedRequest).where(ArchivedRequest.id == first["id"]).values(**values))
        wanted = {"predictionHours": None, "answerHours": None, "archiveHours": 1}
        await world.client.put("/api/mlpgateway/account/acme/storage", json=wanted, headers=owner)
        left = await eventually(archived, until=lambda found: len(found) == 1, seconds=60)
        assert left[0]["id"] == second["id"]

    async def test_owner_can_delete_one_and_all(self, world, kit, owner, archived, storage) -> None:
        world.instance(kit.says('"a"'))
        for _ in range(3):
            await world.predict(world.key(), "{}")
        found = await eventually(archived, until=lambda found: len(found) == 3, seconds=60)
        one = f"{ARCHIVE}/{found[1]['id']}"
        stranger = world.key(permissions=("read", "write"))
        assert (await world.client.delete(one, headers=stranger)).status_code in {403, 404}
        reader = world.key(kit.ACME, permissions=("read",))
        assert (await world.client.delete(ARCHIVE, headers=reader)).status_code == 403
        assert (await world.client.delete(one, headers=owner)).status_code == 204
        assert (await world.client.delete(one, headers=owner)).status_code == 404
        assert [each["id"] for each in await archived()] == [found[0]["id"], found[2]["id"]]
        assert (await world.client.delete(ARCHIVE, headers=owner)).status_code == 204
        assert await archived() == []

        async def use() -> int:
            return (await storage("acme", owner))["usedBytes"]

        await eventually(use, until=lambda size: size == 0, seconds=60)
        assert await rows(world) == 0
