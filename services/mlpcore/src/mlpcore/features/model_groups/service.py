from mlpcore.features.model_groups.schemas import ModelGroupData, ModelGroupPK
from mlpcore.features.models.groups import GroupsOfModels
from mlpcore.features.models.reading.access import OwnedModels
from mlpcore.features.models.tables import ModelGroup
from mlplace_kit.errors import NotFound, ValidationFailed
from mlplace_kit.violations import broken
from mlplace_runtime.web.policy import Access


class ModelGroupService:
    def __init__(self, groups: GroupsOfModels, models: OwnedModels) -> None:
        self._groups = groups
        self._models = models

    async def listed(self, *, account_id: int) -> list[ModelGroupData]:
        return [_data(group) for group in await self._groups.of_account(account_id)]

    async def create(self, *, account_id: int, data: ModelGroupData) -> ModelGroupData:
        return _data(await self._groups.add(account_id=account_id, name=data.name))

    async def rename(self, *, account_id: int, data: ModelGroupData) -> ModelGroupData:
        if data.id is None:
            raise ValidationFailed({"id": broken("required")})
        if data.id.account_id != account_id:
            raise NotFound(entity="group")
        group = await self._existing(account_id, data.id.group_id)
        await self._groups.rename(group, data.name)
        return _data(group)

    async def delete(self, *, account_id: int, group_id: int) -> None:
        await self._groups.delete(await self._existing(account_id, group_id))

    async def assign(self, *, access: Access, model: str, group_id: int | None) -> None:
        """Puts the model into the group; None removes it from its group. Raises NotFound for the group."""
        found = await self._models.get(access, model, lock=True)
        if group_id is not None:
            await self._existing(access.account.account_id, group_id)
        await self._groups.assign(found, group_id)

    async def _existing(self, account_id: int, group_id: int) -> ModelGroup:
        group = await self._groups.owned(account_id=account_id, group_id=group_id)
        if group is None:
            raise NotFound(entity="group")
        return group


def _data(group: ModelGroup) -> ModelGroupData:
    return ModelGroupData(id=ModelGroupPK(account_id=group.account_id, group_id=group.group_id), name=group.name)
