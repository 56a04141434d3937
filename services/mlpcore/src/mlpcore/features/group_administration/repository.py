"""SQL of resource groups of all accounts, and of the services in them."""

from collections.abc import Collection, Sequence
from typing import Final

import sqlalchemy as sa
from asyncpg import exceptions as pg
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncSession

from mlpcore.features.accounts.tables import Account
from mlpcore.features.instances.conditions import active, scaled
from mlpcore.features.instances.tables import Instance
from mlpcore.features.models.tables import Model
from mlpcore.features.placement.effective_group import GROUP_ID, NAMES_NO_GROUP, with_group
from mlpcore.features.resource_groups.tables import ResourceGroup
from mlpcore.features.servers.tables import Server
from mlplace_contracts.enums import HostingType

_REFUSED = pg.InvalidRegularExpressionError | pg.QueryCanceledError
_MATCH_MS: Final = 1000
"""A pattern that takes longer is refused: PostgreSQL may go back and forth for some of them."""


class InvalidPatternError(Exception):
    """PostgreSQL does not take the regular expression, or takes too long with it."""


class GroupAdministrationRepository:
    def __init__(self, session: AsyncSession) -> None:
        self._session = session

    async def all(self) -> Sequence[tuple[ResourceGroup, str | None]]:
        """Returns the groups of all accounts with the short names of these."""
        statement = (
            sa.select(ResourceGroup, Account.short_name)
            .outerjoin(Account, Account.account_id == ResourceGroup.account_id)
            .order_by(ResourceGroup.account_id, ResourceGroup.name)
        )
        return [(row[0], row[1]) for row in (await self._session.execute(statement)).all()]

    async def matching(self, pattern: str) -> Sequence[ResourceGroup]:
        """Returns the groups whose whole names match. Raises InvalidPatternError."""
        statement = sa.select(ResourceGroup).where(ResourceGroup.name.op("~")(f"^(?:{pattern})$"))
        try:
            async with self._session.begin_nested():
                await self._session.execute(sa.text(f"SET LOCAL statement_timeout = {_MATCH_MS}"))
                found = (await self._session.scalars(statement.order_by(ResourceGroup.group_id))).all()
                await self._session.execute(sa.text("SET LOCAL statement_timeout TO DEFAULT"))
        except DBAPIError as error:
            if isinstance(getattr(error.orig, "__cause__", None), _REFUSED):
                raise InvalidPatternError from error
            raise
        return found

    async def services_in(self, group_id: int) -> Sequence[tuple[int, int]]:
        """Returns the live services that run in the group, by name or by default, as account and model, sorted."""
        rows = with_group(sa.select(Model.account_id, Model.model_id)).where(_runs_in([group_id]))
        found = await self._session.execute(rows.order_by(Model.account_id, Model.model_id))
        return [(row[0], row[1]) for row in found.all()]

    async def accounts_in(self, group_ids: Collection[int]) -> Sequence[tuple[int, int]]:
        """Returns which accounts have services in these groups, as group and account."""
        rows = with_group(sa.select(GROUP_ID, Model.account_id)).where(_runs_in(group_ids)).distinct()
        return [(row[0], row[1]) for row in (await self._session.execute(rows)).all()]

    async def lock_model(self, model_id: int) -> tuple[Model, int | None] | None:
        """Locks a live model. Returns it with the group in which it runs."""
        locked = sa.select(Model).where(Model.model_id == model_id, Model.deleted_at.is_(None))
        statement = locked.with_for_update().execution_options(populate_existing=True)
        model = (await self._session.scalars(statement)).first()
        if model is None:
            return None
        group = with_group(sa.select(GROUP_ID).select_from(Model)).where(Model.model_id == model_id)
        return model, await self._session.scalar(group)

    async def runs_elsewhere(self, model_id: int) -> bool:
        """Says whether an instance of the model that could move is on a server outside the model's group."""
        outside = (
            with_group(sa.select(Instance.instance_id).select_from(Model))
            .join(Instance, Instance.model_id == Model.model_id)
            .join(Server, Server.server_id == Instance.server_id)
            .where(
                Model.model_id == model_id,
                active(),
                scaled(),
                Server.group_id.is_distinct_from(GROUP_ID),
            )
        )
        return bool(await self._session.scalar(sa.select(outside.exists())))


def _runs_in(group_ids: Collection[int]) -> sa.ColumnElement[bool]:
    elsewhere = sa.and_(Model.hosting_type == HostingType.EXTERNAL.value, NAMES_NO_GROUP)
    return sa.and_(GROUP_ID.in_(group_ids), Model.deleted_at.is_(None), ~elsewhere)
