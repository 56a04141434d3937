"""Adds samples up: 10 s into minutes, these into quarters of an hour, these into days. Packs the quarters of a day."""

from collections.abc import Sequence
from datetime import datetime, timedelta

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncSession

from mlpcore.features.metrics import rollup_statements as sql
from mlpcore.features.metrics.tables import PERIOD
from mlpcore.features.metrics.tiers import DAILY, DAY, Tier


class RollUpRepository:
    def __init__(self, session: AsyncSession) -> None:
        self._session = session

    async def claim(self, tier: Tier, step: timedelta, *, until: datetime, most: int) -> Sequence[datetime]:
        """Takes changed periods of the tier that ended before `until`. Returns the starts of up to `most` steps."""
        values = {"seconds": tier.seconds, "step": step, "until": until, "most": most}
        return sorted(set((await self._session.scalars(sql.CLAIM, values)).all()))

    async def add_up(self, finer: Tier, tier: Tier, start: datetime) -> None:
        """Computes one period of the tier from the finer one."""
        times = {"step": tier.step, "since": start, "until": start + tier.step}
        for statement in sql.BY_TARGET[tier.name]:
            await self._session.execute(statement, times)
        await self._session.execute(sql.COVER, {**times, "seconds": tier.seconds, "finer": finer.seconds})

    async def pack(self, day: datetime) -> None:
        """Packs the quarters of the day that begins at `day` into one row for each series. Notes the day as changed.

        It is added up later: the statements may take long, and each day has to be packed before its quarters go.
        """
        times = {"since": day, "until": day + DAY}
        await self._session.execute(sql.PACK_CALLS, times)
        await self._session.execute(sql.PACK_GAUGES, times)
        await self.touch(DAILY, day)

    async def note_days(self, *, since: datetime, until: datetime) -> None:
        """Notes the packed days that are not added up: an earlier release has packed them, or they have no samples."""
        await self._session.execute(sql.NOTE_DAYS, {"since": since, "until": until})

    async def add_up_day(self, day: datetime) -> None:
        """Adds up a packed day, from its quarters while they are there."""
        times = {"since": day, "until": day + DAY}
        has_quarters = await self._session.scalar(sql.HAS_QUARTERS, times)
        for statement in sql.DAY_OF_QUARTERS if has_quarters else sql.DAY_OF_PACKED:
            await self._session.execute(statement, {**times, "step": DAY})
        await self._session.execute(sql.COVER_DAY, times)

    async def touch(self, tier: Tier, start: datetime) -> None:
        """Notes that a period of the tier has new rows that did not come from a finer tier."""
        insert = sa.text(
            "INSERT INTO sample_period (seconds, start, covered_seconds, pending) VALUES (:seconds, :start, 0, true) "
            "ON CONFLICT (seconds, start) DO UPDATE SET pending = true"
        ).bindparams(sa.bindparam("start", type_=sa.DateTime(timezone=True)))
        await self._session.execute(insert, {"seconds": tier.seconds, "start": start})

    async def forget(self, tier: Tier, *, before: datetime) -> None:
        """Deletes the periods that are too old. Rows are dropped with their partition."""
        await self._session.execute(sa.delete(PERIOD).where(PERIOD.c.seconds == tier.seconds, PERIOD.c.start < before))
