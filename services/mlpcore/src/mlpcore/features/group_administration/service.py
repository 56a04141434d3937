"""Reads and changes the resource groups of all accounts."""

from typing import Protocol

from mlpcore.features.group_administration.repository import GroupAdministrationRepository
from mlpcore.features.group_administration.schemas import (
    ResourceGroupChange,
    ResourceGroupData,
    ResourceGroupsChange,
    ResourceGroupsData,
)
from mlpcore.features.resource_groups.schemas import GroupAccess, UpdateResourceGroupData
from mlpcore.features.resource_groups.service import essential
from mlpcore.features.resource_groups.tables import ResourceGroup
from mlplace_kit.errors import ValidationFailed
from mlplace_kit.violations import Violation, broken


class Groups(Protocol):
    async def update(
        self, *, account_id: int, name: str, data: UpdateResourceGroupData, superadmin: bool, user_id: int | None
    ) -> None: ...


class OwnedGroups(Protocol):
    async def owned(self, *, account_id: int, name: str) -> ResourceGroup | None: ...


class GroupAdministration:
    def __init__(self, repository: GroupAdministrationRepository, owned: OwnedGroups, groups: Groups) -> None:
        self._repository = repository
        self._owned = owned
        self._groups = groups

    async def all(self) -> ResourceGroupsData:
        return ResourceGroupsData(groups=[group_data(group, name) for group, name in await self._repository.all()])

    async def change(self, data: ResourceGroupsChange, *, user_id: int | None) -> ResourceGroupsData:
        """Changes all of these groups or none, whatever their order. Raises ValidationFailed, and what a change of one
        group raises.
        """
        problems: dict[str, Violation] = {}
        # In the order of accounts: each change locks the groups of its account. Groups that become public come last.
        for number, change in sorted(enumerate(data.groups), key=_order):
            problems |= await self._change(number, change, user_id)
        if problems:
            raise ValidationFailed(problems)
        return await self.all()

    async def _change(self, number: int, change: ResourceGroupChange, user_id: int | None) -> dict[str, Violation]:
        account_id = _account(change)
        if account_id is None:
            return {f"groups.{number}.accountId": broken("required")}
        group = await self._owned.owned(account_id=account_id, name=change.name)
        if group is None:
            return {f"groups.{number}.name": broken("not_found")}
        if change.resource_group_type not in {None, group.resource_group_type}:
            return {f"groups.{number}.resourceGroupType": broken("hosting_only")}
        sent = change.model_fields_set & set(UpdateResourceGroupData.model_fields) - {"name"}
        update = UpdateResourceGroupData.model_validate({field: getattr(change, field) for field in sent})
        try:
            await self._groups.update(
                account_id=account_id, name=change.name, data=update, superadmin=True, user_id=user_id
            )
        except ValidationFailed as failure:
            return {f"groups.{number}.{field}": found for field, found in failure.violations.items()}
        for name in ("tolerations", "affinity"):
            if (value := getattr(change, name)) is not None:
                group.extras = {**group.extras, name: value}
        return {}


def group_data(group: ResourceGroup, account_name: str | None, *, own: bool = True) -> ResourceGroupData:
    """Unless `own`, leaves out what only the group's owner may know."""
    extras = group.extras if own else {}
    return ResourceGroupData.model_validate(
        {
            **essential(group, own=own).model_dump(),
            "tolerations": extras.get("tolerations") or {},
            "affinity": extras.get("affinity") or {},
            "account_id": group.account_id,
            "account_name": account_name,
        }
    )


def _order(entry: tuple[int, ResourceGroupChange]) -> tuple[int, bool, str]:
    _, change = entry
    return _account(change) or 0, change.access is GroupAccess.PUBLIC, change.name


def _account(change: ResourceGroupChange) -> int | None:
    return change.account_id or change.owner_id
