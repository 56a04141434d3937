"""SQL of notifications."""

from collections.abc import Mapping, Sequence
from datetime import datetime

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql
from sqlalchemy.ext.asyncio import AsyncSession

from mlpcore.features.accounts.tables import Account
from mlpcore.features.notifications.tables import (
    AccountMember,
    AccountStanding,
    Notification,
    NotificationRead,
    NotificationSettings,
    PlatformAdministrator,
)

NotificationRow = tuple[Notification, datetime | None]
"""A notification, and when the reader read it."""


class NotificationRepository:
    def __init__(self, session: AsyncSession) -> None:
        self._session = session

    async def add(self, rows: Sequence[Mapping[str, object]]) -> Sequence[int]:
        """Inserts the rows, without those whose account has a notification of the same occasion.

        Returns the accounts of the inserted rows.
        """
        if not rows:
            return []
        statement = postgresql.insert(Notification).values(list(rows)).on_conflict_do_nothing()
        return (await self._session.scalars(statement.returning(Notification.account_id))).all()

    async def add_for_everybody(self, values: Mapping[str, object]) -> None:
        """Inserts a notification for each open account, with one statement."""
        names = list(values)
        columns = [Account.account_id, *(sa.literal(values[name]) for name in names)]
        chosen = sa.select(*columns).where(Account.active.is_(True))
        await self._session.execute(sa.insert(Notification).from_select(["account_id", *names], chosen))

    async def newest(
        self, *, account_id: int, reader: str, user_id: int | None, limit: int
    ) -> Sequence[NotificationRow]:
        """Leaves out the events that the user hides."""
        mine = sa.and_(
            NotificationRead.notification_id == Notification.notification_id, NotificationRead.reader == reader
        )
        statement = (
            sa.select(Notification, NotificationRead.read_at)
            .outerjoin(NotificationRead, mine)
            .where(Notification.account_id == account_id)
            .order_by(Notification.notification_id.desc())
            .limit(limit)
        )
        if user_id is not None:
            hides = sa.exists().where(
                NotificationSettings.account_id == account_id,
                NotificationSettings.user_id == user_id,
                NotificationSettings.hidden.any_() == Notification.event,
            )
            statement = statement.where(~hides)
        return [(row[0], row[1]) for row in (await self._session.execute(statement)).all()]

    async def mark_read(self, *, account_id: int, ids: Sequence[int], reader: str, moment: datetime) -> None:
        """Marks the account's notifications as read. Ones that are read already keep their time."""
        chosen = sa.select(Notification.notification_id, sa.literal(reader), sa.literal(moment)).where(
            Notification.account_id == account_id, Notification.notification_id.in_(ids)
        )
        insert = postgresql.insert(NotificationRead).from_select(["notification_id", "reader", "read_at"], chosen)
        await self._session.execute(insert.on_conflict_do_nothing())

    async def forget(self, *, before: datetime, kept: int) -> int:
        """Deletes older notifications, and all but the newest `kept` of each account. Returns how many it deleted."""
        number = sa.func.row_number().over(
            partition_by=Notification.account_id, order_by=Notification.notification_id.desc()
        )
        ranked = sa.select(Notification.notification_id, number.label("number")).subquery()
        surplus = sa.select(ranked.c.notification_id).where(ranked.c.number > kept)
        statement = sa.delete(Notification).where(
            sa.or_(Notification.created_at < before, Notification.notification_id.in_(surplus))
        )
        gone = await self._session.execute(statement.returning(Notification.notification_id))
        return len(gone.all())


_Known = AccountStanding | AccountMember | PlatformAdministrator


class StandingRepository:
    """Read models of blocked accounts, members and administrators."""

    def __init__(self, session: AsyncSession) -> None:
        self._session = session

    async def is_blocked(self, account_id: int) -> bool:
        statement = sa.select(sa.func.bool_or(AccountStanding.blocked)).where(AccountStanding.account_id == account_id)
        return bool(await self._session.scalar(statement))

    async def lock_account(self, account_id: int) -> None:
        """Serializes the handling of one account's events, those of its two currencies included."""
        await self._session.execute(sa.select(sa.func.pg_advisory_xact_lock(0x6E6F_7469, account_id % 2**31)))

    async def set_standing(self, *, account_id: int, currency: str, version: int, blocked: bool) -> None:
        key = {"account_id": account_id, "currency": currency}
        await self._set(AccountStanding, key, version, blocked=blocked)

    async def is_member(self, *, account_id: int, user_id: int) -> bool | None:
        """Returns None when no event of this user and account has arrived."""
        statement = sa.select(AccountMember.member)
        return await self._session.scalar(
            statement.where(AccountMember.account_id == account_id, AccountMember.user_id == user_id)
        )

    async def set_member(self, *, account_id: int, user_id: int, version: int, member: bool) -> None:
        await self._set(AccountMember, {"account_id": account_id, "user_id": user_id}, version, member=member)

    async def set_administrator(self, *, user_id: int, version: int, administrator: bool) -> None:
        await self._set(PlatformAdministrator, {"user_id": user_id}, version, administrator=administrator)

    async def _set(self, table: type[_Known], key: Mapping[str, object], version: int, **told: bool) -> None:
        """Writes the row unless a newer version is stored."""
        insert = postgresql.insert(table).values(**key, version=version, **told)
        newer = {name: insert.excluded[name] for name in ("version", *told)}
        await self._session.execute(
            insert.on_conflict_do_update(
                index_elements=[*key], set_=newer, where=table.version < insert.excluded.version
            )
        )

    async def accounts_of_administrators(self) -> Sequence[int]:
        statement = (
            sa.select(Account.account_id)
            .join(PlatformAdministrator, PlatformAdministrator.user_id == Account.owner_user_id)
            .where(PlatformAdministrator.administrator.is_(True), Account.active.is_(True))
        )
        return (await self._session.scalars(statement.order_by(Account.account_id))).all()
