"""The days of a statement. Days are those of UTC, as in all reports."""

from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta

from mlplace_kit.errors import ValidationFailed
from mlplace_kit.violations import broken

MAX_DAYS = 366
_DEFAULT_DAYS = 30
_YEARS = range(2000, 2100)


@dataclass(frozen=True, slots=True)
class Days:
    """Both days are included. The time is from `start` to just before `end`."""

    first: date
    last: date

    @property
    def start(self) -> datetime:
        return datetime.combine(self.first, time(), UTC)

    @property
    def end(self) -> datetime:
        return datetime.combine(self.last + timedelta(days=1), time(), UTC)


def days_of(first: date | None, last: date | None, now: datetime) -> Days:
    """Returns the days; by default the 30 days until `last`, which is today by default. Raises ValidationFailed."""
    last = last or now.astimezone(UTC).date()
    if last.year not in _YEARS:
        raise ValidationFailed(
            {
                "last": broken(
                    "between",
                    message=f"the year must be from {_YEARS.start} to {_YEARS.stop - 1}",
                    min=str(_YEARS.start),
                    max=str(_YEARS.stop - 1),
                )
            }
        )
    first = first or last - timedelta(days=_DEFAULT_DAYS - 1)
    if first > last:
        raise ValidationFailed({"first": broken("date_order", other="last")})
    if (last - first).days >= MAX_DAYS:
        message = f"a statement has at most {MAX_DAYS} days"
        raise ValidationFailed({"first": broken("at_most_days", message=message, max=str(MAX_DAYS))})
    return Days(first, last)
