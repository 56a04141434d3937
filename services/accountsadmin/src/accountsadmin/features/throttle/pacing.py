"""How long the next attempt waits. No I/O.

Nobody is refused for good: who waits as long as told has a turn of their own, which nobody else can take. Waits are
bounded by the present moment plus their longest, so that a clock that is set back lengthens none of them.
"""

from datetime import datetime, timedelta

from accountsadmin.features.throttle.tables import Attempts

_NONE = timedelta(0)
_FIRST = timedelta(seconds=1)
_MOST_DOUBLINGS = 16


def backoff(row: Attempts, *, free: int, longest: timedelta) -> timedelta:
    """Of the subject's own attempts: none while they are free, then 1 s, 2 s, 4 s and so on up to the longest."""
    over = row.attempts - free
    return min(_FIRST * 2 ** min(over, _MOST_DOUBLINGS), longest) if over >= 0 else _NONE


def left_of_turn(row: Attempts, now: datetime, *, longest: timedelta) -> timedelta:
    """What is left of the wait that the subject was told. None: it has waited, or needs not."""
    if row.turn_at is None:
        return _NONE
    turn_at = row.turn_at = min(row.turn_at, now + longest)
    return max(turn_at - now, _NONE)


def take_turn(row: Attempts) -> bool:
    """Whether the subject has waited for this attempt. A turn is for one attempt."""
    waited, row.turn_at = row.turn_at is not None, None
    return waited


def line(row: Attempts, now: datetime, *, free: int, apart: timedelta, longest: timedelta) -> timedelta:
    """The wait in the line of all who try the same, which moves on once in `apart`, beyond the free attempts.

    Nobody waits longer than the longest: then several have the same turn.
    """
    if row.attempts < free:
        return _NONE
    starts = min(max(row.line_ends_at or now, now), now + longest)
    row.line_ends_at = starts + apart
    return starts - now


def line_is_full(row: Attempts, now: datetime, *, free: int, longest: timedelta) -> bool:
    """Whether another one would wait longer than the longest."""
    if row.attempts < free or row.line_ends_at is None:
        return False
    ends_at = row.line_ends_at = min(row.line_ends_at, now + longest)
    return ends_at - now >= longest
