"""Gives the free slots of a model's instances to its calls, in the order of the queue."""

from collections.abc import Callable, Collection
from functools import partial

from mlpgateway.call.transport import InstanceLink, InstanceLinks
from mlpgateway.delivery.choose import Elsewhere
from mlpgateway.delivery.circuit_breaker import Breakers
from mlpgateway.delivery.queue.model_queue import Queue, Waiter
from mlpgateway.delivery.queue.model_queues import ModelQueues
from mlpgateway.delivery.queue.slot import Slot


class FreeSlots:
    """A slot counts for its instance, or for all other gates together while this gate has no instance (key None)."""

    __slots__ = ("_breakers", "_elsewhere", "_links", "_now", "_queues")

    def __init__(
        self,
        links: InstanceLinks,
        elsewhere: Elsewhere | None,
        *,
        breakers: Breakers,
        queues: ModelQueues,
        now: Callable[[], float],
    ) -> None:
        self._links = links
        self._elsewhere = elsewhere
        self._breakers = breakers
        self._queues = queues
        self._now = now

    def take(self, queue: Queue, but: Collection[InstanceLink]) -> Slot | None:
        """Returns a slot for a call that does not wait; None when none is free."""
        for key in self._free(queue):
            link = self._link(queue, key, but)
            if link is not None:
                return self._take_slot(queue, key, link)
        return None

    def serve(self, queue: Queue) -> None:
        """Gives the free slots to the calls that wait."""
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
        self.serve(queue)
        self._queues.tidy(queue)

    def _free(self, queue: Queue) -> list[InstanceLink | None]:
        """Returns the instances with a free slot, fewest taken slots first. None stands for other gates."""
        found = [link for link in self._links.of_model(queue.model_id) if link.accepts_requests]
        if not found:
            other = self._elsewhere is not None and self._elsewhere.reaches(queue.model_id)
            return [None] if other and queue.taken(None) < queue.limit else []
        healthy = [link for link in found if self._breakers.allows(link)] if self._breakers.any else found
        free = [link for link in healthy or found if queue.taken(link) < queue.limit]
        return sorted(free, key=queue.taken)
