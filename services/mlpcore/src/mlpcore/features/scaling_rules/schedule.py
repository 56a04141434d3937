"""Periods of the day with bounds of their own, in a time zone."""

from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from functools import lru_cache
from typing import Final
from zoneinfo import ZoneInfo

from mlpcore.features.models.settings.blocks import ScheduledInstanceCount, TimePoint

_QUARTER: Final = timedelta(minutes=15)
"""Clocks are only ever changed at a quarter of an hour."""
_DAY: Final = timedelta(days=1)
_INSTANT: Final = timedelta(microseconds=1)


@dataclass(frozen=True, slots=True)
class Bounds:
    """`scheduled`: a period of the schedule sets them. `most` 0: the model has no instance, and calls start none."""

    least: int
    most: int
    scheduled: bool = False


@dataclass(frozen=True, slots=True)
class Period:
    """From `start` to before `end`, every day in the local time; over midnight if `end` is not later."""

    start: time
    end: time
    least: int
    most: int

    def holds(self, local: time) -> bool:
        if self.start < self.end:
            return self.start <= local < self.end
        return local >= self.start or local < self.end


@dataclass(frozen=True, slots=True)
class Schedule:
    """The clock on the wall counts. An hour that is repeated counts twice, and a period that begins in an hour that is
    left out begins after it. Of several periods that hold a time, the first counts.
    """

    otherwise: Bounds
    periods: tuple[Period, ...]
    zone: ZoneInfo

    def bounds(self, now: datetime) -> Bounds:
        period = self._period(now)
        return self.otherwise if period is None else Bounds(period.least, period.most, scheduled=True)

    def since(self, now: datetime) -> datetime | None:
        """Returns when the period of now began, or when the last one ended; None without a change in the last day."""
        current = self._period(now)
        today = now.astimezone(self.zone).date()
        for day in (today, today - _DAY):
            for moment, before in _moments(self.periods, self.zone, day):
                if moment <= now and before != current:
                    return moment
        return None

    def _period(self, moment: datetime) -> Period | None:
        return _period_at(self.periods, self.zone, moment)


def _period_at(periods: tuple[Period, ...], zone: ZoneInfo, moment: datetime) -> Period | None:
    local = moment.astimezone(zone).time()
    return next((period for period in periods if period.holds(local)), None)


@lru_cache(maxsize=4096)
def _moments(periods: tuple[Period, ...], zone: ZoneInfo, day: date) -> tuple[tuple[datetime, Period | None], ...]:
    """Returns the times of the local day at which periods may begin or end, the newest first, each with the period
    before it. A schedule of 100 periods takes milliseconds, and a loop asks for it each 15 s.
    """
    if not periods:
        return ()
    ends = {at for period in periods for at in (period.start, period.end)}
    found = {
        datetime.combine(day, at.replace(fold=fold), tzinfo=zone).astimezone(UTC) for at in ends for fold in (0, 1)
    }
    begins, over = (datetime.combine(each, time(), tzinfo=zone) for each in (day, day + _DAY))
    if begins.utcoffset() != over.utcoffset():
        first = begins.astimezone(UTC)
        found |= {first + _QUARTER * number for number in range((over.astimezone(UTC) - first) // _QUARTER)}
    return tuple((moment, _period_at(periods, zone, moment - _INSTANT)) for moment in sorted(found, reverse=True))


def period_of(entry: ScheduledInstanceCount) -> Period:
    return Period(_time(entry.start_time), _time(entry.end_time), entry.min_instances, entry.max_instances)


def _time(point: TimePoint) -> time:
    return time(point.hour, point.minute, point.second, point.nano // 1000)
