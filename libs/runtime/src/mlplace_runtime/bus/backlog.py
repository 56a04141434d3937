"""Events that a consumer has read and not yet handled, grouped into lanes: one per key of a topic. No I/O.

A lane keeps its order, and one worker at a time works on it. Healthy lanes are handled in large batches; lanes in
trouble are set apart and handled one by one. Offsets may be committed up to the oldest event that is not done.
"""

from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from mlplace_runtime.bus.handling import Received
from mlplace_runtime.bus.port import Delivered, Place

APART_SECONDS = 60.0
"""How long a lane stays apart after its last trouble."""
_LANES_KEPT = 1000

LaneKey = tuple[str, str]
"""A topic and a key."""


@dataclass(frozen=True, slots=True)
class Arrival:
    """`item` is None for a record that is not an event; `fault` says why. `number` is the order of arrival."""

    delivered: Delivered
    item: Received | None
    fault: str = ""
    number: int = 0

    @property
    def lane(self) -> LaneKey:
        return self.delivered.record.topic, self.delivered.record.key


@dataclass(slots=True)
class _Lane:
    """`apart_until` is None for a healthy lane. `failures` counts consecutive failures."""

    waiting: deque[Arrival] = field(default_factory=deque[Arrival])
    at_work: bool = False
    paused: bool = False
    apart_until: float | None = None
    failures: int = 0


class Backlog:
    def __init__(self, *, seconds: Callable[[], float]) -> None:
        self._seconds = seconds
        self._lanes: dict[LaneKey, _Lane] = {}
        self._ready: dict[LaneKey, None] = {}  # in the order of their turns
        self._ready_apart: dict[LaneKey, None] = {}
        self._open: defaultdict[Place, set[int]] = defaultdict(set)
        self._read: dict[Place, int] = {}
        self._arrived = 0
        self.size = 0

    @property
    def apart(self) -> int:
        """Number of lanes that are set apart."""
        return sum(lane.apart_until is not None for lane in self._lanes.values())

    def skip(self, delivered: Delivered) -> None:
        """Counts a record that needs no handling as read."""
        self._read[delivered.place] = max(self._read.get(delivered.place, 0), delivered.offset + 1)

    def add(self, delivered: Delivered, item: Received | None, fault: str = "") -> None:
        """Adds a record. Ignores one that is still waiting here when the bus delivers it again."""
        self.skip(delivered)
        if delivered.offset in self._open[delivered.place]:
            return
        self._open[delivered.place].add(delivered.offset)
        self.size += 1
        self._arrived += 1
        arrival = Arrival(delivered, item, fault, self._arrived)
        lane = self._lanes.setdefault(arrival.lane, _Lane())
        lane.waiting.append(arrival)
        self._queue(arrival.lane)

    def take(self, limit: int) -> list[Arrival]:
        """Takes events of healthy lanes, in order of arrival. A lane with more events goes to the end of the queue."""
        taken: list[Arrival] = []
        while self._ready and len(taken) < limit:
            taken += self._take_from(next(iter(self._ready)), self._ready, limit - len(taken))
        return sorted(taken, key=lambda arrival: arrival.number)

    def take_apart(self, limit: int) -> list[Arrival]:
        """Takes events of one lane that is set apart."""
        return self._take_from(next(iter(self._ready_apart)), self._ready_apart, limit) if self._ready_apart else []

    def in_trouble(self, key: LaneKey) -> bool:
        """Whether the lane itself failed recently, rather than only a batch that it was part of."""
        until = self._lanes[key].apart_until
        return until is not None and until > self._seconds()

    def done(self, arrivals: Sequence[Arrival], *, trouble: bool = False) -> None:
        """Marks events as handled or parked. A lane that is apart rejoins the others after a turn without trouble."""
        self._close(arrivals)
        for key in dict.fromkeys(arrival.lane for arrival in arrivals):
            lane = self._lanes[key]
            lane.at_work, lane.failures = False, 0
            if trouble:
                lane.apart_until = self._seconds() + APART_SECONDS
            elif not self.in_trouble(key):
                lane.apart_until = None
            self._queue(key)
        self._forget_idle()

    def scatter(self, arrivals: Sequence[Arrival]) -> None:
        """Sets apart the lanes of a batch that failed, to find out which of them caused the failure."""
        self._give_back(arrivals)
        for key in dict.fromkeys(arrival.lane for arrival in arrivals):
            self._lanes[key].apart_until = self._lanes[key].apart_until or self._seconds()
            self._queue(key)

    def pause(self, done: Sequence[Arrival], rest: Sequence[Arrival]) -> int:
        """Ends one lane's turn early; `rest` waits until `resume`. Returns how often the next event has failed."""
        self._close(done)
        self._give_back(rest)
        lane = self._lanes[rest[0].lane]
        lane.paused, lane.apart_until = True, self._seconds() + APART_SECONDS
        lane.failures = 1 if done else lane.failures + 1
        return lane.failures

    def failures(self, key: LaneKey) -> int:
        """Returns how often the oldest event of the lane has failed."""
        return self._lanes[key].failures

    def resume(self, key: LaneKey) -> None:
        self._lanes[key].paused = False
        self._queue(key)

    def committable(self) -> dict[Place, int]:
        """Returns the offset at which each partition would resume: everything before it is done."""
        return {place: min(self._open[place], default=read) for place, read in self._read.items()}

    def _close(self, arrivals: Sequence[Arrival]) -> None:
        for arrival in arrivals:
            self._open[arrival.delivered.place].discard(arrival.delivered.offset)
        self.size -= len(arrivals)

    def _give_back(self, arrivals: Sequence[Arrival]) -> None:
        for arrival in reversed(arrivals):
            self._lanes[arrival.lane].waiting.appendleft(arrival)
            self._lanes[arrival.lane].at_work = False

    def _take_from(self, key: LaneKey, queue: dict[LaneKey, None], limit: int) -> list[Arrival]:
        del queue[key]
        lane = self._lanes[key]
        lane.at_work = True
        return [lane.waiting.popleft() for _ in range(min(limit, len(lane.waiting)))]

    def _queue(self, key: LaneKey) -> None:
        lane = self._lanes[key]
        if lane.waiting and not lane.at_work and not lane.paused:
            queue = self._ready if lane.apart_until is None else self._ready_apart
            queue.setdefault(key)

    def _forget_idle(self) -> None:
        if len(self._lanes) > self.size + _LANES_KEPT:
            for key in list(self._idle()):
                del self._lanes[key]

    def _idle(self) -> Iterable[LaneKey]:
        for key, lane in self._lanes.items():
            if not lane.waiting and not lane.at_work and not self.in_trouble(key):
                yield key
