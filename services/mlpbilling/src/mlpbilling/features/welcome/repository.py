from datetime import date, datetime
from typing import cast

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql
from sqlalchemy.ext.asyncio import AsyncSession

from mlpbilling.features.welcome.tables import WelcomeDay, WelcomedPerson

_people = cast("sa.Table", WelcomedPerson.__table__)
_days = cast("sa.Table", WelcomeDay.__table__)


class WelcomeRepository:
    def __init__(self, session: AsyncSession) -> None:
        self._session = session

    async def welcome(self, *, person: str, user_id: int, now: datetime) -> bool:
        """Returns False if the person was welcomed before. Of concurrent calls one wins; the others wait for it."""
        values = {"person": person, "user_id": user_id, "granted_at": now}
        statement = postgresql.insert(_people).values(values).on_conflict_do_nothing().returning(_people.c.person)
        return (await self._session.execute(statement)).first() is not None

    async def count(self, *, day: date, subject: str, limit: int) -> bool:
        """Counts one more on this day. Returns False, without counting, if the limit is reached."""
        insert = postgresql.insert(_days).values(day=day, subject=subject, granted=1)
        more = insert.on_conflict_do_update(
            index_elements=[_days.c.day, _days.c.subject],
            set_={"granted": _days.c.granted + 1},
            where=_days.c.granted < limit,
        )
        return (await self._session.execute(more.returning(_days.c.granted))).first() is not None

    async def forget_days_before(self, day: date) -> None:
        await self._session.execute(sa.delete(_days).where(_days.c.day < day))
