"""The wait for the start of a model's first instance."""

import asyncio
from collections.abc import Callable
from typing import Final

from mlpgateway.call.wake_up import AGAIN_SECONDS, Waker
from mlpgateway.delivery.queue.free_slots import FreeSlots
from mlpgateway.delivery.queue.model_queue import Queue, Waiter
from mlpgateway.delivery.queue.model_queues import ModelQueues
from mlpgateway.delivery.queue.reachable_instances import ReachableInstances
from mlpgateway.delivery.queue.slot import Slot
from mlpgateway.delivery.queue.wait_refusals import WaitRefusals

# For this time, a gate that did not take a call is not asked again for it.
_REFUSED_SECONDS: Final = 0.25
# A little more than the waker's own interval, in which it requests only one instance.
_WANT_AGAIN_SECONDS: Final = AGAIN_SECONDS + 0.5


class StartWaits:
    """Requests instances while calls wait for one, and measures how long a start takes."""

    __slots__ = ("_instances", "_now", "_queues", "_refusals", "_slots", "_waker")

    def __init__(
        self,
        waker: Waker,
        *,
        instances: ReachableInstances,
        queues: ModelQueues,
        slots: FreeSlots,
        refusals: WaitRefusals,
        now: Callable[[], float],
    ) -> None:
        self._waker = waker
        self._instances = instances
        self._queues = queues
        self._slots = slots
        self._refusals = refusals
        self._now = now

    async def wait(self, queue: Queue, waiter: Waiter) -> Slot | None:
        """Waits for a start, then for a slot. Raises InstanceStartTimeout.

        The start ends when an instance is there; from then on the time for the answer runs.
        """
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
            raise self._refusals.no_start(plan) from None

    def end(self, queue: Queue) -> None:
        """Ends the wait of the calls that can reach an instance now. Call it when the model has one."""
        since = queue.starting_since
        if since is None:
            return
        waiters = [place.who for place in queue.order]
        reached = [waiter for waiter in waiters if self._instances.anywhere(queue.model_id, waiter.but)]
        for waiter in reached:
            waiter.instance_is_there()
        if len(reached) == len(waiters):
            queue.starting_since = None
            self._waker.started(queue.model_id, self._now() - since)

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
        if self._instances.anywhere(queue.model_id):  # no start was seen: wake-ups and the estimate stay
            waiter.instance_is_there()
            if all(place.who.start is None for place in queue.order):
                queue.starting_since = None
        self._slots.serve(queue)
