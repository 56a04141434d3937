"""Slots at instances that every gate reaches itself, given out by one gate for all.

The gate that has the call sends the request and reads the answer: only the leave to do so comes from elsewhere. It ends
with the answer, or with either of the two gates.
"""

from collections.abc import Awaitable, Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import msgspec

from mlpgateway.call.call import Operation
from mlpgateway.call.context import CallContext
from mlpgateway.call.deadline import Deadline
from mlpgateway.call.plan import LONGEST_SECONDS, Plans
from mlpgateway.call.transport import InstanceLink, InstanceLinks, InstanceRequest
from mlpgateway.delivery.queue.request_queues import RequestQueues
from mlpgateway.delivery.queue.slot import Slot
from mlpgateway.errors.calls import NoActiveInstances
from mlpgateway.readmodels.models import Models


class Wanted(msgspec.Struct, frozen=True):
    """`but` are instances that the call may not have, `rather_not` those that fail as far as its gate has seen.

    `size` is that of the request, in bytes.
    """

    model_id: int
    priority: int
    size: int
    but: tuple[int, ...] = ()
    rather_not: tuple[int, ...] = ()


class Granted(msgspec.Struct, tag="granted", frozen=True):
    """`waited`: it was not there at once."""

    instance_id: int
    waited: bool


Slots = Callable[[Wanted], Awaitable[tuple[Slot, Granted]]]
"""A slot at this gate, and what its borrower hears of it."""


class RemoteSlot(Protocol):
    """A slot that another gate is asked for."""

    async def granted(self) -> Granted:
        """Raises NotTakenError when that gate cannot give any, and what it refused the call with."""
        ...

    def end(self) -> None:
        """The slot is free, or not wanted any more. Again is no error."""
        ...


class SlotGiver(Protocol):
    """Another gate."""

    def remote_slot(self, wanted: Wanted) -> RemoteSlot: ...


class SlotGivers(Protocol):
    """The other gates that queue the calls of a model rather than this one, in the order in which all gates ask."""

    async def slot_givers(self, model_id: int) -> Sequence[SlotGiver]: ...

    def slot_givers_now(self, model_id: int) -> Sequence[SlotGiver]:
        """Without waiting for gates that have not told yet whether they are there."""
        ...


class SharedInstances(InstanceLinks, Protocol):
    async def look(self, model_id: int) -> None:
        """Find out now which instances are well, as none is."""
        ...


@dataclass(slots=True)
class _Guest(CallContext):
    """A call that is at another gate, as the queue sees it."""

    wanted: Wanted = field(kw_only=True)

    @property
    def priority(self) -> int:
        return self.wanted.priority

    @property
    def size(self) -> int:
        return self.wanted.size


class _Unwanted(Collection[InstanceLink]):
    """What the call may not have, and what it rather has not, as long as there is anything else for it."""

    def __init__(self, wanted: Wanted, links: InstanceLinks) -> None:
        self._wanted = wanted
        self._links = links

    def __contains__(self, link: object) -> bool:
        wanted, instance_id = self._wanted, getattr(link, "instance_id", None)
        if instance_id in wanted.but:
            return True
        return instance_id in wanted.rather_not and any(self._is_better(other) for other in self._all())

    def __iter__(self) -> Iterator[InstanceLink]:
        return (link for link in self._all() if link in self)

    def __len__(self) -> int:
        return len(self._wanted.but) + len(self._wanted.rather_not)

    def _all(self) -> Sequence[InstanceLink]:
        return self._links.of_model(self._wanted.model_id)

    def _is_better(self, link: InstanceLink) -> bool:
        wanted = self._wanted
        return link.accepts_requests and link.instance_id not in (*wanted.but, *wanted.rather_not)


class SlotsForPeers:
    """What this gate lends to others. Whether it should be the one that queues, they decide: all of them alike."""

    def __init__(self, *, queues: RequestQueues, links: SharedInstances, models: Models, plans: Plans) -> None:
        self._queues = queues
        self._links = links
        self._models = models
        self._plans = plans

    async def slot(self, wanted: Wanted) -> tuple[Slot, Granted]:
        """Release it. Raises NoActiveInstances when this gate has nothing to give, QueueFull."""
        model = self._models.by_id(wanted.model_id)
        if model is None:
            raise NoActiveInstances
        if not self._links.of_model(wanted.model_id):
            await self._links.look(wanted.model_id)
        request = InstanceRequest(Operation.PREDICT, None, None, None, {}, {})
        guest = _Guest(self._plans.of(model), request, Deadline(LONGEST_SECONDS), 0, wanted=wanted)
        slot = await self._queues.lend(guest, but=_Unwanted(wanted, self._links))
        return slot, Granted(slot.instance_id or 0, guest.waited_for is not None)
