"""What a configuration would have done with recorded load: the decision code of the loop on a virtual clock.

Calls flow evenly within each recorded minute. An instance works on `calls_at_once` calls, each for the time that was
measured then, and is connected `start_seconds` after its request. Calls wait in the order in which they came. Servers
have room for every instance.
"""

from bisect import bisect_right
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final

from mlpcore.features.scaling_rules.decision import Counts, Decision, Kind, Load, decide
from mlpcore.features.scaling_rules.rules import Measure, Rules

STEP: Final = timedelta(seconds=15)
"""The loop decides as often by default."""
_SECONDS: Final = STEP.total_seconds()
_WINDOW: Final = 4
_MINUTE: Final = 60.0
_MILLI: Final = 1000.0
_NO_CALLS: Final = 1e-9
WOKEN: Final = "call"
"""The reason of a step up that a call makes, not the loop."""


@dataclass(frozen=True, slots=True)
class Recorded:
    """One minute. `calls` ended in it and were not refused; `call_seconds`: their time without waiting, on average.

    `open_calls`: calls in progress on average, beyond those that `calls` explain: streams and other long calls.
    `milli_cpu`: of all instances. `known`: gates reported.
    """

    calls: float = 0.0
    call_seconds: float | None = None
    open_calls: float = 0.0
    milli_cpu: float | None = None
    known: bool = True


@dataclass(frozen=True, slots=True)
class ReplayedModel:
    """`calls_at_once`: of one instance; None: any number. `woken`: the number that a call starts."""

    rules: Rules
    start_seconds: float
    calls_at_once: int | None
    woken: int = 1


@dataclass(frozen=True, slots=True)
class Interval:
    """What happened in 15 s. `active`: calls in progress on average; `waiting`: calls that wait at its end."""

    served: float
    active: float
    waiting: float
    waited_seconds: float
    milli_cpu: float | None
    call_seconds: float | None
    known: bool


@dataclass
class Replayed:
    """`requested`, `waiting`: one value for each step. `waits`: seconds that numbers of calls waited, in no order."""

    requested: list[int] = field(default_factory=list[int])
    waiting: list[float] = field(default_factory=list[float])
    waits: list[tuple[float, float]] = field(default_factory=list[tuple[float, float]])
    decisions: list[tuple[datetime, Decision, int]] = field(default_factory=list[tuple[datetime, Decision, int]])

    @property
    def instance_hours(self) -> float:
        return sum(self.requested) * _SECONDS / 3600

    def wait_quantile(self, part: float) -> float | None:
        """Returns the seconds that this part of the calls did not exceed; None without calls."""
        wanted = sum(calls for _, calls in self.waits) * part
        if wanted <= 0:
            return None
        for seconds, calls in sorted(self.waits):
            wanted -= calls
            if wanted <= _NO_CALLS:
                return seconds
        return max(self.waits)[0]


class Replay:
    def __init__(self, model: ReplayedModel, *, start: datetime, instances: int) -> None:
        """`instances`: how many are connected at the start."""
        self._model = model
        self._now = start
        self._ready = [start] * model.rules.allowed(instances, start)
        self._queue: deque[tuple[datetime, float]] = deque()
        self._queued = 0.0
        self._past: deque[Interval] = deque(maxlen=_WINDOW)
        self._changed_at: datetime | None = None
        self._used_at = start
        self.result = Replayed()

    def run(self, minutes: Sequence[Recorded]) -> Replayed:
        for minute in minutes:
            for _ in range(int(_MINUTE / _SECONDS)):
                self._pass(minute)
                self._now += STEP
                self._decide(minute)
        return self.result

    def _pass(self, minute: Recorded) -> None:
        arriving = minute.calls / (_MINUTE / _SECONDS)
        if arriving > 0:
            self._queue.append((self._now, arriving))
            self._queued += arriving
        if arriving > 0 or minute.open_calls > 0:
            self._used_at = self._now + STEP
            if not self._ready:
                self._wake_up()
        connected = self._connected()
        waiting = self._queued
        served = min(waiting, self._capacity(connected, minute))
        waited = self._serve(served)
        self._queued = waiting - served if self._queue else 0.0
        seconds = minute.call_seconds or 0.0
        self._past.append(
            Interval(
                served,
                served * seconds / _SECONDS + (minute.open_calls if connected else 0.0),
                waiting - served,
                waited,
                minute.milli_cpu,
                minute.call_seconds if served > 0 else None,
                minute.known,
            )
        )
        self.result.requested.append(len(self._ready))
        self.result.waiting.append(waiting - served)

    def _wake_up(self) -> None:
        count = self._model.rules.allowed(self._model.woken, self._now)
        if count:
            self.result.decisions.append((self._now, Decision(Kind.UP, count, WOKEN), 0))
            self._set(count)

    def _capacity(self, connected: int, minute: Recorded) -> float:
        """Returns how many calls the instances end in one step."""
        if not connected:
            return 0.0
        if self._model.calls_at_once is None or not minute.call_seconds:
            return float("inf")
        return connected * self._model.calls_at_once / minute.call_seconds * _SECONDS

    def _serve(self, calls: float) -> float:
        """Ends the calls that came first. Returns the seconds that they waited together.

        Calls that came in this step did not wait.
        """
        total = 0.0
        while calls > _NO_CALLS and self._queue:
            came_at, number = self._queue.popleft()
            taken = min(number, calls)
            wait = (self._now - came_at).total_seconds()
            self.result.waits.append((wait, taken))
            total += wait * taken
            calls -= taken
            if number - taken > _NO_CALLS:
                self._queue.appendleft((came_at, number - taken))
        return total

    def _decide(self, minute: Recorded) -> None:
        requested = len(self._ready)
        connected = self._connected()
        counts = Counts(requested, connected, requested - connected)
        load = self._load(max(1, connected)) if minute.known else Load({}, {}, known=False)
        decision = decide(self._model.rules, load, counts, changed_at=self._changed_at, now=self._now)
        if decision.wanted != requested:
            self.result.decisions.append((self._now, decision, requested))
            self._set(decision.wanted)

    def _set(self, count: int) -> None:
        if count == len(self._ready):
            return
        self._changed_at = self._now
        starting = [self._now + timedelta(seconds=self._model.start_seconds)] * (count - len(self._ready))
        self._ready = sorted([*self._ready, *starting])[:count]

    def _connected(self) -> int:
        return bisect_right(self._ready, self._now)

    def _load(self, connected: int) -> Load:
        past = [step for step in self._past if step.known]
        last, before = past[-1], past[-2] if len(past) > 1 else past[-1]
        values = _values(past, connected)
        used = any(step.active or step.served or step.waiting for step in past)
        return Load(
            values=values,
            recent=_values(past[-1:], connected),
            waiting=last.waiting,
            growth=(last.waiting - before.waiting) / _SECONDS,
            served=last.served / _SECONDS / connected,
            at_once=float(self._model.calls_at_once or 1),
            quiet=not used,
            unused=timedelta(0) if used else self._now - self._used_at,
        )


def _values(past: Sequence[Interval], connected: int) -> Mapping[Measure, float]:
    seconds = len(past) * _SECONDS
    served = sum(step.served for step in past)
    values = {
        Measure.ACTIVE: sum(step.active for step in past) / len(past) / connected,
        Measure.REQUESTS: served * _MINUTE / seconds / connected,
    }
    cpu = [step.milli_cpu for step in past if step.milli_cpu is not None]
    if cpu:
        values[Measure.CPU] = sum(cpu) / len(cpu) / connected
    timed = [(step.call_seconds, step.served) for step in past if step.call_seconds is not None]
    if timed:
        values[Measure.LATENCY] = sum(t * n for t, n in timed) / sum(n for _, n in timed) * _MILLI
    if served > 0:
        values[Measure.QUEUE_TIME] = sum(step.waited_seconds for step in past) / served * _MILLI
    return values
