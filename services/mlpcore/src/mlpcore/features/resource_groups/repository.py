"""SQL of resource groups."""

from collections.abc import Sequence

import sqlalchemy as sa
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncSession

from mlpcore.errors import InUse
from mlpcore.features.resource_groups.tables import ResourceGroup
from mlpcore.system_account import SYSTEM_ACCOUNT
from mlpcore.unique_names import unique_name

_LOCK = 0x6772_6F75
_PUBLIC = "PUBLIC"


class ResourceGroupRepository:
    def __init__(self, session: AsyncSession) -> None:
        self._session = session

    async def hold(self, *, account_id: int) -> None:
        """Lets one transaction at a time, of all processes, write the account's groups. Take it before any row lock."""
        await self._session.execute(sa.select(sa.func.pg_advisory_xact_lock(_LOCK, sa.func.hashint8(account_id))))

    async def add(self, group: ResourceGroup) -> None:
        self._session.add(group)
        await self.flush(group)

    async def flush(self, group: ResourceGroup) -> None:
        """Raises NameAlreadyExists when the account has another group of this name."""
        with unique_name("a resource group", group.name):
            await self._session.flush()

    async def owned(self, *, account_id: int, name: str, lock: bool = False) -> ResourceGroup | None:
        statement = sa.select(ResourceGroup).where(ResourceGroup.account_id == account_id, ResourceGroup.name == name)
        return (await self._session.scalars(statement.with_for_update() if lock else statement)).first()

    async def all_owned(self, *, account_id: int) -> Sequence[ResourceGroup]:
        statement = sa.select(ResourceGroup).where(ResourceGroup.account_id == account_id)
        return (await self._session.scalars(statement.order_by(ResourceGroup.name))).all()

    async def deployable(self, *, account_id: int) -> Sequence[ResourceGroup]:
        """Returns the account's own groups, then public groups of other accounts with other names."""
        statement = sa.select(ResourceGroup).where(_reachable(account_id))
        ordered = statement.order_by((ResourceGroup.account_id == account_id).desc(), ResourceGroup.group_id)
        found: dict[str, ResourceGroup] = {}
        for group in (await self._session.scalars(ordered)).all():
            found.setdefault(group.name, group)
        return list(found.values())

    async def by_name(self, *, account_id: int, name: str) -> ResourceGroup | None:
        """Returns the account's own group of this name, else a public one.

        The group cannot be deleted or renamed before the transaction ends.
        """
        own = ResourceGroup.account_id == account_id
        statement = sa.select(ResourceGroup).where(_reachable(account_id), ResourceGroup.name == name)
        ordered = statement.order_by(own.desc(), ResourceGroup.group_id).limit(1)
        return (await self._session.scalars(_kept(ordered))).first()

    async def usable(self, *, account_id: int, group_id: int, keep: bool = False) -> ResourceGroup | None:
        """Returns the group if it is the account's own or public.

        `keep`: the group cannot be deleted or renamed before the transaction ends.
        """
        statement = sa.select(ResourceGroup).where(_reachable(account_id), ResourceGroup.group_id == group_id)
        return (await self._session.scalars(_kept(statement) if keep else statement)).first()

    async def default_of(self, *, account_id: int) -> ResourceGroup | None:
        """Returns the account's own default group, else the platform's."""
        own = ResourceGroup.account_id == account_id
        candidates = ResourceGroup.account_id.in_([account_id, SYSTEM_ACCOUNT])
        statement = sa.select(ResourceGroup).where(_reachable(account_id), candidates, ResourceGroup.is_default)
        return (await self._session.scalars(statement.order_by(own.desc()).limit(1))).first()

    async def public_of(self, *, account_id: int) -> ResourceGroup | None:
        """Returns the account's public group. The answer stays true if the caller has called `hold`."""
        own = sa.select(ResourceGroup).where(ResourceGroup.account_id == account_id, ResourceGroup.access == _PUBLIC)
        return (await self._session.scalars(own.order_by(ResourceGroup.group_id).limit(1))).first()

    async def reserve_of(self, group_id: int) -> int:
        """Counts the groups, in any account, whose reserve this group is."""
        statement = sa.select(sa.func.count()).where(ResourceGroup.reserve_group_id == group_id)
        return await self._session.scalar(statement) or 0

    async def clear_default(self, *, account_id: int) -> None:
        """The caller must have called `hold`."""
        own = (ResourceGroup.account_id == account_id, ResourceGroup.is_default)
        await self._session.execute(sa.update(ResourceGroup).where(*own).values(is_default=False))

    async def delete(self, group: ResourceGroup) -> None:
        """Raises InUse while it has servers."""
        await self._session.delete(group)
        try:
            await self._session.flush()
        except IntegrityError as error:
            raise InUse(entity="the resource group", by="its servers", use="servers") from error


def _reachable(account_id: int) -> sa.ColumnElement[bool]:
    return sa.or_(ResourceGroup.account_id == account_id, ResourceGroup.access == _PUBLIC)


def _kept(statement: sa.Select[ResourceGroup]) -> sa.Select[ResourceGroup]:
    """Takes the lock of a foreign key: it prevents deletion and a new name, and nothing else."""
    return statement.with_for_update(read=True, key_share=True).execution_options(populate_existing=True)
