"""Time is injected, so that tests never wait for it."""

from datetime import UTC, datetime, timedelta
from typing import Protocol


class Clock(Protocol):
    def now(self) -> datetime:
        """The present moment, aware, in UTC."""
        ...


class SystemClock:
    def now(self) -> datetime:
        return datetime.now(UTC)


class ManualClock:
    """A clock for tests: it stands still until it is moved."""

    def __init__(self, start: datetime | None = None) -> None:
        self._now = start or datetime(2026, 1, 1, tzinfo=UTC)

    def now(self) -> datetime:
        return self._now

    def advance(self, by: timedelta) -> None:
        self._now += by


def to_milliseconds(moment: datetime) -> int:
    """Unix milliseconds, the form in which the contract shows times such as `lastActivity`."""
    return int(moment.timestamp() * 1000)
