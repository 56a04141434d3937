"""SQL of recent calls: minutes of the last hours, hours of the last days."""

from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import IntEnum
from typing import Final

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql
from sqlalchemy.ext.asyncio import AsyncSession

from mlpcore.features.call_statistics.histogram import Counted
from mlpcore.features.call_statistics.tables import ModelCallPeriod


class Step(IntEnum):
    """Length of a period in seconds."""

    MINUTE = 60
    HOUR = 3600


SHOWN: Final[Mapping[Step, int]] = {Step.MINUTE: 60, Step.HOUR: 24}
"""Periods that are shown, the current one included."""
_KEPT: Final[Mapping[Step, timedelta]] = {Step.MINUTE: timedelta(hours=2), Step.HOUR: timedelta(hours=48)}

PeriodKey = tuple[int, Step, datetime, int]
"""Model, length of the period, its start, bucket."""


@dataclass(frozen=True, slots=True)
class Added:
    """Calls, and their price."""

    calls: int
    amount_nano: int


@dataclass(frozen=True, slots=True)
class Period:
    counted: Counted
    amount_nano: int


def start_of(moment: datetime, step: Step) -> datetime:
    """Returns the start of the period that holds the moment. Minutes and hours of UTC."""
    whole = moment.replace(second=0, microsecond=0)
    return whole if step is Step.MINUTE else whole.replace(minute=0)


def kept_since(now: datetime, step: Step) -> datetime:
    """Returns the start of the first period that is kept."""
    return start_of(now, step) - _KEPT[step]


def shown_since(now: datetime, step: Step) -> datetime:
    """Returns the start of the first period that is shown."""
    return start_of(now, step) - timedelta(seconds=step * (SHOWN[step] - 1))


class PeriodRepository:
    def __init__(self, session: AsyncSession) -> None:
        self._session = session

    async def add(self, counts: Mapping[PeriodKey, Added]) -> None:
        """Adds to the counts. Locks rows in the order of their keys: concurrent additions cannot deadlock."""
        if not counts:
            return
        rows = [
            {
                "model_id": model_id, "seconds": step.value, "start": start, "bucket": bucket, "calls": added.calls,
                "amount_nano": added.amount_nano,
            }
            for (model_id, step, start, bucket), added in sorted(counts.items(), key=lambda entry: entry[0])
        ]  # fmt: skip
        statement = postgresql.insert(ModelCallPeriod).values(rows)
        statement = statement.on_conflict_do_update(
            index_elements=["model_id", "seconds", "start", "bucket"],
            set_={
                "calls": ModelCallPeriod.calls + statement.excluded.calls,
                "amount_nano": ModelCallPeriod.amount_nano + statement.excluded.amount_nano,
            },
        )
        await self._session.execute(statement)

    async def of_models(
        self, model_ids: Collection[int], step: Step, *, since: datetime
    ) -> Mapping[int, Mapping[datetime, Period]]:
        """Returns the periods from `since` on by model and start. Periods without calls are absent."""
        statement = sa.select(
            ModelCallPeriod.model_id,
            ModelCallPeriod.start,
            ModelCallPeriod.bucket,
            ModelCallPeriod.calls,
            ModelCallPeriod.amount_nano,
        ).where(
            ModelCallPeriod.model_id.in_(model_ids), ModelCallPeriod.seconds == step, ModelCallPeriod.start >= since
        )
        buckets: defaultdict[tuple[int, datetime], dict[int, int]] = defaultdict(dict)
        amounts: defaultdict[tuple[int, datetime], int] = defaultdict(int)
        for model_id, start, bucket, calls, amount in await self._session.execute(statement):
            buckets[model_id, start][bucket] = calls
            amounts[model_id, start] += amount
        found: defaultdict[int, dict[datetime, Period]] = defaultdict(dict)
        for (model_id, start), counted in buckets.items():
            found[model_id][start] = Period(Counted(counted), amounts[model_id, start])
        return found

    async def forget(self, now: datetime) -> None:
        """Deletes the periods that are too old to be kept."""
        for step in Step:
            old = (ModelCallPeriod.seconds == step) & (ModelCallPeriod.start < kept_since(now, step))
            await self._session.execute(
                sa.delete(ModelCallPeriod).where(old), execution_options={"synchronize_session": False}
            )
