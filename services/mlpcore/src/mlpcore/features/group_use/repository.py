"""SQL of what runs in resource groups."""

from collections.abc import Mapping, Sequence
from datetime import datetime

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncSession

from mlpcore.features.accounts.tables import Account
from mlpcore.features.instances.conditions import active, managed
from mlpcore.features.instances.states import InstanceState
from mlpcore.features.instances.tables import HostingRequest, Instance
from mlpcore.features.models.tables import Model
from mlpcore.features.placement.effective_group import GROUP_ID, with_group
from mlpcore.features.placement.room import FreeRoom
from mlpcore.features.placement.rooms import room_of, select_rooms
from mlpcore.features.resource_groups.tables import ResourceGroup
from mlpcore.features.servers.tables import Server


class GroupUseRepository:
    def __init__(self, session: AsyncSession) -> None:
        self._session = session

    async def group_of(self, model_id: int) -> ResourceGroup | None:
        """Returns the group in which the model runs."""
        found = with_group(sa.select(GROUP_ID).select_from(Model)).where(Model.model_id == model_id)
        return await self._session.get(ResourceGroup, await self._session.scalar(found) or 0)

    async def account_names(self, account_ids: Sequence[int]) -> Mapping[int, str]:
        statement = sa.select(Account.account_id, Account.short_name).where(Account.account_id.in_(account_ids))
        return {row[0]: row[1] for row in (await self._session.execute(statement)).all()}

    async def counts(self, account_id: int) -> Mapping[int, tuple[int, int]]:
        """Returns the numbers of servers and services of each group of the account."""
        servers = sa.select(sa.func.count()).where(Server.group_id == ResourceGroup.group_id).scalar_subquery()
        services = sa.select(sa.func.count()).select_from(Model).where(_in_group()).scalar_subquery()
        statement = sa.select(ResourceGroup.group_id, servers, services).where(ResourceGroup.account_id == account_id)
        return {row[0]: (row[1], row[2]) for row in (await self._session.execute(statement)).all()}

    async def services(self, group_id: int) -> Sequence[tuple[Model, int]]:
        """Returns the services of the group with the number of requested instances, by id."""
        requested = sa.func.coalesce(HostingRequest.requested, 0)
        statement = (
            sa.select(Model, requested)
            .select_from(Model)
            .join(ResourceGroup, ResourceGroup.group_id == group_id)
            .outerjoin(HostingRequest, HostingRequest.model_id == Model.model_id)
            .where(_in_group())
            .order_by(Model.model_id)
        )
        return [(row[0], row[1]) for row in (await self._session.execute(statement)).all()]

    async def services_at(self, group_id: int, moment: datetime) -> Sequence[Model]:
        """Returns the services, deleted ones too, that had an instance on a server of the group at the moment.

        Servers that were deleted since then are not known any more.
        """
        alive = sa.or_(Instance.state != InstanceState.DELETED.value, Instance.state_changed_at > moment)
        here = sa.exists().where(
            Instance.model_id == Model.model_id,
            Instance.server_id == Server.server_id,
            Server.group_id == group_id,
            Instance.created_at <= moment,
            alive,
        )
        return (await self._session.scalars(sa.select(Model).where(here).order_by(Model.model_id))).all()

    async def servers(self, *, account_id: int, group_id: int, since: datetime) -> Sequence[tuple[Server, FreeRoom]]:
        """Returns the servers of the group with what they have left, in one statement.

        `since`: the oldest heartbeat that counts.
        """
        chosen = sa.and_(Server.account_id == account_id, Server.group_id == group_id)
        statement = select_rooms(chosen).add_columns(Server)
        return [(row.Server, room_of(row, since)) for row in (await self._session.execute(statement)).all()]


def _in_group() -> sa.ColumnElement[bool]:
    """Services that name the group, that are in it because it is their account's default, or that run there.

    The last may belong to other accounts, in a group that everybody may use.
    """
    by_default = sa.and_(
        ResourceGroup.is_default,
        Model.account_id == ResourceGroup.account_id,
        Model.resource_group_id.is_(None),
        Model.resource_group.is_(None),
        Model.hosting_type != "EXTERNAL",
    )
    there = sa.exists().where(
        Instance.model_id == Model.model_id,
        managed(),
        active(),
        Instance.server_id == Server.server_id,
        Server.group_id == ResourceGroup.group_id,
    )
    own = Model.resource_group_id == ResourceGroup.group_id
    live = Model.deleted_at.is_(None)
    return sa.and_(live, sa.or_(own, by_default, there.correlate(Model, ResourceGroup)))
