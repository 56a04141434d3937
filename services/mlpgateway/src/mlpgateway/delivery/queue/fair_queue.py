"""The calls that wait for one model. Accounts take turns, so many calls of one account delay no other account.

No I/O, no clock.
"""

from collections import OrderedDict
from collections.abc import Callable, Iterator
from typing import Generic, TypeVar

from mlpgateway.delivery.queue.priority_queue import PriorityQueue, QueueEntry

_Who = TypeVar("_Who")


class FairQueue(Generic[_Who]):
    """Accounts take turns, one call each. A `PriorityQueue` orders the calls of one account.

    A new account is served after at most one call of each other account.
    """

    def __init__(self, *, ageing_seconds: float) -> None:
        self._ageing_seconds = ageing_seconds
        self._queues: OrderedDict[int, PriorityQueue[_Who]] = OrderedDict()
        """By account id, in the order of their turns."""
        self.waiting = 0
        self.size = 0

    def __iter__(self) -> Iterator[QueueEntry[_Who]]:
        """Grouped by account; the calls of one account in order of arrival."""
        return (place for queue in self._queues.values() for place in queue)

    def join(self, who: _Who, *, account_id: int, priority: int, size: int, now: float) -> QueueEntry[_Who]:
        queue = self._queues.get(account_id)
        if queue is None:
            queue = self._queues[account_id] = PriorityQueue[_Who](ageing_seconds=self._ageing_seconds)
        self.waiting += 1
        self.size += size
        return queue.join(who, account_id=account_id, priority=priority, size=size, now=now)

    def leave(self, place: QueueEntry[_Who]) -> None:
        """Idempotent."""
        if place.waits:
            self._queues[place.account_id].leave(place)
            self._left(place)

    def take(self, now: float, fits: Callable[[_Who], bool]) -> _Who | None:
        """Removes and returns the next call that fits; None when none does. `fits` was called for it last."""
        for account_id, queue in self._queues.items():
            place = queue.take_place(now, fits)
            if place is not None:
                self._queues.move_to_end(account_id)
                self._left(place)
                return place.who
        return None

    def _left(self, place: QueueEntry[_Who]) -> None:
        self.waiting -= 1
        self.size -= place.size
        if not self._queues[place.account_id].waiting:
            del self._queues[place.account_id]
