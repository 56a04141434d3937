"""SQL of what members choose to see and to get by mail."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql
from sqlalchemy.ext.asyncio import AsyncSession

from mlpcore.features.accounts.tables import Account
from mlpcore.features.notifications.tables import AccountMember, Notification, NotificationSettings

_Chosen = NotificationSettings
SETTLED: Final = timedelta(seconds=30)
"""Younger notifications are not mailed yet: one with a lower number may still be about to commit."""


@dataclass(frozen=True, slots=True)
class Recipient:
    account_id: int
    user_id: int
    login: str


class ChoiceRepository:
    def __init__(self, session: AsyncSession) -> None:
        self._session = session

    async def find(self, *, account_id: int, user_id: int) -> NotificationSettings | None:
        return await self._session.get(_Chosen, (account_id, user_id))

    async def locked(self, *, account_id: int, user_id: int, login: str, now: datetime) -> NotificationSettings:
        """Returns the locked row; a new one hides and mails nothing, and never mails what was before it."""
        newest = sa.select(sa.func.coalesce(sa.func.max(Notification.notification_id), 0)).scalar_subquery()
        values: dict[str, object] = {
            "account_id": account_id,
            "user_id": user_id,
            "login": login,
            "hidden": [],
            "mailed": [],
        }
        insert = postgresql.insert(_Chosen).values(**values, mailed_until=newest, due_at=now)
        await self._session.execute(insert.on_conflict_do_nothing())
        statement = sa.select(_Chosen).where(*_of(account_id, user_id)).with_for_update()
        return (await self._session.scalars(statement)).one()

    async def flush(self) -> None:
        await self._session.flush()

    async def due(self, *, now: datetime, limit: int) -> Sequence[Recipient]:
        """Returns members with notifications that are to be mailed to them now, without locks."""
        statement = (
            sa.select(_Chosen.account_id, _Chosen.user_id, _Chosen.login)
            .where(_Chosen.due_at <= now, _member(), sa.exists().where(*_waiting(now)))
            .order_by(_Chosen.due_at)
            .limit(limit)
        )
        return [Recipient(*row) for row in (await self._session.execute(statement)).all()]

    async def claim(self, recipient: Recipient, *, now: datetime) -> NotificationSettings | None:
        """Locks the choice of the member; None if another process has, or it is not due any more."""
        chosen = (*_of(recipient.account_id, recipient.user_id), _Chosen.due_at <= now, _member())
        statement = sa.select(_Chosen).where(*chosen).with_for_update(skip_locked=True)
        return (await self._session.scalars(statement)).first()

    async def waiting(self, chosen: NotificationSettings, *, now: datetime, limit: int) -> Sequence[Notification]:
        """Returns notifications to mail, the oldest first."""
        statement = sa.select(Notification).join(_Chosen, sa.and_(*_of(chosen.account_id, chosen.user_id)))
        statement = statement.where(*_waiting(now)).order_by(Notification.notification_id).limit(limit)
        return (await self._session.scalars(statement)).all()

    async def postpone(self, recipient: Recipient, *, until: datetime) -> None:
        statement = sa.update(_Chosen).where(*_of(recipient.account_id, recipient.user_id)).values(due_at=until)
        await self._session.execute(statement)

    async def set_login(self, *, user_id: int, login: str, active: bool) -> None:
        """Follows the user's login. A user who may not sign in gets no mails any more."""
        values: dict[str, object] = {"login": login} if active else {"login": login, "mailed": []}
        await self._session.execute(sa.update(_Chosen).where(_Chosen.user_id == user_id).values(**values))


def _of(account_id: int, user_id: int) -> tuple[sa.ColumnElement[bool], sa.ColumnElement[bool]]:
    return _Chosen.account_id == account_id, _Chosen.user_id == user_id


def _waiting(now: datetime) -> tuple[sa.ColumnElement[bool], ...]:
    return (
        Notification.account_id == _Chosen.account_id,
        Notification.notification_id > _Chosen.mailed_until,
        Notification.event == _Chosen.mailed.any_(),
        Notification.created_at <= now - SETTLED,
    )


def _member() -> sa.ColumnElement[bool]:
    """Members of open accounts alone: an administrator of the platform who looks at an account is none."""
    member = sa.exists().where(
        AccountMember.account_id == _Chosen.account_id,
        AccountMember.user_id == _Chosen.user_id,
        AccountMember.member.is_(True),
    )
    opened = sa.exists().where(Account.account_id == _Chosen.account_id, Account.active.is_(True))
    return sa.and_(member, opened)
