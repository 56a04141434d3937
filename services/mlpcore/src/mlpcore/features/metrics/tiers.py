"""The tiers in which samples are kept: 10 s for 6 hours, 1 min for 7 days, 15 min and days for a year."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final

EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Tier:
    """Periods of `seconds`. `name`: the ending of the tables' names. `kept`: how long a period is sure to be there."""

    name: str
    seconds: int
    kept: timedelta

    @property
    def step(self) -> timedelta:
        return timedelta(seconds=self.seconds)

    def start_of(self, moment: datetime) -> datetime:
        """Returns the start of the period that holds the moment. Periods are aligned to UTC."""
        return EPOCH + timedelta(seconds=int((moment - EPOCH).total_seconds()) // self.seconds * self.seconds)


SAMPLE: Final = Tier("sample", 10, timedelta(hours=6))
MINUTE: Final = Tier("minute", 60, timedelta(days=7))
QUARTER: Final = Tier("quarter", 900, timedelta(days=366))
"""Of the last two to three days as rows; earlier days are packed, one row for each day and series."""
DAY: Final = timedelta(days=1)
DAILY: Final = Tier("daily", 24 * 3600, QUARTER.kept)
"""The days (UTC) that are packed, each added up; without them a year of 15 min would have to be unpacked."""


def packed_before(now: datetime) -> datetime:
    """Returns the start of the first day that is read as rows. Days before it are read from the packed table."""
    return now.replace(hour=0, minute=0, second=0, microsecond=0) - DAY
