"""SQL of instances that wait for a server."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql
from sqlalchemy.ext.asyncio import AsyncSession

from mlpcore.features.data_images.tables import DataImage
from mlpcore.features.images.hiding import is_hidden
from mlpcore.features.images.tables import Image, ImageColumns
from mlpcore.features.instances.conditions import waiting
from mlpcore.features.instances.scheduling.placing import Candidate
from mlpcore.features.instances.tables import Instance
from mlpcore.features.models.tables import Model
from mlpcore.features.placement.effective_group import GROUP_ID, with_group
from mlpcore.features.placement.needs import COLUMNS, Needs, ServiceNeeds
from mlpcore.features.resource_groups.tables import ResourceGroup


class WaitingRepository:
    def __init__(self, session: AsyncSession) -> None:
        self._session = session

    async def by_group(self) -> Sequence[tuple[int, int | None]]:
        """Returns each waiting instance with the group in which it may run; None for a service without one."""
        waits = sa.select(Instance.instance_id, GROUP_ID).join(Model, Model.model_id == Instance.model_id)
        statement = with_group(waits).where(waiting()).order_by(Instance.instance_id)
        return [(row[0], row[1]) for row in (await self._session.execute(statement)).all()]

    async def of_account(self, account_id: int, group_id: int) -> Sequence[int]:
        """Returns the account's instances that wait for a server of the group."""
        waits = sa.select(Instance.instance_id).join(Model, Model.model_id == Instance.model_id)
        mine = with_group(waits).where(waiting(), Instance.account_id == account_id, GROUP_ID.in_([group_id]))
        return (await self._session.scalars(mine)).all()

    async def of_group(self, group_id: int) -> Sequence[int]:
        """Returns the instances of all accounts that wait for a server of the group."""
        waits = sa.select(Instance.instance_id).join(Model, Model.model_id == Instance.model_id)
        return (await self._session.scalars(with_group(waits).where(waiting(), GROUP_ID.in_([group_id])))).all()

    async def group(self, group_id: int) -> ResourceGroup | None:
        return await self._session.get(ResourceGroup, group_id)

    async def accounts(self, instance_ids: Sequence[int]) -> set[int]:
        """Returns the accounts of these instances."""
        statement = sa.select(Instance.account_id).where(_among(instance_ids)).distinct()
        return set((await self._session.scalars(statement)).all())

    async def read(self, instance_ids: Sequence[int]) -> Sequence[Candidate]:
        """Returns those that wait, the longest waiting first, without locks."""
        return await self._candidates(_of(instance_ids))

    async def lock(self, instance_ids: Sequence[int]) -> Sequence[Candidate]:
        """Locks and returns those that still wait and that nobody else has locked, the longest waiting first."""
        if not instance_ids:
            return []
        return await self._candidates(_of(instance_ids).with_for_update(of=Instance, skip_locked=True))

    async def services(self, waiting: Sequence[Candidate]) -> Mapping[int, ServiceNeeds]:
        """Returns the models of these instances, by id, as they are stored."""
        ids = sa.literal(sorted({each.model_id for each in waiting}), postgresql.ARRAY(sa.BigInteger))
        others = (Model.model_id, Model.account_id, Image, Model.data_image_mounts, Model.timeouts)
        statement = (
            sa.select(*others, *COLUMNS)
            .outerjoin(Image, Image.image_id == Model.image_id)
            .where(Model.model_id == sa.any_(ids))
        )
        rows = await self._rows(statement)
        mounted = await self._data_images({mount["dataImageId"] for row in rows for mount in row.data_image_mounts})
        found: dict[int, ServiceNeeds] = {}
        for model_id, account_id, image, mounts, timeouts, *needed in rows:
            images: list[ImageColumns | None] = [image, *(mounted.get(mount["dataImageId"]) for mount in mounts)]
            found[model_id] = ServiceNeeds(
                model_id,
                image is not None,
                Needs.read(*needed, image=None if image is None else image.image, mounts=bool(mounts)),
                int(timeouts["podStartTimeoutSec"]),
                frozenset(each.account_id for each in images if each is not None and is_hidden(each, account_id)),
            )
        return found

    async def _data_images(self, image_ids: Collection[int]) -> Mapping[int, DataImage]:
        if not image_ids:
            return {}
        statement = sa.select(DataImage).where(DataImage.image_id.in_(image_ids))
        return {each.image_id: each for each in await self._session.scalars(statement)}

    async def _candidates(self, statement: sa.Select[*tuple[Any, ...]]) -> Sequence[Candidate]:
        return [Candidate(*row) for row in await self._rows(statement)]

    async def _rows(self, statement: sa.Select[*tuple[Any, ...]]) -> Sequence[sa.Row[*tuple[Any, ...]]]:
        return (await self._session.execute(statement)).all()


def _of(instance_ids: Sequence[int]) -> sa.Select[*tuple[Any, ...]]:
    columns = (
        Instance.instance_id,
        Instance.account_id,
        Instance.model_id,
        Instance.derived,
        Instance.hostname,
        Instance.waiting_reason,
        Instance.waiting_details,
    )
    return (
        sa.select(*columns)
        .where(_among(instance_ids), waiting())
        .order_by(Instance.start_requested_at, Instance.instance_id)
    )


def _among(instance_ids: Sequence[int]) -> sa.ColumnElement[bool]:
    """One parameter for all ids: SQLAlchemy takes long to expand `IN` for a thousand."""
    return Instance.instance_id == sa.any_(sa.literal(list(instance_ids), postgresql.ARRAY(sa.BigInteger)))
