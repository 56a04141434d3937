"""Fourth stage over HTTP: a priority queue's concurrency applies to all gates, because one of them grants the slots."""

import asyncio
import time
from collections.abc import Callable, Collection, Iterable
from typing import Protocol

from mlpgateway.call.context import CallContext
from mlpgateway.call.plan import Plan
from mlpgateway.call.transport import InstanceLink, InstanceLinks, NotTakenError
from mlpgateway.delivery.circuit_breaker import Breakers
from mlpgateway.delivery.queue.request_queues import RequestQueues
from mlpgateway.delivery.queue.slot import Slot
from mlpgateway.delivery.remote_slots import RemoteSlot, SlotGiver, SlotGivers, SlotRequest


class KnownInstances(InstanceLinks, Protocol):
    def find(self, instance_id: int) -> InstanceLink | None:
        """Returns the instance even when this gate finds it unhealthy."""
        ...


class SharedQueue:
    """Satisfies Chooser. Models without a priority queue, and a gate without peers, use `queues` directly."""

    def __init__(
        self,
        *,
        queues: RequestQueues,
        links: KnownInstances,
        gates: SlotGivers,
        breakers: Breakers,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._queues = queues
        self._links = links
        self._gates = gates
        self._breakers = breakers
        self._now = now

    async def choose(self, context: CallContext, *, but: Collection[InstanceLink] = ()) -> InstanceLink:
        """Skips a gate that does not answer or finds no instance: the next one queues the call, at last this one."""
        plan, model_id = context.plan, context.plan.model.model_id
        if plan.concurrency is not None and await self._gates.slot_givers(model_id):
            await self._queues.until_here(context, but=but)
            for gate in await self._gates.slot_givers(model_id):
                try:
                    return await self._borrowed(gate, context, but)
                except NotTakenError:
                    context.deadline.phase = "answer"
        return await self._queues.choose(context, but=but)

    def at_once(self, plan: Plan, *, but: Collection[InstanceLink] = ()) -> InstanceLink | None:
        if plan.concurrency is not None and self._gates.slot_givers_now(plan.model.model_id):
            return None
        return self._queues.at_once(plan, but=but)

    def queues_here(self, context: CallContext) -> bool:
        return context.plan.concurrency is None or not self._gates.slot_givers_now(context.plan.model.model_id)

    def spare(self, context: CallContext, *, but: Collection[InstanceLink]) -> InstanceLink | None:
        return self._queues.spare(context, but=but) if self.queues_here(context) else None

    async def _borrowed(self, gate: SlotGiver, context: CallContext, but: Collection[InstanceLink]) -> Slot:
        remote_slot = gate.remote_slot(self._wanted(context, but))
        try:
            slot = await self._granted(remote_slot, context, but)
        except BaseException:
            remote_slot.end()
            raise
        self._breakers.chosen(slot.origin)
        return slot

    async def _granted(self, remote_slot: RemoteSlot, context: CallContext, but: Collection[InstanceLink]) -> Slot:
        since = self._now()
        context.deadline.phase = "queue"
        try:
            with self._queues.held(context):
                granted = await remote_slot.granted()
        except (asyncio.CancelledError, NotTakenError):  # perhaps by its deadline; the answer tells how long it waited
            self._waited(context, since)
            raise
        if granted.waited:
            self._waited(context, since)
        link = self._links.find(granted.instance_id)
        if link is None or link in but:
            raise NotTakenError
        if context.waited_for is not None:  # perhaps at a gate that has left since
            await self._queues.recheck(context)
        context.deadline.phase = "answer"
        return Slot(link, remote_slot.end)

    def _waited(self, context: CallContext, since: float) -> None:
        context.waited_for = "queue"
        context.waited_seconds += self._now() - since

    def _wanted(self, context: CallContext, but: Collection[InstanceLink]) -> SlotRequest:
        model_id = context.plan.model.model_id
        failing: tuple[int, ...] = ()
        if self._breakers.any:
            failing = _ids(link for link in self._links.of_model(model_id) if not self._breakers.allows(link))
        return SlotRequest(model_id, context.priority, context.size, _ids(but), failing)


def _ids(links: Iterable[InstanceLink]) -> tuple[int, ...]:
    return tuple(link.instance_id for link in links if link.instance_id is not None)
