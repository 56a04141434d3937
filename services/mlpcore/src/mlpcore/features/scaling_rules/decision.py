"""Decides how many instances a model gets. A function of rules, load, counts and time: it reads and changes nothing.

The steps, in order:

1. A model without instances gets them only when bounds with a minimum begin to hold after it was stopped: a period
   of the schedule begins or ends. Else a call wakes it, or its owner starts it.
2. A maximum of 0 stops it. Idle: with a minimum of 0, nobody having called for the idle time, the model sleeps.
3. A count outside the bounds moves to the nearest bound at once.
4. Up: any measure is above its threshold, or calls wait although instances are connected. The new count is what the
   load needs: for active requests, requests per minute and CPU the total divided by the threshold; for latency and
   queue time one more; for the queue what serves the calls that come, and those that wait within 30 s if no instance
   starts. It is at most ten times the count, so that one wrong sample has bounded costs.
5. Down: each measure that has a threshold for it is known and below it, nobody waits, no instance starts. The new
   count leaves every measure at 80 % of its threshold for scaling up or lower, and is at least half the count.

Between two changes passes the cooldown. Only calls that wait may end it early, and only for a step up.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final

from mlpcore.features.scaling_rules.rules import SHARED, Measure, Rules
from mlpcore.features.scaling_rules.schedule import Bounds

_ROOM: Final = 0.8
"""After a step down, an instance has at most this part of the load at which the next step up begins."""
_WAITING: Final = 0.5
"""So many waiting calls on average are a queue; fewer are chance."""
_MOST_FACTOR: Final = 10
_DRAIN_SECONDS: Final = 30.0
_ROUNDING: Final = 1e-6


class Kind(StrEnum):
    HOLD = "HOLD"
    UP = "UP"
    DOWN = "DOWN"
    SLEEP = "SLEEP"


@dataclass(frozen=True, slots=True)
class Load:
    """What was measured in the window, and at its end.

    `values`: averages per connected instance; measures that are not known are absent. Without calls there is no latency
    and no queue time, and `quiet` says that this is known. `recent`: the same at the end of the window. `waiting`:
    calls that wait at the end, on average. `at_once`: calls that one instance works on at once, at least 1. `unused`:
    how long nobody has used the model; None: unknown. `growth`: calls per second by which the queue grows. `served`:
    calls per second that one instance ends.
    """

    values: Mapping[Measure, float]
    recent: Mapping[Measure, float]
    waiting: float = 0.0
    growth: float = 0.0
    served: float = 0.0
    at_once: float = 1.0
    quiet: bool = False
    unused: timedelta | None = None
    known: bool = True


@dataclass(frozen=True, slots=True)
class Counts:
    """`requested`: instances that should run, starting ones too. `connected`: those that serve.

    `starting`: those that may still become connected; others have not in their time, have failed, or wait for a limit.
    """

    requested: int
    connected: int
    starting: int = 0


@dataclass(frozen=True, slots=True)
class Decision:
    """`wanted`: the number of instances from now on. `reason`: the measure that decided, or another short name.

    `needed`: the number that the load needs, where it is more than the bounds or the cooldown allow.
    """

    kind: Kind
    wanted: int
    reason: str
    needed: int | None = None


def decide(rules: Rules, load: Load, counts: Counts, *, changed_at: datetime | None, now: datetime) -> Decision:
    """`changed_at`: when the number was last changed, by whomever."""
    bounds = rules.bounds(now)
    if counts.requested == 0:
        begins = _begins(rules, bounds, changed_at, now)
        return Decision(Kind.UP, bounds.least, "schedule") if begins else _hold(counts, "stopped")
    found = _sleeping(rules, bounds, load) or _within(bounds, counts)
    if found is not None:
        return found
    if not load.known or not counts.connected:
        return _hold(counts, "starting" if load.known else "unknown")
    needed, reason = _needed(rules, load, counts)
    resting = _rests(rules, changed_at, now)
    if needed > counts.requested:
        return _up(counts, bounds, needed, reason, resting=resting and load.waiting < _WAITING)
    return _down(rules, load, counts, bounds, resting=resting)


def _sleeping(rules: Rules, bounds: Bounds, load: Load) -> Decision | None:
    if bounds.most == 0:
        return Decision(Kind.SLEEP, 0, "schedule" if bounds.scheduled else "maximum")
    idle = rules.idle is not None and load.unused is not None and load.unused >= rules.idle
    return Decision(Kind.SLEEP, 0, "idle") if idle and bounds.least == 0 else None


def _within(bounds: Bounds, counts: Counts) -> Decision | None:
    least = max(1, bounds.least)
    if counts.requested < least:
        return Decision(Kind.UP, least, "schedule" if bounds.scheduled else "minimum")
    if counts.requested > bounds.most:
        return Decision(Kind.DOWN, bounds.most, "schedule" if bounds.scheduled else "maximum")
    return None


def _hold(counts: Counts, reason: str, needed: int | None = None) -> Decision:
    return Decision(Kind.HOLD, counts.requested, reason, needed)


def _up(counts: Counts, bounds: Bounds, needed: int, reason: str, *, resting: bool) -> Decision:
    if resting:
        return _hold(counts, "cooldown", needed)
    wanted = min(needed, bounds.most)
    if wanted <= counts.requested:
        return _hold(counts, "maximum", needed)
    return Decision(Kind.UP, wanted, reason, needed if needed > bounds.most else None)


def _down(rules: Rules, load: Load, counts: Counts, bounds: Bounds, *, resting: bool) -> Decision:
    if load.waiting >= _WAITING or counts.starting or not _is_low(rules, load):
        return _hold(counts, "enough")
    wanted = max(_enough(rules, load, counts), math.ceil(counts.requested / 2), bounds.least)
    if wanted >= counts.requested:
        return _hold(counts, "enough")
    return _hold(counts, "cooldown") if resting else Decision(Kind.DOWN, wanted, "low")


def _begins(rules: Rules, bounds: Bounds, changed_at: datetime | None, now: datetime) -> bool:
    """Says whether the schedule starts a model without instances. A model that never ran starts in a period only."""
    if bounds.least == 0:
        return False
    if changed_at is None:
        return bounds.scheduled
    since = rules.bounds_since(now)
    return since is not None and changed_at < since


def _rests(rules: Rules, changed_at: datetime | None, now: datetime) -> bool:
    """A clock that was set back does not stop scaling: a change in the future is none."""
    return changed_at is not None and timedelta(0) <= now - changed_at < rules.cooldown


def _needed(rules: Rules, load: Load, counts: Counts) -> tuple[int, str]:
    """Returns how many instances the load needs, and why."""
    connected = counts.connected
    found = [(counts.requested, "enough")]
    for measure, threshold in rules.up.items():
        value = load.values.get(measure)
        if value is None or value <= threshold:
            continue
        if measure in SHARED:
            highest = max(value, load.recent.get(measure, value))
            found.append((math.ceil(connected * highest / threshold), measure.value))
        else:
            found.append((connected + 1, measure.value))
    if load.waiting >= _WAITING and rules.up:
        found.append((_for_queue(load, counts), "queue"))
    needed, reason = max(found, key=lambda entry: entry[0])
    return min(needed, _MOST_FACTOR * counts.requested), reason


def _for_queue(load: Load, counts: Counts) -> int:
    """Returns how many instances serve the calls that come and wait. Without an ended call, its time is unknown."""
    starting = counts.starting
    if load.served <= 0:
        return counts.connected + (0 if starting > 0 else math.ceil(load.waiting / max(1.0, load.at_once)))
    needed = counts.connected + max(0.0, load.growth) / load.served
    if starting <= 0:
        needed += load.waiting / (load.served * _DRAIN_SECONDS)
    return math.ceil(needed - _ROUNDING)


def _is_low(rules: Rules, load: Load) -> bool:
    """Says whether each measure with a threshold for scaling down is known to be below it. Without one, none is."""
    if not rules.down:
        return False
    for measure, threshold in rules.down.items():
        value = load.values.get(measure)
        if value is None:
            if not (load.quiet and measure in {Measure.LATENCY, Measure.QUEUE_TIME}):
                return False
        elif value >= threshold and not (value == 0 and threshold == 0):
            return False
    return True


def _enough(rules: Rules, load: Load, counts: Counts) -> int:
    """Returns how many instances keep every measure well below its threshold for scaling up."""
    enough = counts.requested - 1 if not SHARED & set(rules.up) else 1
    for measure in SHARED & set(rules.up):
        value = max(load.values.get(measure, math.inf), load.recent.get(measure, 0.0))
        if math.isinf(value):
            return counts.requested
        enough = max(enough, math.ceil(counts.connected * value / (_ROOM * rules.up[measure])))
    return max(1, enough)
