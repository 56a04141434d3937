"""Fourth stage: find an instance for the call, at once when one is there, else after a wait.

* A model with a priority queue limits the calls in progress at each instance; the others wait in the queue.
* A model without any instance is woken. Its calls may wait for the start, and then go in a few at a time.
* Any other call goes to the least active instance and skips the queues.
"""

import asyncio
import time
from collections.abc import Callable, Collection
from contextlib import AbstractContextManager
from typing import Final, cast

from mlpgateway.call.context import CallContext
from mlpgateway.call.deadline import Deadline
from mlpgateway.call.plan import LONGEST_SECONDS, Plan
from mlpgateway.call.transport import InstanceLink, InstanceLinks, InstanceRequest
from mlpgateway.call.wake_up import Waker
from mlpgateway.delivery.choose import Elsewhere, least_active
from mlpgateway.delivery.circuit_breaker import Breakers
from mlpgateway.delivery.queue.bounds import Bounds
from mlpgateway.delivery.queue.free_slots import FreeSlots
from mlpgateway.delivery.queue.model_queue import Queue, Waiter
from mlpgateway.delivery.queue.model_queues import ModelQueues
from mlpgateway.delivery.queue.reachable_instances import ReachableInstances
from mlpgateway.delivery.queue.slot import Slot
from mlpgateway.delivery.queue.start_waits import StartWaits
from mlpgateway.delivery.queue.wait_admission import WaitAdmission
from mlpgateway.delivery.queue.wait_refusals import WaitRefusals
from mlpgateway.errors.calls import NoActiveInstances
from mlpgateway.metrics import WAIT_SECONDS, WAITING_CALLS

_RECHECK_SECONDS: Final = 5.0


class RequestQueues:
    """Satisfies Chooser."""

    def __init__(
        self,
        links: InstanceLinks,
        *,
        elsewhere: Elsewhere | None,
        waker: Waker,
        breakers: Breakers,
        bounds: Bounds,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._links = links
        self._elsewhere = elsewhere
        self._waker = waker
        self._breakers = breakers
        self._now = now
        self._queues = ModelQueues(bounds)
        self._instances = ReachableInstances(links, elsewhere)
        self._slots = FreeSlots(links, elsewhere, breakers=breakers, queues=self._queues, now=now)
        self._refusals = WaitRefusals(waker, self._instances)
        self._admission = WaitAdmission(bounds, self._queues, self._refusals)
        self._starts = StartWaits(
            waker,
            instances=self._instances,
            queues=self._queues,
            slots=self._slots,
            refusals=self._refusals,
            now=now,
        )

    async def choose(self, context: CallContext, *, but: Collection[InstanceLink] = ()) -> InstanceLink:
        """Raises NoActiveInstances, InstanceStartTimeout, QueueFull, and what the recheck after a long wait raises."""
        plan, model_id = context.plan, context.plan.model.model_id
        if (link := self.at_once(plan, but=but)) is not None:
            return link
        if plan.concurrency is None:
            if self._elsewhere is not None and not self._is_waited_for(model_id):
                link = await self._elsewhere.route(model_id, but=but)
                if link is not None:
                    return link
        elif not but and (owner := self._instances.owner(plan)) is not None:
            return owner
        return await self._in_turn(context, but)

    def at_once(self, plan: Plan, *, but: Collection[InstanceLink] = ()) -> InstanceLink | None:
        model_id = plan.model.model_id
        if self._is_waited_for(model_id):
            return None
        if plan.concurrency is None:
            return least_active(self._links, model_id, but, self._breakers)
        if not self._instances.here(model_id, but) or (not but and self._instances.owner(plan) is not None):
            return None
        queue = self._queues.of(plan)
        slot = self._slots.take(queue, but)
        self._queues.tidy(queue)
        return slot

    def _is_waited_for(self, model_id: int) -> bool:
        """Returns whether calls of the model wait at this gate."""
        queue = self._queues.get(model_id)
        return queue is not None and queue.order.waiting > 0

    def queues_here(self, context: CallContext) -> bool:
        return context.plan.concurrency is None or self._instances.owner(context.plan) is None

    def spare(self, context: CallContext, *, but: Collection[InstanceLink]) -> InstanceLink | None:
        model_id = context.plan.model.model_id
        if context.plan.concurrency is None:
            link = least_active(self._links, model_id, but, self._breakers)
            return link or (self._elsewhere.route_now(model_id, but=but) if self._elsewhere else None)
        if not self.queues_here(context):
            return None
        queue = self._queues.of(context.plan)
        slot = None if queue.order.waiting else self._slots.take(queue, but)
        self._queues.tidy(queue)
        return slot

    async def serve_peer(self, plan: Plan | None, model_id: int, request: InstanceRequest) -> InstanceLink:
        """Returns an instance of this gate, after a wait in the queue, for a call that another gate has admitted."""
        if plan is None or plan.concurrency is None:
            link = least_active(self._links, model_id, (), self._breakers)
            if link is None:
                raise NoActiveInstances
            return link
        return await self.slot_for_peer(CallContext(plan, request, Deadline(LONGEST_SECONDS), 0))

    async def slot_for_peer(self, context: CallContext, *, but: Collection[InstanceLink] = ()) -> Slot:
        """Returns a slot at an instance of this gate, after a wait in the queue, for a call at another gate."""
        if context.plan.concurrency is None or not self._instances.here(context.plan.model.model_id, but):
            raise NoActiveInstances
        return await self._in_turn(context, but)

    # ---- For calls whose slots another gate grants

    async def until_here(self, context: CallContext, *, but: Collection[InstanceLink]) -> None:
        """Waits for an instance, not for a slot. Raises the same errors as `choose`."""
        if not self._instances.here(context.plan.model.model_id, but):
            queue = self._queues.of(context.plan)
            await self._wait(queue, self._waiter(queue, context, but, wants_slot=False))

    def held(self, context: CallContext) -> AbstractContextManager[None]:
        """Counts the request, which stays here, during a wait at another gate. Raises QueueFull, ShareExceeded."""
        return self._admission.held(context)

    async def recheck(self, context: CallContext) -> None:
        """Call it after a wait. Rechecks the call if it has waited long, and raises what the recheck raises."""
        if context.recheck is not None and context.waited_seconds >= _RECHECK_SECONDS:
            await context.recheck()

    # ---- For inspection

    @property
    def waiting(self) -> int:
        """Calls that wait at this gate."""
        return self._admission.room.calls

    @property
    def queues(self) -> int:
        """Models with calls that wait or hold a slot."""
        return len(self._queues)

    # ---- Waiting

    async def _in_turn(self, context: CallContext, but: Collection[InstanceLink]) -> Slot:
        queue = self._queues.of(context.plan)
        if not queue.order.waiting and (slot := self._slots.take(queue, but)) is not None:
            return slot
        return cast("Slot", await self._wait(queue, self._waiter(queue, context, but, wants_slot=True)))

    def _waiter(self, queue: Queue, context: CallContext, but: Collection[InstanceLink], *, wants_slot: bool) -> Waiter:
        """Returns a waiter. Raises NoActiveInstances when a wait cannot help."""
        there = self._instances.anywhere(queue.model_id, but)
        if not there:
            self._waker.want(context.plan, context.caller_account_id)
        if context.may_wait_for_start:
            useless = not (there or context.plan.waits)
        else:
            useless = not self._instances.here(queue.model_id, but)
        if useless:
            self._queues.tidy(queue)
            raise self._refusals.no_instance(context.plan)
        return Waiter(context, but, asyncio.get_running_loop().create_future(), there=there, wants_slot=wants_slot)

    async def _wait(self, queue: Queue, waiter: Waiter) -> Slot | None:
        """Waits for a slot or a start. Raises QueueFull, ShareExceeded when there is no room."""
        context, since = waiter.context, self._now()
        account_id, size = context.caller_account_id, context.size
        self._admission.enter(queue, context, size)
        context.waited_for = context.deadline.phase = "queue"
        place = queue.order.join(waiter, account_id=account_id, priority=context.priority, size=size, now=since)
        WAITING_CALLS.inc()
        self._slots.serve(queue)  # the call in front may be leaving: without this, nobody would use its slot
        try:
            try:
                slot = await (waiter.slot if waiter.there else self._starts.wait(queue, waiter))
            finally:
                context.waited_seconds += self._now() - since  # errors of a wait tell how long it was, too
            await self.recheck(context)
        except BaseException:
            _give_back(waiter.slot)
            raise
        finally:
            WAITING_CALLS.dec()
            WAIT_SECONDS.labels(context.waited_for).observe(self._now() - since)
            self._admission.leave(queue, account_id, size)
            queue.order.leave(place)
            self._queues.tidy(queue)
        context.deadline.phase = "answer"
        return slot

    # ---- Serving

    def changed(self, model_id: int) -> None:
        """Serves the queue after instances of the model came or went, here or at another gate."""
        reachable = self._instances.anywhere(model_id)
        if reachable:
            self._waker.runs(model_id)
        queue = self._queues.get(model_id)
        if queue is None:
            return
        if reachable:
            self._starts.end(queue)
        self._slots.serve(queue)


def _give_back(slot: "asyncio.Future[Slot | None]") -> None:
    """Releases a slot that was granted in the same moment in which the call was cancelled."""
    if not slot.done() or slot.cancelled():
        slot.cancel()
    elif (given := slot.result()) is not None:
        given.release()
