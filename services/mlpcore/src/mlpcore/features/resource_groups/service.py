from collections.abc import Collection

from mlpcore.errors import InUse
from mlpcore.features.resource_groups.errors import PublicGroupExists
from mlpcore.features.resource_groups.repository import ResourceGroupRepository
from mlpcore.features.resource_groups.schemas import (
    CreateResourceGroupData,
    GroupAccess,
    GroupType,
    ResourceGroupAutoScalingConfiguration,
    ResourceGroupEssentialData,
    UpdateResourceGroupData,
    extras_of,
    prices_of,
)
from mlpcore.features.resource_groups.tables import ResourceGroup
from mlpcore.features.stat_logs.codes import LogCode
from mlpcore.features.stat_logs.service import StatLogs
from mlpcore.ports import GroupUsers
from mlpcore.system_account import SYSTEM_ACCOUNT
from mlplace_kit.clock import Clock
from mlplace_kit.denials import AdministratorNeeded
from mlplace_kit.errors import NotFound, ValidationFailed
from mlplace_kit.violations import broken


class ResourceGroupService:
    """An account has at most one default group; the last request wins. It has at most one public group, except the
    platform's account.
    """

    def __init__(
        self,
        repository: ResourceGroupRepository,
        types: Collection[str],
        users: GroupUsers,
        logs: StatLogs,
        clock: Clock,
    ) -> None:
        """`types`: those of the groups that can be made."""
        self._repository = repository
        self._types = types
        self._users = users
        self._logs = logs
        self._clock = clock

    async def create(
        self, *, account_id: int, data: CreateResourceGroupData, superadmin: bool, user_id: int | None
    ) -> ResourceGroupEssentialData:
        """Only a superadmin may create a group that is not private.

        Raises NameAlreadyExists, AccessDenied, PublicGroupExists.
        """
        self._check_access(data.access, superadmin=superadmin)
        self._check_type(data.resource_group_type)
        await self._repository.hold(account_id=account_id)
        await self._check_only_public(account_id, data.access)
        scaling = data.auto_scaling_configuration
        reserve_id = await self._reserve(scaling, account_id=account_id) if scaling else None
        if data.is_default:
            await self._repository.clear_default(account_id=account_id)
        group = ResourceGroup(
            account_id=account_id,
            name=data.name,
            is_default=data.is_default,
            access=data.access.value,
            resource_group_type=data.resource_group_type.value,
            enabled_eviction=data.enabled_eviction,
            enabled_auto_scaling=data.enabled_auto_scaling,
            auto_scaling_configuration=scaling.model_dump(mode="json", by_alias=True) if scaling else None,
            reserve_group_id=reserve_id,
            **prices_of(data),
            extras=extras_of(data),
            created_at=self._clock.now(),
        )
        await self._repository.add(group)
        self._log(group, LogCode.GROUP_CREATED, f"The resource group {group.name} was created", user_id)
        return essential(group)

    async def read(self, *, account_id: int, name: str) -> ResourceGroupEssentialData:
        return essential(await self._owned(account_id, name))

    async def owned(self, *, account_id: int) -> list[ResourceGroupEssentialData]:
        return [essential(group) for group in await self._repository.all_owned(account_id=account_id)]

    async def deployable(self, *, account_id: int) -> list[ResourceGroupEssentialData]:
        """Returns the groups in which models of the account may run. Costs of other accounts' groups stay hidden."""
        return [
            essential(group, own=group.account_id == account_id)
            for group in await self._repository.deployable(account_id=account_id)
        ]

    async def update(
        self, *, account_id: int, name: str, data: UpdateResourceGroupData, superadmin: bool, user_id: int | None
    ) -> None:
        """Raises NameAlreadyExists, PublicGroupExists; InUse for a new name while something refers to the group."""
        await self._repository.hold(account_id=account_id)
        group = await self._owned(account_id, name, lock=True)
        if data.access is not None and data.access.value != group.access:
            self._check_access(data.access, superadmin=superadmin)
            await self._check_only_public(account_id, data.access)
            group.access = data.access.value
        if data.name is not None and data.name != group.name:
            await self._check_unused(group)
            group.name = data.name
            await self._repository.flush(group)
            await self._logs.rename_group(account_id=account_id, old=name, new=data.name)
        if (scaling := data.auto_scaling_configuration) is not None:
            group.reserve_group_id = await self._reserve(scaling, account_id=account_id, of=group)
            group.auto_scaling_configuration = scaling.model_dump(mode="json", by_alias=True)
        if data.is_default:
            await self._repository.clear_default(account_id=account_id)
        self._set_given(group, data)
        await self._repository.flush(group)
        sent = sorted(data.model_dump(mode="json", by_alias=True, exclude_unset=True))
        message = f"The settings of the resource group {group.name} were changed: {', '.join(sent)}"
        self._log(group, LogCode.GROUP_CHANGED, message, user_id, fields=sent)

    @staticmethod
    def _set_given(group: ResourceGroup, data: UpdateResourceGroupData) -> None:
        for field in ("is_default", "enabled_eviction", "enabled_auto_scaling"):
            value: bool | None = getattr(data, field)
            if value is not None:
                setattr(group, field, value)
        for column, given in prices_of(data).items():
            setattr(group, column, given)
        group.extras = {**group.extras, **extras_of(data)}

    async def delete(self, *, account_id: int, name: str) -> None:
        """Raises InUse while models or groups refer to the group, or servers belong to it."""
        await self._repository.hold(account_id=account_id)
        group = await self._owned(account_id, name, lock=True)
        await self._check_unused(group)
        await self._repository.delete(group)

    async def _reserve(
        self, wanted: ResourceGroupAutoScalingConfiguration, *, account_id: int, of: ResourceGroup | None = None
    ) -> int | None:
        """Returns the id of the named group. The name of the present reserve keeps meaning that group.

        Raises ValidationFailed.
        """
        name = wanted.reserve_resource_group_name
        if name is None:
            return None
        found = None
        if of is not None and of.reserve_group_id is not None:
            found = await self._repository.usable(account_id=account_id, group_id=of.reserve_group_id, keep=True)
        if found is None or found.name != name:
            found = await self._repository.by_name(account_id=account_id, name=name)
        if found is None or found is of:
            raise ValidationFailed({"autoScalingConfiguration.reserveResourceGroupName": broken("reserve_group")})
        return found.group_id

    async def _check_unused(self, group: ResourceGroup) -> None:
        """Processes of the previous release look groups up by name, so a group in use keeps its name as well."""
        users = await self._users.users_of(group.group_id)
        if users:
            raise InUse(entity="the resource group", by=f"{users} services", use="services", count=str(users))
        if await self._repository.reserve_of(group.group_id):
            raise InUse(entity="the resource group", by="another group, as its reserve", use="reserve")
        if group.account_id == SYSTEM_ACCOUNT and group.access == GroupAccess.PUBLIC:
            raise InUse(entity="the resource group", by="everybody: it is public", use="public")

    async def _check_only_public(self, account_id: int, wanted: GroupAccess) -> None:
        if wanted is not GroupAccess.PUBLIC or account_id == SYSTEM_ACCOUNT:
            return
        if (other := await self._repository.public_of(account_id=account_id)) is not None:
            raise PublicGroupExists(name=other.name)

    @staticmethod
    def _check_access(access: GroupAccess, *, superadmin: bool) -> None:
        if access is not GroupAccess.PRIVATE and not superadmin:
            raise AdministratorNeeded

    def _check_type(self, kind: GroupType) -> None:
        if kind not in self._types:
            raise ValidationFailed({"resourceGroupType": broken("hosting_only")})

    def _log(self, group: ResourceGroup, code: LogCode, message: str, user_id: int | None, **args: object) -> None:
        self._logs.add(
            code,
            account_id=group.account_id,
            resource_group=group.name,
            user_id=user_id,
            at=self._clock.now(),
            message=message,
            args={"name": group.name, **args},
        )

    async def _owned(self, account_id: int, name: str, *, lock: bool = False) -> ResourceGroup:
        group = await self._repository.owned(account_id=account_id, name=name, lock=lock)
        if group is None:
            raise NotFound(entity="resource group")
        return group


def essential(group: ResourceGroup, *, own: bool = True) -> ResourceGroupEssentialData:
    """Unless `own`, leaves out what only the group's owner may know: its costs and its servers."""
    return ResourceGroupEssentialData.model_validate(
        {
            "deploymentName": group.extras.get("deploymentName") if own else None,
            "isShared": group.extras.get("isShared"),
            "rentalConstraints": group.extras.get("rentalConstraints") if own else None,
            "costPrice": group.cost_price if own else None,
            "price": group.price,
            "payback": group.payback if own else None,
            "tarifficationPeriod": group.tariffication_period,
            "currency": group.currency,
            "name": group.name,
            "ownerId": group.account_id,
            "isDefault": group.is_default,
            "access": group.access,
            "enabledEviction": group.enabled_eviction,
            "resourceGroupType": group.resource_group_type,
            "enabledAutoScaling": group.enabled_auto_scaling,
            "autoScalingConfiguration": group.auto_scaling_configuration if own else None,
        }
    )
