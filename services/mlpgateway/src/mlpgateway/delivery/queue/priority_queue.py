"""The priority queue of the calls that wait for one model. No I/O, no clock."""

import heapq
import itertools
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Generic, TypeVar

_OVERTAKEN_IN_A_ROW = 3
_SPARE = 64

_Who = TypeVar("_Who")


@dataclass(slots=True, eq=False)
class QueueEntry(Generic[_Who]):
    """A waiting call. `size` is in bytes, `since` in seconds."""

    who: _Who
    priority: int
    size: int
    since: float
    account_id: int = 0
    number: int = 0
    waits: bool = field(default=True)


class PriorityQueue(Generic[_Who]):
    """Higher priority first, then order of arrival.

    At most three others in a row overtake a call that has waited for `ageing_seconds`: under a constant stream of
    important calls, every fourth turn goes to the call that has waited longest.
    """

    def __init__(self, *, ageing_seconds: float) -> None:
        self._ageing_seconds = ageing_seconds
        self._by_priority: list[tuple[int, int, QueueEntry[_Who]]] = []
        self._by_age: deque[QueueEntry[_Who]] = deque()
        self._numbers = itertools.count(1)
        self._overtaken = 0
        self.waiting = 0
        self.size = 0

    def __iter__(self) -> Iterator[QueueEntry[_Who]]:
        """In order of arrival."""
        return (place for place in self._by_age if place.waits)

    def join(self, who: _Who, *, priority: int, size: int, now: float, account_id: int = 0) -> QueueEntry[_Who]:
        place = QueueEntry(who, priority, size, now, account_id, next(self._numbers))
        heapq.heappush(self._by_priority, (-priority, place.number, place))
        self._by_age.append(place)
        self.waiting += 1
        self.size += size
        return place

    def leave(self, place: QueueEntry[_Who]) -> None:
        """Idempotent."""
        if place.waits:
            place.waits = False
            self.waiting -= 1
            self.size -= place.size
            self._tidy()

    def take(self, now: float, fits: Callable[[_Who], bool]) -> _Who | None:
        """Removes and returns the next call that fits; None when none does. `fits` was called for it last."""
        place = self.take_place(now, fits)
        return None if place is None else place.who

    def take_place(self, now: float, fits: Callable[[_Who], bool]) -> QueueEntry[_Who] | None:
        """Like `take`, but returns the queue entry."""
        oldest = self._oldest()
        if oldest is None:
            return None
        aged = now - oldest.since >= self._ageing_seconds
        if aged and self._overtaken >= _OVERTAKEN_IN_A_ROW and fits(oldest.who):
            chosen: QueueEntry[_Who] | None = oldest
        else:
            chosen = self._most_important(fits)
        if chosen is None:
            return None
        self._overtaken = self._overtaken + 1 if aged and chosen is not oldest else 0
        self.leave(chosen)
        return chosen

    def _oldest(self) -> QueueEntry[_Who] | None:
        while self._by_age and not self._by_age[0].waits:
            self._by_age.popleft()
        return self._by_age[0] if self._by_age else None

    def _most_important(self, fits: Callable[[_Who], bool]) -> QueueEntry[_Who] | None:
        passed: list[tuple[int, int, QueueEntry[_Who]]] = []
        found: QueueEntry[_Who] | None = None
        while self._by_priority and found is None:
            entry = heapq.heappop(self._by_priority)
            if not entry[2].waits:
                continue
            if fits(entry[2].who):
                found = entry[2]
            else:
                passed.append(entry)
        for entry in passed:
            heapq.heappush(self._by_priority, entry)
        return found

    def _tidy(self) -> None:
        """Removes stale entries in bulk, so that memory follows the number of waiting calls."""
        if len(self._by_age) > 2 * self.waiting + _SPARE:
            self._by_age = deque(place for place in self._by_age if place.waits)
        if len(self._by_priority) > 2 * self.waiting + _SPARE:
            self._by_priority = [entry for entry in self._by_priority if entry[2].waits]
            heapq.heapify(self._by_priority)
