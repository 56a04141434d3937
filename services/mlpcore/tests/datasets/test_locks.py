"""Transactions that lock datasets, models and limits in one order: they wait for each other and never deadlock."""

import asyncio
from collections.abc import Callable, Coroutine

import httpx
import pytest
import sqlalchemy as sa

from mlpcore.errors import InUse
from mlpcore.features.accounts.change_log import Author
from mlpcore.features.accounts.dependencies import account_service_of
from mlpcore.features.accounts.schemas import DEFAULT_LIMITS
from mlpcore.features.datasets.content import EMPTY, Content
from mlpcore.features.datasets.dependencies import dataset_service_of
from mlpcore.features.datasets.errors import StorageLimitExceeded
from mlpcore.features.datasets.repository import DatasetRepository
from mlpcore.features.datasets.schemas import CreateOrUpdateDatasetInfoData, DatasetInfoData
from mlpcore.features.models.repository import ModelRepository
from mlpcore.state import CoreState
from mlplace_kit.errors import NameAlreadyExists
from mlplace_kit.names import PathRef
from mlplace_testing.world import World

_BLOCKED = sa.text(
    "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
)
_CONTENT = Content(key="datasets/x", size=3, sha256="0" * 64, rows=None, columns=None, warnings=())
_NEW = CreateOrUpdateDatasetInfoData(name="new")


async def _create(state: CoreState, account_id: int) -> DatasetInfoData:
    async with state.database.transaction() as session:
        service = dataset_service_of(state, session)
        return await service.create(account_id=account_id, data=_NEW, user_id=None, content=EMPTY)


async def _somebody_waits(state: CoreState) -> None:
    async with state.database.dedicated_connection() as connection, asyncio.timeout(60):
        while not (await connection.execute(_BLOCKED)).scalar_one():
            await connection.rollback()


async def test_change_of_name_and_content_and_a_creation_with_that_name_do_not_deadlock(
    state: CoreState, client: httpx.AsyncClient, world: World
) -> None:
    made = await client.post("/api/mlpcore/account/acme/dataset/empty", json={"name": "old"}, headers=world.owner)
    account_id, dataset_id = made.json()["id"]["accountId"], made.json()["id"]["datasetId"]
    async with state.database.transaction() as session:
        service = dataset_service_of(state, session)
        await service.update(account_id=account_id, dataset_id=dataset_id, data=_NEW, user_id=None)
        creation = asyncio.create_task(_create(state, account_id))
        await _somebody_waits(state)
        await service.set_content(
            account_id=account_id,
            dataset_id=dataset_id,
            content=_CONTENT,
            checked_as=made.json()["dataType"],
            version=None,
            user_id=None,
        )
    with pytest.raises(NameAlreadyExists):
        await creation
    shown = await client.get(f"/api/mlpcore/account/acme/dataset/{dataset_id}", headers=world.owner)
    assert (shown.json()["name"], shown.json()["size"]) == ("new", 3)


async def _set_content(state: CoreState, account_id: int, dataset_id: int) -> DatasetInfoData:
    async with state.database.transaction() as session:
        service = dataset_service_of(state, session)
        made, _ = await service.set_content(
            account_id=account_id,
            dataset_id=dataset_id,
            content=_CONTENT,
            checked_as="json/any",
            version=None,
            user_id=None,
        )
        return made


async def _delete(state: CoreState, account_id: int, dataset_id: int) -> None:
    async with state.database.transaction() as session:
        await dataset_service_of(state, session).delete(account_id=account_id, dataset_id=dataset_id)


async def _dataset(client: httpx.AsyncClient, headers: dict[str, str]) -> tuple[int, int]:
    body = {"name": "d", "accessMode": "public"}
    made = (await client.post("/api/mlpcore/account/acme/dataset/empty", json=body, headers=headers)).json()["id"]
    return made["accountId"], made["datasetId"]


@pytest.mark.parametrize("write", [_set_content, _delete])
async def test_writer_of_a_dataset_and_a_clone_that_starts_do_not_deadlock(
    state: CoreState, client: httpx.AsyncClient, world: World, write: Callable[..., Coroutine[None, None, object]]
) -> None:
    """Such a clone locks the dataset of its source, and then the limits of its account, which own the dataset here."""
    account_id, dataset_id = await _dataset(client, world.owner)
    async with state.database.transaction() as session:
        usable = DatasetRepository(session).usable
        assert await usable(account_id=account_id, dataset_id=dataset_id) is not None
        writer = asyncio.create_task(write(state, account_id, dataset_id))
        await _somebody_waits(state)
        await account_service_of(session, state).lock_platform(account_id=account_id)
    await writer


async def test_change_of_limits_does_not_wait_for_a_writer_that_waits_for_a_dataset(
    state: CoreState, client: httpx.AsyncClient, world: World
) -> None:
    account_id, dataset_id = await _dataset(client, world.owner)
    async with state.database.transaction() as session:
        assert await DatasetRepository(session).usable(account_id=account_id, dataset_id=dataset_id) is not None
        writer = asyncio.create_task(_set_content(state, account_id, dataset_id))
        await _somebody_waits(state)
        async with state.database.transaction() as other:
            ref = PathRef(id=account_id, name=None)
            limits = DEFAULT_LIMITS.model_copy(update={"storage_limit": "2"})
            await account_service_of(other, state).set_limits(ref=ref, limits=limits, author=Author())
    with pytest.raises(StorageLimitExceeded):
        await writer


@pytest.mark.parametrize("own", [True, False])
async def test_deletion_waits_for_a_copy_of_a_model_that_refers_to_the_dataset(
    state: CoreState, client: httpx.AsyncClient, world: World, *, own: bool
) -> None:
    account_id, dataset_id = await _dataset(client, world.owner)
    name, headers = ("acme", world.owner) if own else ("globex", world.stranger)
    path = f"/api/mlpcore/account/{name}/model"
    made = (await client.post(path, json={"modelName": "m"}, headers=headers)).json()["id"]
    async with state.database.transaction() as session:
        datasets, models = DatasetRepository(session), ModelRepository(session)
        assert await datasets.usable(account_id=made["accountId"], dataset_id=dataset_id) is not None
        deletion = asyncio.create_task(_delete(state, account_id, dataset_id))
        await _somebody_waits(state)
        model = await models.owned(account_id=made["accountId"], ref=PathRef(id=made["modelId"], name=None), lock=True)
        assert model is not None
        model.training_dataset_id, model.training_dataset_account_id = dataset_id, account_id
        await models.flush(model)
    with pytest.raises(InUse):
        await deletion
    left = (await client.get(f"{path}/m", headers=headers)).json()["trainingDatasetId"]
    assert left == dataset_id
