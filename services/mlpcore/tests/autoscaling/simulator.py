"""A service under load on a virtual clock. The real decision code sets its number of instances."""

import math
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import pairwise

from mlpcore.features.scaling_rules.decision import Counts, Decision, Kind, Load, decide
from mlpcore.features.scaling_rules.rules import Measure, Rules

TICK = 1.0
PERIOD = 10
WINDOW = 60
RECENT = 20
DECISION = 15
START = datetime(2026, 3, 2, tzinfo=UTC)


@dataclass(slots=True)
class Second:
    """What was measured in one second. `known`: gates reported it."""

    calls: float
    active: float
    waiting: float
    connected: int
    known: bool


@dataclass
class Service:
    """`slots`: calls that an instance works on at once; `seconds`: the time of a call; `start`: seconds of a start."""

    rules: Rules
    load: Callable[[float], float]
    slots: int = 4
    seconds: float = 0.5
    start: float = 20.0
    instances: list[float] = field(default_factory=lambda: [0.0])
    """When each instance is connected, in seconds since the start."""
    dies: Callable[[int, float], bool] = lambda _number, _at: False
    silent: Callable[[float], bool] = lambda _at: False
    clock: Callable[[float], datetime] = lambda at: START + timedelta(seconds=at)
    decisions: list[tuple[float, Decision, int]] = field(default_factory=list)
    counts: list[int] = field(default_factory=list)
    backlog: float = 0.0
    backlogs: list[float] = field(default_factory=list)
    changed_at: datetime | None = None
    used_at: float = 0.0
    started: int = 0
    _past: deque[Second] = field(default_factory=lambda: deque(maxlen=WINDOW))

    def run(self, seconds: int) -> None:
        for at in range(seconds):
            self._pass(float(at))
            if at % DECISION == DECISION - 1:
                self._decide(float(at))
            self.counts.append(len(self.instances))

    def _pass(self, at: float) -> None:
        self.instances = [
            ready + self.start if ready == at and self.dies(number, at) else ready
            for number, ready in enumerate(self.instances)
        ]
        connected = sum(ready <= at for ready in self.instances)
        arriving = self.load(at)
        if arriving > 0:
            self.used_at = at
        served = min(self.backlog + arriving, connected * self.slots / self.seconds * TICK)
        self.backlog += arriving - served
        self.backlogs.append(self.backlog)
        active = served * self.seconds / TICK
        self._past.append(Second(served, active, self.backlog, connected, known=not self.silent(at)))
        if arriving > 0 and not self.instances:
            self.instances, self.changed_at = [at + self.start], self.clock(at)  # the wake-up of the gate

    def _decide(self, at: float) -> None:
        now, connected = self.clock(at), sum(ready <= at for ready in self.instances)
        counts = Counts(len(self.instances), connected, len(self.instances) - connected)
        decision = decide(self.rules, self._measured(at), counts, changed_at=self.changed_at, now=now)
        self.decisions.append((at, decision, counts.requested))
        if decision.wanted == counts.requested:
            return
        self.changed_at = now
        while len(self.instances) < decision.wanted:
            self.instances.append(at + self.start)
            self.started += 1
        self.instances = sorted(self.instances)[: decision.wanted]  # the newest starting one goes first

    def _measured(self, at: float) -> Load:
        past = [second for second in self._past if second.known]
        recent = [second for second in list(self._past)[-RECENT:] if second.known]
        last = [second for second in list(self._past)[-PERIOD:] if second.known]
        if not last:
            return Load({}, {}, known=False)
        values = self._values(past)
        return Load(
            values=values,
            recent=self._values(recent),
            waiting=sum(second.waiting for second in last) / len(last),
            growth=(recent[-1].waiting - recent[0].waiting) / max(1, len(recent) - 1),
            served=sum(second.calls for second in recent) / len(recent) / max(1, recent[-1].connected),
            at_once=float(self.slots),
            quiet=not any(second.calls for second in past),
            unused=timedelta(seconds=at - self.used_at),
        )

    def _values(self, seconds: list[Second]) -> dict[Measure, float]:
        connected = max(1, sum(ready <= len(self.counts) for ready in self.instances))
        values = {
            Measure.ACTIVE: sum(second.active for second in seconds) / len(seconds) / connected,
            Measure.REQUESTS: sum(second.calls for second in seconds) / len(seconds) * 60 / connected,
        }
        if (calls := sum(second.calls for second in seconds)) > 0:
            values[Measure.QUEUE_TIME] = sum(second.waiting for second in seconds) / calls * 1000
        return values

    # ---- What held

    @property
    def changes(self) -> list[tuple[float, int]]:
        return [(at, decision.wanted - before) for at, decision, before in self.decisions if decision.wanted != before]

    @property
    def turns(self) -> list[float]:
        """The times at which the direction of change was another than the time before."""
        signs = [(at, math.copysign(1, by)) for at, by in self.changes]
        return [later[0] for earlier, later in pairwise(signs) if earlier[1] != later[1]]

    def most_turns(self, within: timedelta) -> int:
        span = within.total_seconds()
        return max((sum(at <= other < at + span for other in self.turns) for at in self.turns), default=0)

    def kinds(self) -> set[Kind]:
        return {decision.kind for _, decision, _ in self.decisions}
