"""The slots that a gate grants to others: each to a call that may have it."""

import pytest

from mlpgateway.call.plan import Plans
from mlpgateway.delivery.circuit_breaker import Breakers
from mlpgateway.delivery.queue.bounds import Bounds
from mlpgateway.delivery.queue.request_queues import RequestQueues
from mlpgateway.delivery.remote_slots import Granted, SlotRequest, SlotsForPeers
from mlpgateway.errors.calls import NoActiveInstances
from mlplace_contracts.events import ModelPriorityQueue

MODEL = 500


class Link:
    """Satisfies InstanceLink, as far as a choice needs it."""

    model_id = MODEL
    active_requests = 0
    accepts_requests = True

    def __init__(self, instance_id: int) -> None:
        self.instance_id = instance_id

    def send(self, request):
        raise NotImplementedError


class Links:
    """Satisfies SharedInstances. `found` is what a look finds."""

    def __init__(self, *instance_ids: int) -> None:
        self.all = [Link(instance_id) for instance_id in instance_ids]
        self.found: list[Link] = []

    def of_model(self, model_id: int) -> list[Link]:
        return self.all if model_id == MODEL else []

    async def look(self, model_id: int) -> None:
        assert model_id == MODEL
        self.all = self.found


class Models:
    def __init__(self, model) -> None:
        self._model = model

    def by_id(self, model_id: int):
        return self._model if model_id == MODEL else None


@pytest.fixture
def remote_slots(kit):
    """Builds the slots of a gate with these instances and this concurrency."""

    def made(links: Links, concurrency: int | None = 1) -> SlotsForPeers:
        queue = None if concurrency is None else ModelPriorityQueue(enabled=True, concurrency=concurrency)
        queues = RequestQueues(links, elsewhere=None, waker=None, breakers=Breakers(links), bounds=Bounds())  # type: ignore[arg-type]  # not asked for
        models = Models(kit.model_changed(priority_queue=queue))
        return SlotsForPeers(queues=queues, links=links, models=models, plans=Plans())  # type: ignore[arg-type]  # twins

    return made


def wanted(**about: object) -> SlotRequest:
    return SlotRequest(**{"model_id": MODEL, "priority": 0, "size": 1, **about})  # type: ignore[arg-type]


async def test_free_slot_is_granted_at_once(remote_slots) -> None:
    slot, granted = await remote_slots(Links(7)).slot(wanted())
    assert granted == Granted(7, waited=False)
    slot.release()


async def test_slot_is_never_at_an_excluded_instance(remote_slots) -> None:
    gate = remote_slots(Links(7, 8), concurrency=2)
    assert {(await gate.slot(wanted(but=(7,))))[1].instance_id for _ in range(2)} == {8}
    with pytest.raises(NoActiveInstances):
        await gate.slot(wanted(but=(7, 8)))


async def test_failing_instance_is_used_only_without_others(remote_slots) -> None:
    gate = remote_slots(Links(7, 8), concurrency=2)
    assert {(await gate.slot(wanted(rather_not=(7,))))[1].instance_id for _ in range(2)} == {8}
    assert (await gate.slot(wanted(rather_not=(7, 8))))[1].instance_id == 7
    assert (await gate.slot(wanted(rather_not=(7,), but=(8,))))[1].instance_id == 7


async def test_instance_found_by_a_look_is_granted(remote_slots) -> None:
    links = Links()
    links.found = [Link(9)]
    assert (await remote_slots(links).slot(wanted()))[1].instance_id == 9


@pytest.mark.parametrize("about", [{}, {"model_id": 501}])
async def test_unknown_model_or_instance_grants_nothing(remote_slots, about) -> None:
    with pytest.raises(NoActiveInstances):
        await remote_slots(Links()).slot(wanted(**about))


async def test_model_without_a_queue_grants_nothing(remote_slots) -> None:
    with pytest.raises(NoActiveInstances):
        await remote_slots(Links(7), concurrency=None).slot(wanted())
