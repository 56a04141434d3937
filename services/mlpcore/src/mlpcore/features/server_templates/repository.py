"""SQL of server templates."""

from collections.abc import Sequence

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncSession

from mlpcore.features.server_templates.tables import ServerTemplate
from mlpcore.system_account import SYSTEM_ACCOUNT
from mlpcore.unique_names import unique_name

_LOCK = 0x7465_6D70
_PUBLIC = sa.and_(ServerTemplate.account_id == SYSTEM_ACCOUNT, ServerTemplate.public_price.is_not(None))


class ServerTemplateRepository:
    def __init__(self, session: AsyncSession) -> None:
        self._session = session

    async def hold(self, account_id: int) -> None:
        """Lets one transaction at a time, of all processes, add templates to the account."""
        await self._session.execute(sa.select(sa.func.pg_advisory_xact_lock(_LOCK, sa.func.hashint8(account_id))))

    async def count(self, account_id: int) -> int:
        own = sa.select(sa.func.count()).where(ServerTemplate.account_id == account_id)
        return await self._session.scalar(own) or 0

    async def add(self, template: ServerTemplate) -> None:
        self._session.add(template)
        await self.flush(template.name)

    async def flush(self, name: str) -> None:
        """Raises NameAlreadyExists when the account has another template of this name."""
        with unique_name("a server template", name):
            await self._session.flush()

    async def lock(self, *, account_id: int, template_id: int) -> ServerTemplate | None:
        """Finds a template of the account and locks it until the transaction ends."""
        own = (ServerTemplate.account_id == account_id, ServerTemplate.template_id == template_id)
        return (await self._session.scalars(sa.select(ServerTemplate).where(*own).with_for_update())).first()

    async def delete(self, template: ServerTemplate) -> None:
        await self._session.delete(template)
        await self._session.flush()

    async def of_account(self, account_id: int) -> Sequence[ServerTemplate]:
        return await self._named(ServerTemplate.account_id == account_id)

    async def public(self, kind: str | None = None) -> Sequence[ServerTemplate]:
        """`kind`: of this type only; None: of all."""
        return await self._named(_PUBLIC, *_of_type(kind))

    async def all_usable(self, *, account_id: int, kind: str | None = None) -> Sequence[ServerTemplate]:
        """Returns the account's own templates and the public ones, the own ones first."""
        return await self._named(_usable(account_id), *_of_type(kind), first=account_id)

    async def usable(self, *, account_id: int, template_id: int, kind: str | None = None) -> ServerTemplate | None:
        """Returns the template if it is the account's own or public."""
        found = sa.select(ServerTemplate).where(_usable(account_id), ServerTemplate.template_id == template_id)
        return (await self._session.scalars(found.where(*_of_type(kind)))).first()

    async def _named(self, *chosen: sa.ColumnElement[bool], first: int | None = None) -> Sequence[ServerTemplate]:
        own = () if first is None else ((ServerTemplate.account_id == first).desc(),)
        statement = sa.select(ServerTemplate).where(*chosen)
        ordered = statement.order_by(*own, ServerTemplate.name, ServerTemplate.template_id)
        return (await self._session.scalars(ordered)).all()


def _usable(account_id: int) -> sa.ColumnElement[bool]:
    return sa.or_(ServerTemplate.account_id == account_id, _PUBLIC)


def _of_type(kind: str | None) -> tuple[sa.ColumnElement[bool], ...]:
    return () if kind is None else (ServerTemplate.type == kind,)
