"""The time span of a report."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum

from mlplace_kit.errors import ValidationFailed
from mlplace_kit.violations import broken

_YEARS = range(2000, 2100)


class ReportPeriod(StrEnum):
    HOUR = "HOUR"
    DAY = "DAY"
    MONTH = "MONTH"
    YEAR = "YEAR"


BUCKETS = {ReportPeriod.HOUR: "hour", ReportPeriod.DAY: "hour", ReportPeriod.MONTH: "day", ReportPeriod.YEAR: "month"}
"""Parts into which the details of a period are broken down, in terms of PostgreSQL's date_trunc."""


@dataclass(frozen=True, slots=True)
class TimeSpan:
    """The time from `start` to just before `end`, in UTC."""

    start: datetime
    end: datetime
    bucket: str


def span_of(period: ReportPeriod, date: str | None, now: datetime) -> TimeSpan:
    """Returns the hour, day, month or year (UTC) that contains `date`, an ISO 8601 date or time; the default is UTC."""
    moment = _parse(date) if date else now.astimezone(UTC)
    hour = moment.replace(minute=0, second=0, microsecond=0)
    day = hour.replace(hour=0)
    match period:
        case ReportPeriod.HOUR:
            start, end = hour, hour + timedelta(hours=1)
        case ReportPeriod.DAY:
            start, end = day, day + timedelta(days=1)
        case ReportPeriod.MONTH:
            start = day.replace(day=1)
            end = (start + timedelta(days=31)).replace(day=1)
        case ReportPeriod.YEAR:
            start = day.replace(month=1, day=1)
            end = start.replace(year=start.year + 1)
    return TimeSpan(start, end, BUCKETS[period])


def _parse(date: str) -> datetime:
    try:
        moment = datetime.fromisoformat(date)
        moment = (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError):
        raise ValidationFailed({"date": broken("moment")}) from None
    if moment.year not in _YEARS:
        raise ValidationFailed(
            {
                "date": broken(
                    "between",
                    message=f"the year must be from {_YEARS.start} to {_YEARS.stop - 1}",
                    min=str(_YEARS.start),
                    max=str(_YEARS.stop - 1),
                )
            }
        )
    return moment
