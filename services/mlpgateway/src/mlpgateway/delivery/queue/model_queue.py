"""The calls that wait for one model, and the seats at its instances."""

import asyncio
from collections.abc import Collection
from dataclasses import dataclass

from mlpgateway.call.context import Visit
from mlpgateway.call.plan import Plan
from mlpgateway.call.transport import InstanceLink
from mlpgateway.delivery.queue.fair_queue import FairLine
from mlpgateway.delivery.queue.slot import Seat
from mlpgateway.shares.room import Room


@dataclass(slots=True, eq=False)
class Waiter:
    """`seat` is given to it when its turn comes. `start` runs while no instance is there at all, as is not `there`.

    `seated` is false for one that waits for the start alone, and gets None: its seat is another gate's to give.
    """

    visit: Visit
    but: Collection[InstanceLink]
    seat: asyncio.Future[Seat | None]
    start: asyncio.Timeout | None = None
    there: bool = True
    seated: bool = True

    def wait_for_start(self, start: asyncio.Timeout) -> None:
        self.start = start
        self.visit.patience.phase = self.visit.waited_for = "start"
        self.visit.patience.suspend()

    def instance_is_there(self) -> None:
        """From now on it waits for its turn, and the time for the answer runs."""
        if self.start is not None and not self.start.expired():
            self.start.reschedule(None)
            self.start = None
            self.visit.patience.phase = "queue"
            self.visit.patience.resume()
        if not self.seated and not self.seat.done():
            self.seat.set_result(None)


class Queue:
    """`starting_since`: since when calls wait without any instance. `seats` by link; None stands for other gates.

    `room` is what the calls take that wait in `line`.
    """

    __slots__ = ("limit", "line", "model_id", "room", "seats", "starting_since")

    def __init__(self, plan: Plan, limit: int, *, ageing_seconds: float, room: Room) -> None:
        self.model_id = plan.model.model_id
        self.limit = limit
        self.room = room
        self.line = FairLine[Waiter](ageing_seconds=ageing_seconds)
        self.seats: dict[InstanceLink | None, int] = {}
        self.starting_since: float | None = None

    @property
    def idle(self) -> bool:
        return not self.line.waiting and not self.seats

    def taken(self, key: InstanceLink | None) -> int:
        return self.seats.get(key, 0)

    def sit(self, key: InstanceLink | None) -> None:
        self.seats[key] = self.taken(key) + 1

    def stand_up(self, key: InstanceLink | None) -> None:
        left = self.taken(key) - 1
        if left > 0:
            self.seats[key] = left
        else:
            self.seats.pop(key, None)
