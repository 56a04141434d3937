"""Remote concurrency slots: one gate grants the slots of instances that every gate can reach itself.

The gate that has the call sends the request and reads the answer; only the slot comes from another gate. The slot ends
with the answer, or when either of the two gates goes.
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


class SlotRequest(msgspec.Struct, frozen=True):
    """A request for a slot. The call must not go to the instances in `but`, and should avoid those in `rather_not`,
    which its gate has seen fail. `size` is the size of the request in bytes.
    """

    model_id: int
    priority: int
    size: int
    but: tuple[int, ...] = ()
    rather_not: tuple[int, ...] = ()


class Granted(msgspec.Struct, tag="granted", frozen=True):
    """A granted slot. `waited`: the slot was not free at once."""

    instance_id: int
    waited: bool


Slots = Callable[[SlotRequest], Awaitable[tuple[Slot, Granted]]]
"""Returns a slot at this gate, and the message about it for the gate that asked."""


class RemoteSlot(Protocol):
    """A slot requested from another gate."""

    async def granted(self) -> Granted:
        """Waits for the slot. Raises NotTakenError when that gate has none to give, and the errors of that gate."""
        ...

    def end(self) -> None:
        """Releases or cancels the slot. Idempotent."""
        ...


class SlotGiver(Protocol):
    """Another gate that grants slots."""

    def remote_slot(self, wanted: SlotRequest) -> RemoteSlot: ...


class SlotGivers(Protocol):
    """The other gates that come before this one as the queue of a model, in the same order at every gate."""

    async def slot_givers(self, model_id: int) -> Sequence[SlotGiver]: ...

    def slot_givers_now(self, model_id: int) -> Sequence[SlotGiver]:
        """Like `slot_givers`, but does not wait for gates whose presence is not known yet."""
        ...


class SharedInstances(InstanceLinks, Protocol):
    async def look(self, model_id: int) -> None:
        """Checks the model's instances now. Called when no healthy one is known."""
        ...


@dataclass(slots=True)
class _Guest(CallContext):
    """A call of another gate, as the queue sees it."""

    wanted: SlotRequest = field(kw_only=True)

    @property
    def priority(self) -> int:
        return self.wanted.priority

    @property
    def size(self) -> int:
        return self.wanted.size


class _Unwanted(Collection[InstanceLink]):
    """Instances that the call must not have, and those to avoid while a better one exists."""

    def __init__(self, wanted: SlotRequest, links: InstanceLinks) -> None:
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
    """Grants this gate's slots to other gates. They decide by one rule which gate queues the calls."""

    def __init__(self, *, queues: RequestQueues, links: SharedInstances, models: Models, plans: Plans) -> None:
        self._queues = queues
        self._links = links
        self._models = models
        self._plans = plans

    async def slot(self, wanted: SlotRequest) -> tuple[Slot, Granted]:
        """Returns a slot, which the caller has to release. Raises NoActiveInstances, QueueFull."""
        model = self._models.by_id(wanted.model_id)
        if model is None:
            raise NoActiveInstances
        if not self._links.of_model(wanted.model_id):
            await self._links.look(wanted.model_id)
        request = InstanceRequest(Operation.PREDICT, None, None, None, {}, {})
        guest = _Guest(self._plans.of(model), request, Deadline(LONGEST_SECONDS), 0, wanted=wanted)
        slot = await self._queues.slot_for_peer(guest, but=_Unwanted(wanted, self._links))
        return slot, Granted(slot.instance_id or 0, guest.waited_for is not None)
