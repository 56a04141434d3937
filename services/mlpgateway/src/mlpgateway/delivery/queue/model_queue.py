"""The calls that wait for one model, and the slots of its instances."""

import asyncio
from collections.abc import Collection
from dataclasses import dataclass

from mlpgateway.call.context import CallContext
from mlpgateway.call.plan import Plan
from mlpgateway.call.transport import InstanceLink
from mlpgateway.delivery.queue.fair_queue import FairQueue
from mlpgateway.delivery.queue.slot import Slot
from mlpgateway.shares.room import WaitingShares


@dataclass(slots=True, eq=False)
class Waiter:
    """A waiting call. `slot` is set when its turn comes.

    While no instance runs, `there` is False at first and `start` is the timeout for the start. With `wants_slot` False
    the call waits only for the start and gets None: another gate gives the slot.
    """

    context: CallContext
    but: Collection[InstanceLink]
    slot: asyncio.Future[Slot | None]
    start: asyncio.Timeout | None = None
    there: bool = True
    wants_slot: bool = True

    def wait_for_start(self, start: asyncio.Timeout) -> None:
        self.start = start
        self.context.deadline.phase = self.context.waited_for = "start"
        self.context.deadline.suspend()

    def instance_is_there(self) -> None:
        """Ends the wait for the start. The call now waits for a slot, and the time for the answer runs."""
        if self.start is not None and not self.start.expired():
            self.start.reschedule(None)
            self.start = None
            self.context.deadline.phase = "queue"
            self.context.deadline.resume()
        if not self.wants_slot and not self.slot.done():
            self.slot.set_result(None)


class Queue:
    """The request queue of one model.

    `starting_since` is the time since when calls wait without any instance; `want_again` then requests another one.
    `slots` counts the taken slots by link; None stands for other gates. `room` bounds the waiting calls.
    """

    __slots__ = (
        "limit",
        "model_id",
        "order",
        "room",
        "slots",
        "starting_since",
        "want_again",
    )

    def __init__(self, plan: Plan, limit: int, *, ageing_seconds: float, room: WaitingShares) -> None:
        self.model_id = plan.model.model_id
        self.limit = limit
        self.room = room
        self.order = FairQueue[Waiter](ageing_seconds=ageing_seconds)
        self.slots: dict[InstanceLink | None, int] = {}
        self.starting_since: float | None = None
        self.want_again: asyncio.TimerHandle | None = None

    @property
    def idle(self) -> bool:
        return not self.order.waiting and not self.slots

    def taken(self, key: InstanceLink | None) -> int:
        return self.slots.get(key, 0)

    def take_slot(self, key: InstanceLink | None) -> None:
        self.slots[key] = self.taken(key) + 1

    def free_slot(self, key: InstanceLink | None) -> None:
        left = self.taken(key) - 1
        if left > 0:
            self.slots[key] = left
        else:
            self.slots.pop(key, None)
