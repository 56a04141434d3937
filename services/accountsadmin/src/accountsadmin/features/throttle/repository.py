from collections.abc import Collection
from datetime import datetime

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql
from sqlalchemy.ext.asyncio import AsyncSession

from accountsadmin.features.throttle.tables import Attempts


class AttemptsRepository:
    def __init__(self, session: AsyncSession) -> None:
        self._session = session

    async def hold(self, subjects: Collection[str], *, now: datetime, window_ends_at: datetime) -> dict[str, Attempts]:
        """Returns the rows, locked in a fixed order until the transaction ends; expired windows are restarted.

        A window never ends later than one that starts now, so nobody has to wait after the clock was set back.
        """
        rows = [{"subject": subject, "attempts": 0, "window_ends_at": window_ends_at} for subject in subjects]
        insert = postgresql.insert(Attempts).values(sorted(rows, key=lambda row: str(row["subject"])))
        # Updating an existing row locks it, so that housekeeping cannot delete it before it is read.
        lock = insert.on_conflict_do_update(
            index_elements=[Attempts.subject], set_={"subject": insert.excluded.subject}
        )
        await self._session.execute(lock)
        statement = sa.select(Attempts).where(Attempts.subject.in_(subjects)).order_by(Attempts.subject)
        found = await self._session.scalars(statement, execution_options={"populate_existing": True})
        held = {row.subject: row for row in found}
        for row in held.values():
            if row.window_ends_at <= now:
                row.attempts, row.window_ends_at = 0, window_ends_at
            row.window_ends_at = min(row.window_ends_at, window_ends_at)
        return held

    async def count(self, subject: str, *, now: datetime, window_ends_at: datetime) -> tuple[int, datetime]:
        """Counts one more attempt. Returns the number within the current window, and the window's end."""
        row = (await self.hold([subject], now=now, window_ends_at=window_ends_at))[subject]
        row.attempts += 1
        await self._session.flush()
        return row.attempts, row.window_ends_at

    async def store(self) -> None:
        """Stores changes of held rows."""
        await self._session.flush()

    async def forget(self, subject: str) -> None:
        await self._session.execute(sa.delete(Attempts).where(Attempts.subject == subject))

    async def take_back(self, *subjects: str) -> None:
        """Takes back one attempt of each, in the same order in which rows are held."""
        for subject in sorted(subjects):
            statement = sa.update(Attempts).where(Attempts.subject == subject, Attempts.attempts > 0)
            await self._session.execute(statement.values(attempts=Attempts.attempts - 1))

    async def delete_over(self, now: datetime) -> None:
        await self._session.execute(sa.delete(Attempts).where(Attempts.window_ends_at <= now))
