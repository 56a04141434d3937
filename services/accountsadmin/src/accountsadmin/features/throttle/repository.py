from datetime import datetime

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql
from sqlalchemy.ext.asyncio import AsyncSession

from accountsadmin.features.throttle.tables import Attempts


class AttemptsRepository:
    def __init__(self, session: AsyncSession) -> None:
        self._session = session

    async def count(self, subject: str, *, now: datetime, window_ends_at: datetime) -> tuple[int, datetime]:
        """One more attempt. Returns how many there are within the window that runs, and when that window ends."""
        insert = postgresql.insert(Attempts).values(subject=subject, attempts=1, window_ends_at=window_ends_at)
        over = Attempts.window_ends_at <= now
        statement = insert.on_conflict_do_update(
            index_elements=[Attempts.subject],
            set_={
                "attempts": sa.case((over, 1), else_=Attempts.attempts + 1),
                "window_ends_at": sa.case((over, window_ends_at), else_=Attempts.window_ends_at),
            },
        ).returning(Attempts.attempts, Attempts.window_ends_at)
        row = (await self._session.execute(statement)).one()
        return row[0], row[1]

    async def forget(self, subject: str) -> None:
        await self._session.execute(sa.delete(Attempts).where(Attempts.subject == subject))

    async def take_back(self, subject: str) -> None:
        statement = sa.update(Attempts).where(Attempts.subject == subject, Attempts.attempts > 0)
        await self._session.execute(statement.values(attempts=Attempts.attempts - 1))

    async def delete_over(self, now: datetime) -> None:
        await self._session.execute(sa.delete(Attempts).where(Attempts.window_ends_at <= now))
