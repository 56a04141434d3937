"""SQL of the groups into which an account sorts its models. The feature model_groups has their routes."""

from collections.abc import Sequence

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncSession

from mlpcore.features.models.tables import Model, ModelGroup
from mlpcore.unique_names import unique_name


class GroupsOfModels:
    def __init__(self, session: AsyncSession) -> None:
        self._session = session

    async def of_account(self, account_id: int) -> Sequence[ModelGroup]:
        statement = sa.select(ModelGroup).where(ModelGroup.account_id == account_id).order_by(ModelGroup.name)
        return (await self._session.scalars(statement)).all()

    async def owned(self, *, account_id: int, group_id: int) -> ModelGroup | None:
        """Returns the group, locked until the transaction ends."""
        statement = sa.select(ModelGroup).where(ModelGroup.account_id == account_id, ModelGroup.group_id == group_id)
        return (await self._session.scalars(statement.with_for_update())).first()

    async def add(self, *, account_id: int, name: str) -> ModelGroup:
        """Raises NameAlreadyExists when the account has another group of this name."""
        group = ModelGroup(account_id=account_id, name=name)
        self._session.add(group)
        await self._flush(group)
        return group

    async def rename(self, group: ModelGroup, name: str) -> None:
        """Raises NameAlreadyExists when the account has another group of this name."""
        group.name = name
        await self._flush(group)

    async def assign(self, model: Model, group_id: int | None) -> None:
        """Puts a model that the caller has locked into a group of its account; None removes it from its group."""
        model.model_group_id = group_id
        await self._session.flush()

    async def delete(self, group: ModelGroup) -> None:
        """Deletes the group. Its models stay, without a group."""
        of_group = (Model.account_id == group.account_id, Model.model_group_id == group.group_id)
        await self._session.execute(sa.update(Model).where(*of_group).values(model_group_id=None))
        await self._session.delete(group)

    async def _flush(self, group: ModelGroup) -> None:
        with unique_name("a group", group.name):
            await self._session.flush()
