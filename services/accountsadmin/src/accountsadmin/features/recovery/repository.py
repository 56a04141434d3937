from collections.abc import Mapping
from datetime import datetime

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncSession

from accountsadmin.features.recovery.tables import MailToken


class MailTokenRepository:
    def __init__(self, session: AsyncSession) -> None:
        self._session = session

    async def replace(self, row: Mapping[str, object]) -> None:
        """Stores the user's only valid token for this purpose; links in older mails become invalid."""
        older = sa.delete(MailToken).where(MailToken.user_id == row["user_id"], MailToken.purpose == row["purpose"])
        await self._session.execute(older)
        await self._session.execute(sa.insert(MailToken).values(row))

    async def user_of(self, token_hash: str, purpose: str, now: datetime) -> int | None:
        statement = sa.select(MailToken.user_id).where(*_valid(token_hash, purpose, now))
        return await self._session.scalar(statement)

    async def take(self, token_hash: str, purpose: str, now: datetime) -> int | None:
        """Uses up the token and returns its user; of concurrent calls only one gets it."""
        statement = sa.delete(MailToken).where(*_valid(token_hash, purpose, now)).returning(MailToken.user_id)
        return await self._session.scalar(statement)

    async def delete_of(self, user_id: int) -> None:
        await self._session.execute(sa.delete(MailToken).where(MailToken.user_id == user_id))

    async def delete_over(self, now: datetime) -> None:
        await self._session.execute(sa.delete(MailToken).where(MailToken.expires_at <= now))


def _valid(token_hash: str, purpose: str, now: datetime) -> tuple[sa.ColumnElement[bool], ...]:
    return MailToken.token_hash == token_hash, MailToken.purpose == purpose, MailToken.expires_at > now
