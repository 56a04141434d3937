"""SQL that finds what metrics are about."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncSession

from mlpcore.features.instances.tables import Instance
from mlpcore.features.models.tables import Model
from mlpcore.features.placement.tables import Allocation
from mlpcore.features.resource_groups.tables import ResourceGroup
from mlpcore.features.servers.tables import Server
from mlplace_kit.names import PathRef


@dataclass(frozen=True, slots=True)
class HeldAmounts:
    milli_cpu: int
    ram_mb: int


class Subjects:
    def __init__(self, session: AsyncSession) -> None:
        self._session = session

    async def models_of(self, account_id: int) -> Sequence[int]:
        """Returns the models of the account, deleted ones too."""
        statement = sa.select(Model.model_id).where(Model.account_id == account_id)
        return (await self._session.scalars(statement)).all()

    async def all_models(self) -> Sequence[int]:
        return (await self._session.scalars(sa.select(Model.model_id))).all()

    async def own_models(
        self, account_id: int, *, ids: Sequence[int] = (), names: Sequence[str] = ()
    ) -> Mapping[int, str]:
        """Returns the names of those of the models that are live and belong to the account, by id."""
        named = sa.or_(Model.model_id.in_(ids), Model.name.in_(names))
        statement = sa.select(Model.model_id, Model.name).where(
            Model.account_id == account_id, Model.deleted_at.is_(None), named
        )
        return {row[0]: row[1] for row in await self._session.execute(statement)}

    async def model(self, account_id: int, ref: PathRef) -> int | None:
        """Finds a live model of the account by id or name; by id also a deleted one."""
        named = sa.and_(Model.name == ref.name, Model.deleted_at.is_(None))
        which = Model.model_id == ref.id if ref.id is not None else named
        return await self._session.scalar(sa.select(Model.model_id).where(Model.account_id == account_id, which))

    async def has_instance(self, model_id: int, instance_id: int) -> bool:
        """Says whether it is an instance of the model, or was one."""
        found = sa.select(Instance.instance_id).where(
            Instance.model_id == model_id, Instance.instance_id == instance_id
        )
        return await self._session.scalar(found) is not None

    async def held(self, instance_id: int) -> HeldAmounts | None:
        """Returns what the instance holds on its server; None if it has none."""
        statement = sa.select(Allocation.milli_cpu, Allocation.ram_mb).where(Allocation.instance_id == instance_id)
        row = (await self._session.execute(statement)).first()
        return None if row is None else HeldAmounts(row[0], row[1])

    async def group(self, account_id: int, name: str) -> int | None:
        statement = sa.select(ResourceGroup.group_id).where(
            ResourceGroup.account_id == account_id, ResourceGroup.name == name
        )
        return await self._session.scalar(statement)

    async def server(self, group_id: int, name: str) -> int | None:
        return await self._session.scalar(
            sa.select(Server.server_id).where(Server.group_id == group_id, Server.name == name)
        )
