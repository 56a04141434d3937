"""Fourth stage, over HTTP: the level of a priority queue holds over all gates, as one of them gives out the seats."""

import time
from collections.abc import Callable, Collection, Iterable
from typing import Protocol

from mlpgateway.call.context import Visit
from mlpgateway.call.transport import InstanceLink, InstanceLinks, NotTakenError
from mlpgateway.delivery.circuit_breaker import Breakers
from mlpgateway.delivery.queue.request_queues import Lines
from mlpgateway.delivery.queue.slot import Seat
from mlpgateway.delivery.remote_slots import Lender, Lenders, Loan, Wanted


class KnownInstances(InstanceLinks, Protocol):
    def find(self, instance_id: int) -> InstanceLink | None:
        """Also one that this gate does not find well."""
        ...


class OneQueue:
    """Satisfies Chooser. Calls of models without such a queue, and those of a lone gate, go to `lines` at once."""

    def __init__(
        self,
        *,
        lines: Lines,
        links: KnownInstances,
        gates: Lenders,
        breakers: Breakers,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._lines = lines
        self._links = links
        self._gates = gates
        self._breakers = breakers
        self._now = now

    async def choose(self, visit: Visit, *, but: Collection[InstanceLink] = ()) -> InstanceLink:
        """A gate that does not answer, or finds no instance, is passed over: the next one queues, at last this one."""
        plan, model_id = visit.plan, visit.plan.model.model_id
        if plan.concurrency is not None and await self._gates.lenders(model_id):
            await self._lines.until_here(visit, but=but)
            for gate in await self._gates.lenders(model_id):
                try:
                    return await self._borrowed(gate, visit, but)
                except NotTakenError:
                    visit.patience.phase = "answer"
        return await self._lines.choose(visit, but=but)

    def queues_here(self, visit: Visit) -> bool:
        return visit.plan.concurrency is None or not self._gates.lenders_now(visit.plan.model.model_id)

    def spare(self, visit: Visit, *, but: Collection[InstanceLink]) -> InstanceLink | None:
        return self._lines.spare(visit, but=but) if self.queues_here(visit) else None

    async def _borrowed(self, gate: Lender, visit: Visit, but: Collection[InstanceLink]) -> Seat:
        loan = gate.loan(self._wanted(visit, but))
        try:
            seat = await self._granted(loan, visit, but)
        except BaseException:
            loan.end()
            raise
        self._breakers.chosen(seat.origin)
        return seat

    async def _granted(self, loan: Loan, visit: Visit, but: Collection[InstanceLink]) -> Seat:
        since = self._now()
        visit.patience.phase = "queue"
        with self._lines.held(visit):
            granted = await loan.granted()
        link = self._links.find(granted.instance_id)
        if link is None or link in but:
            raise NotTakenError
        if granted.waited:
            visit.waited_for = "queue"
            await self._lines.waited(visit, self._now() - since)
        visit.patience.phase = "answer"
        return Seat(link, loan.end)

    def _wanted(self, visit: Visit, but: Collection[InstanceLink]) -> Wanted:
        model_id = visit.plan.model.model_id
        failing: tuple[int, ...] = ()
        if self._breakers.any:
            failing = _ids(link for link in self._links.of_model(model_id) if not self._breakers.allows(link))
        return Wanted(model_id, visit.priority, visit.size, _ids(but), failing)


def _ids(links: Iterable[InstanceLink]) -> tuple[int, ...]:
    return tuple(link.instance_id for link in links if link.instance_id is not None)
