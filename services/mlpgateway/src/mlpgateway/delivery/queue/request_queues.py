"""Fourth stage: find an instance for the call, at once when one is there, else after a wait.

* A model with a priority queue limits the calls in progress at each instance; the others wait in the queue.
* A model without any instance is woken. Its calls may wait for the start, and then go in a few at a time.
* Any other call goes to the least active instance and skips the queues.
"""

import asyncio
import time
from collections.abc import Callable, Collection, Generator
from contextlib import contextmanager
from functools import partial
from typing import Final, cast

from mlpgateway.call.context import CallContext
from mlpgateway.call.deadline import Deadline
from mlpgateway.call.plan import LONGEST_SECONDS, Plan
from mlpgateway.call.transport import InstanceLink, InstanceLinks, InstanceRequest
from mlpgateway.call.wake_up import AGAIN_SECONDS, Waker
from mlpgateway.delivery.choose import Elsewhere, least_active
from mlpgateway.delivery.circuit_breaker import Breakers
from mlpgateway.delivery.queue.bounds import Bounds
from mlpgateway.delivery.queue.model_queue import Queue, Waiter
from mlpgateway.delivery.queue.slot import Slot
from mlpgateway.errors.calls import InstanceStartTimeout, NoActiveInstances, QueueFull
from mlpgateway.errors.shares import ShareExceeded
from mlpgateway.metrics import SHED, WAIT_SECONDS, WAITING_CALLS
from mlpgateway.shares.room import Room

_RECHECK_SECONDS: Final = 5.0
# For this time, a gate that did not take a call is not asked again for it.
_REFUSED_SECONDS: Final = 0.25
# A little more than the waker's own interval, in which it requests only one instance.
_WANT_AGAIN_SECONDS: Final = AGAIN_SECONDS + 0.5


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
        self._bounds = bounds
        self._now = now
        self._queues: dict[int, Queue] = {}
        self._room = Room("waiting", bounds.calls, bounds.size, bounds.fractions, full=QueueFull)

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
        elif not but and (owner := self._owner(plan)) is not None:
            return owner
        return await self._in_turn(context, but)

    def at_once(self, plan: Plan, *, but: Collection[InstanceLink] = ()) -> InstanceLink | None:
        model_id = plan.model.model_id
        if self._is_waited_for(model_id):
            return None
        if plan.concurrency is None:
            return least_active(self._links, model_id, but, self._breakers)
        if not self._here(model_id, but) or (not but and self._owner(plan) is not None):
            return None
        queue = self._queue(plan)
        slot = self._slot_now(queue, but)
        self._tidy(queue)
        return slot

    def _is_waited_for(self, model_id: int) -> bool:
        """Returns whether calls of the model wait at this gate."""
        queue = self._queues.get(model_id)
        return queue is not None and queue.order.waiting > 0

    def queues_here(self, context: CallContext) -> bool:
        return context.plan.concurrency is None or self._owner(context.plan) is None

    def _owner(self, plan: Plan) -> InstanceLink | None:
        if self._elsewhere is None:
            return None
        model_id = plan.model.model_id
        return self._elsewhere.owner(model_id, here=self._here(model_id, ()))

    def spare(self, context: CallContext, *, but: Collection[InstanceLink]) -> InstanceLink | None:
        model_id = context.plan.model.model_id
        if context.plan.concurrency is None:
            link = least_active(self._links, model_id, but, self._breakers)
            return link or (self._elsewhere.route_now(model_id, but=but) if self._elsewhere else None)
        if not self.queues_here(context):
            return None
        queue = self._queue(context.plan)
        slot = None if queue.order.waiting else self._slot_now(queue, but)
        self._tidy(queue)
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
        if context.plan.concurrency is None or not self._here(context.plan.model.model_id, but):
            raise NoActiveInstances
        return await self._in_turn(context, but)

    # ---- For calls whose slots another gate grants

    async def until_here(self, context: CallContext, *, but: Collection[InstanceLink]) -> None:
        """Waits for an instance, not for a slot. Raises the same errors as `choose`."""
        if not self._here(context.plan.model.model_id, but):
            queue = self._queue(context.plan)
            await self._wait(queue, self._waiter(queue, context, but, wants_slot=False))

    @contextmanager
    def held(self, context: CallContext) -> Generator[None]:
        """Counts the request, which stays here, during a wait at another gate. Raises QueueFull, ShareExceeded."""
        account_id, size = context.caller_account_id, context.size
        try:
            self._room.enter(account_id, size)
        except QueueFull:
            raise self._full(context, self._queues.get(context.plan.model.model_id)) from None
        try:
            yield
        finally:
            self._room.leave(account_id, size)

    async def waited(self, context: CallContext, seconds: float) -> None:
        """Adds to the call's waiting time. Rechecks the call after a long wait, and raises what the recheck raises."""
        context.waited_seconds += seconds
        if context.recheck is not None and context.waited_seconds >= _RECHECK_SECONDS:
            await context.recheck()

    # ---- For inspection

    @property
    def waiting(self) -> int:
        """Calls that wait at this gate."""
        return self._room.calls

    @property
    def queues(self) -> int:
        """Models with calls that wait or hold a slot."""
        return len(self._queues)

    # ---- Waiting

    async def _in_turn(self, context: CallContext, but: Collection[InstanceLink]) -> Slot:
        queue = self._queue(context.plan)
        if not queue.order.waiting and (slot := self._slot_now(queue, but)) is not None:
            return slot
        return cast("Slot", await self._wait(queue, self._waiter(queue, context, but, wants_slot=True)))

    def _waiter(self, queue: Queue, context: CallContext, but: Collection[InstanceLink], *, wants_slot: bool) -> Waiter:
        """Returns a waiter. Raises NoActiveInstances when a wait cannot help."""
        there = self._reachable(queue.model_id, but)
        if not there:
            self._waker.want(context.plan, context.caller_account_id)
        if context.may_wait_for_start:
            useless = not (there or context.plan.waits)
        else:
            useless = not self._here(queue.model_id, but)
        if useless:
            self._tidy(queue)
            raise self._refusal(context.plan)
        return Waiter(context, but, asyncio.get_running_loop().create_future(), there=there, wants_slot=wants_slot)

    async def _wait(self, queue: Queue, waiter: Waiter) -> Slot | None:
        """Waits for a slot or a start. Raises QueueFull, ShareExceeded when there is no room."""
        context, since = waiter.context, self._now()
        account_id, size = context.caller_account_id, context.size
        self._enter(queue, context, size)
        context.waited_for = context.deadline.phase = "queue"
        place = queue.order.join(waiter, account_id=account_id, priority=context.priority, size=size, now=since)
        WAITING_CALLS.inc()
        self._serve(queue)  # the call in front may be leaving: without this, nobody would use its slot
        try:
            slot = await (waiter.slot if waiter.there else self._until_start(queue, waiter))
            await self.waited(context, self._now() - since)
        except BaseException:
            _give_back(waiter.slot)
            raise
        finally:
            WAITING_CALLS.dec()
            WAIT_SECONDS.labels(context.waited_for).observe(self._now() - since)
            self._room.leave(account_id, size)
            queue.room.leave(account_id, size)
            queue.order.leave(place)
            self._tidy(queue)
        context.deadline.phase = "answer"
        return slot

    async def _until_start(self, queue: Queue, waiter: Waiter) -> Slot | None:
        """Waits for a start. It ends when an instance is there; from then on the time for the answer runs."""
        if queue.starting_since is None:
            queue.starting_since = self._now()
            self._want_again(queue)
        plan, seconds = waiter.context.plan, waiter.context.plan.start_seconds
        if waiter.but:
            seconds = max(0.0, seconds - waiter.context.waited_seconds)
            asyncio.get_running_loop().call_later(_REFUSED_SECONDS, self._forget_refusals, queue, waiter)
        try:
            async with asyncio.timeout(seconds) as start:
                waiter.wait_for_start(start)
                return await waiter.slot
        except TimeoutError:
            error = InstanceStartTimeout(
                seconds=f"{plan.start_seconds:g}", phase="start", **self._estimate(queue.model_id)
            )
            error.retry_after_seconds = self._waker.estimate(queue.model_id) or error.retry_after_seconds
            raise error from None

    def _want_again(self, queue: Queue) -> None:
        """Requests an instance again while calls wait: the requested one may have been stopped before it ran."""
        waiting = next((place.who for place in queue.order if place.who.start is not None), None)
        if waiting is not None:
            self._waker.want(waiting.context.plan, waiting.context.caller_account_id)
        if queue.want_again is not None:
            queue.want_again.cancel()
            queue.want_again = None
        if queue.starting_since is not None and self._queues.get(queue.model_id) is queue:
            loop = asyncio.get_running_loop()
            queue.want_again = loop.call_later(_WANT_AGAIN_SECONDS, self._want_again, queue)

    def _forget_refusals(self, queue: Queue, waiter: Waiter) -> None:
        """Lets the call go to gates that refused it: they may have an instance now without having reported it."""
        if waiter.slot.done():
            return
        waiter.but = ()
        if self._reachable(queue.model_id):  # no start was seen, so this changes neither wake-ups nor the estimate
            waiter.instance_is_there()
            if all(place.who.start is None for place in queue.order):
                queue.starting_since = None
        self._serve(queue)

    def _enter(self, queue: Queue, context: CallContext, size: int) -> None:
        account_id = context.caller_account_id
        try:
            self._room.enter(account_id, size)
            try:
                queue.room.enter(account_id, size)
            except BaseException:
                self._room.leave(account_id, size)
                raise
        except QueueFull:
            self._tidy(queue)
            raise self._full(context, queue) from None
        except ShareExceeded:
            self._tidy(queue)
            raise

    def _full(self, context: CallContext, queue: Queue | None) -> QueueFull:
        SHED.labels("queue").inc()
        model_id = context.plan.model.model_id
        phase = "queue" if self._reachable(model_id) else "start"
        waiting = queue.order.waiting if queue is not None else 0
        return QueueFull(waiting=str(waiting), phase=phase, **self._estimate(model_id))

    def _refusal(self, plan: Plan) -> NoActiveInstances:
        if not plan.wakeable:
            return NoActiveInstances()
        error = NoActiveInstances(phase="start", **self._estimate(plan.model.model_id))
        error.retry_after_seconds = self._waker.estimate(plan.model.model_id) or error.retry_after_seconds
        return error

    def _estimate(self, model_id: int) -> dict[str, str]:
        seconds = self._waker.estimate(model_id)
        return {} if seconds is None else {"estimateSeconds": f"{seconds:.1f}"}

    # ---- Serving

    def changed(self, model_id: int) -> None:
        """Serves the queue after instances of the model came or went, here or at another gate."""
        reachable = self._reachable(model_id)
        if reachable:
            self._waker.runs(model_id)
        queue = self._queues.get(model_id)
        if queue is None:
            return
        if reachable and queue.starting_since is not None:
            self._end_starts(queue, queue.starting_since)
        self._serve(queue)

    def _end_starts(self, queue: Queue, since: float) -> None:
        waiters = [place.who for place in queue.order]
        reached = [waiter for waiter in waiters if self._reachable(queue.model_id, waiter.but)]
        for waiter in reached:
            waiter.instance_is_there()
        if len(reached) == len(waiters):
            queue.starting_since = None
            self._waker.started(queue.model_id, self._now() - since)

    def _serve(self, queue: Queue) -> None:
        while queue.order.waiting and any(self._give(queue, link) for link in self._free(queue)):
            pass

    def _give(self, queue: Queue, key: InstanceLink | None) -> bool:
        """Gives a slot at this link to the next call that may have it. Returns False when there is no such call."""
        link: InstanceLink | None = None

        def fits(who: Waiter) -> bool:
            nonlocal link
            link = self._link(queue, key, who.but) if who.wants_slot and not who.slot.done() else None
            return link is not None

        waiter = queue.order.take(self._now(), fits)
        if waiter is None or link is None:
            return False
        waiter.slot.set_result(self._take_slot(queue, key, link))
        return True

    def _slot_now(self, queue: Queue, but: Collection[InstanceLink]) -> Slot | None:
        for key in self._free(queue):
            link = self._link(queue, key, but)
            if link is not None:
                return self._take_slot(queue, key, link)
        return None

    def _link(self, queue: Queue, key: InstanceLink | None, but: Collection[InstanceLink]) -> InstanceLink | None:
        """Returns the link of the key. Links in `but` refused the call and would refuse it again at once."""
        if key is not None:
            return None if key in but else key
        return self._elsewhere.route_now(queue.model_id, but=but) if self._elsewhere else None

    def _take_slot(self, queue: Queue, key: InstanceLink | None, link: InstanceLink) -> Slot:
        self._breakers.chosen(link)
        queue.take_slot(key)
        return Slot(link, partial(self._free_slot, queue, key))

    def _free_slot(self, queue: Queue, key: InstanceLink | None) -> None:
        queue.free_slot(key)
        self._serve(queue)
        self._tidy(queue)

    def _free(self, queue: Queue) -> list[InstanceLink | None]:
        """Returns the instances with a free slot, fewest taken slots first. None stands for other gates."""
        found = [link for link in self._links.of_model(queue.model_id) if link.accepts_requests]
        if not found:
            other = self._elsewhere is not None and self._elsewhere.reaches(queue.model_id)
            return [None] if other and queue.taken(None) < queue.limit else []
        healthy = [link for link in found if self._breakers.allows(link)] if self._breakers.any else found
        free = [link for link in healthy or found if queue.taken(link) < queue.limit]
        return sorted(free, key=queue.taken)

    def _here(self, model_id: int, but: Collection[InstanceLink]) -> bool:
        return any(link.accepts_requests and link not in but for link in self._links.of_model(model_id))

    def _reachable(self, model_id: int, but: Collection[InstanceLink] = ()) -> bool:
        if self._here(model_id, but):
            return True
        if self._elsewhere is None or not self._elsewhere.reaches(model_id):
            return False
        return not but or self._elsewhere.route_now(model_id, but=but) is not None

    def _queue(self, plan: Plan) -> Queue:
        limit = plan.concurrency or self._bounds.woken_concurrency
        queue = self._queues.get(plan.model.model_id)
        if queue is None:
            queue = Queue(plan, limit, ageing_seconds=self._bounds.ageing_seconds, room=self._room_of_model())
            self._queues[plan.model.model_id] = queue
        queue.limit = limit  # a newer plan may have another one
        return queue

    def _room_of_model(self) -> Room:
        bounds = self._bounds
        calls = max(1, bounds.calls_per_model)
        return Room("model_waiting", calls, bounds.bytes_per_model, bounds.fractions, full=QueueFull)

    def _tidy(self, queue: Queue) -> None:
        if queue.idle and self._queues.get(queue.model_id) is queue:
            del self._queues[queue.model_id]


def _give_back(slot: "asyncio.Future[Slot | None]") -> None:
    """Releases a slot that was granted in the same moment in which the call was cancelled."""
    if not slot.done() or slot.cancelled():
        slot.cancel()
    elif (given := slot.result()) is not None:
        given.release()
