"""Throttles log lines that repeat during an outage: the first one, then one per half minute with a count."""

import logging
import time
from collections.abc import Callable, Mapping
from typing import cast

_EVERY_SECONDS = 30.0
_MOST_KINDS = 1_000

# Libraries that report each attempt and each connection, and an event that each request logs during an outage.
_LOGGERS = ("aiokafka", "sqlalchemy.pool")
_EVENTS = frozenset({"dependency_unavailable"})


class Repeats(logging.Filter):
    """Passes all other records. The next line after a pause says how many of its kind were suppressed."""

    def __init__(self, *, seconds: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._seconds = seconds
        self._kinds: dict[str, tuple[float, int]] = {}  # silent until this time; number suppressed since

    def filter(self, record: logging.LogRecord) -> bool:
        kind = _kind(record)
        if kind is None:
            return True
        now = self._seconds()
        until, held = self._kinds.get(kind, (float("-inf"), 0))
        if now < until:
            self._kinds[kind] = (until, held + 1)
            return False
        if len(self._kinds) >= _MOST_KINDS:
            self._kinds.clear()
        self._kinds[kind] = (now + _EVERY_SECONDS, 0)
        if held:
            _add_count(record, held)
        return True


def _event(record: logging.LogRecord) -> Mapping[str, object]:
    """Structlog passes its events as the message; other messages are text."""
    message = cast("object", record.msg)
    return cast("Mapping[str, object]", message) if isinstance(message, dict) else {}


def _kind(record: logging.LogRecord) -> str | None:
    event = _event(record).get("event")
    if event in _EVENTS:
        return f"{record.name} {event}"
    if record.levelno < logging.CRITICAL and record.name.startswith(_LOGGERS):
        return f"{record.name} {record.msg}"
    return None


def _add_count(record: logging.LogRecord, held: int) -> None:
    event = _event(record)
    if event:
        record.msg = {**event, "repeated": held}  # type: ignore[assignment]  # structlog's way through logging
    else:
        record.msg = f"{record.getMessage()} (and {held} more of these)"
        record.args = None
