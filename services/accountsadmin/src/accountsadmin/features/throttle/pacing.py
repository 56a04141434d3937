"""Computes how long the next attempt must wait. No I/O.

Nobody is refused for good: a subject that waits as long as told gets a turn of its own, which nobody else can take. A
wait never exceeds its maximum from now, so setting the clock back lengthens none.
"""

from datetime import datetime, timedelta

from accountsadmin.features.throttle.tables import Attempts
from mlplace_runtime.backoff import Backoff

_NONE = timedelta(0)
_FIRST_SECONDS = 1.0


def backoff(row: Attempts, *, free: int, longest: timedelta) -> timedelta:
    """Wait because of the subject's own attempts: none within the free ones, then 1 s, 2 s, 4 s up to `longest`."""
    over = row.attempts - free
    pauses = Backoff(first=_FIRST_SECONDS, longest=longest.total_seconds())
    return timedelta(seconds=pauses.seconds(over + 1)) if over >= 0 else _NONE


def left_of_turn(row: Attempts, now: datetime, *, longest: timedelta) -> timedelta:
    """Returns what is left of the wait that the subject was given; zero if it has waited or has no wait."""
    if row.turn_at is None:
        return _NONE
    turn_at = row.turn_at = min(row.turn_at, now + longest)
    return max(turn_at - now, _NONE)


def take_turn(row: Attempts) -> bool:
    """Uses up the turn. Returns whether the subject had waited for it; a turn allows one attempt."""
    waited, row.turn_at = row.turn_at is not None, None
    return waited


def line(row: Attempts, now: datetime, *, free: int, apart: timedelta, longest: timedelta) -> timedelta:
    """Wait in the queue of all attempts at the same subject beyond the free ones; it admits one per `apart`.

    Nobody waits longer than `longest`; beyond that, several share the same turn.
    """
    if row.attempts < free:
        return _NONE
    starts = min(max(row.line_ends_at or now, now), now + longest)
    row.line_ends_at = starts + apart
    return starts - now


def line_is_full(row: Attempts, now: datetime, *, free: int, longest: timedelta) -> bool:
    """Whether another attempt would wait longer than `longest`."""
    if row.attempts < free or row.line_ends_at is None:
        return False
    ends_at = row.line_ends_at = min(row.line_ends_at, now + longest)
    return ends_at - now >= longest
