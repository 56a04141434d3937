"""Calls that wait at one gate for another gate: for an instance that starts there, or in its queue."""

import asyncio
from contextlib import AsyncExitStack

import pytest

from mlpgateway.call.plan import plan_of
from mlpgateway.membership.members import PostgresGates
from mlplace_contracts.events import ModelPriorityQueue, ModelTimeouts, WakeUpWanted
from mlplace_gateproto.gate_pb2_grpc import GateStub
from mlplace_kit.clock import SystemClock
from mlplace_testing.events import published
from mlplace_testing.waiting import eventually

PATIENT = ModelTimeouts(pod_start=600, predict=600, fit=600)


@pytest.fixture
async def meet(world, kit, run_gate):
    """Adds a gate that the world's gate knows."""
    await world.components.peers.start("own:1")
    async with AsyncExitStack() as stack:

        async def joined(model=None):
            gate = await stack.enter_async_context(run_gate(plan=plan_of(model) if model else None))
            await PostgresGates(world.components.database, SystemClock()).join(
                gate.address, internal=gate.server.internal
            )
            await world.components.gates.refresh()
            known = world.components.peers._known
            await eventually(lambda: value(known.get(gate.address) and known[gate.address].probed.is_set()), seconds=60)
            return gate

        yield joined
        await world.components.peers.close()


async def value(of):
    return of


async def reached(world, kit, *, yes: bool = True) -> None:
    await eventually(lambda: value(world.components.peers.reaches(kit.MODEL) is yes), seconds=60)


async def test_instance_at_another_gate_wakes_calls_that_wait_here(world, kit, meet, connect, scripted) -> None:
    world.know(kit.model_changed(reject_if_inactive=False, hosting_type="HOSTING_SERVER", timeouts=PATIENT))
    gate = await meet()
    calls = [asyncio.create_task(world.predict(world.key())) for _ in range(2)]
    await eventually(lambda: value(world.components.queues.streams.waiting == 2), seconds=60)
    stub: GateStub = connect(gate.address)
    instance = await scripted(stub, 31, model_id=kit.MODEL).start()
    for _ in calls:
        await instance.answer(await instance.hear_request(), '"far"')
    answers = await asyncio.gather(*calls)
    assert {(answer.status_code, answer.text, answer.headers["z-wait-phase"]) for answer in answers} == {
        (200, '"far"', "start")
    }


@pytest.mark.parametrize("starts_here", [True, False])
async def test_call_handed_back_by_a_gate_waits_for_a_start(
    world, kit, meet, connect, scripted, starts_here: bool
) -> None:
    """The other gate has just lost its last instance, and this one does not know yet."""
    world.know(kit.model_changed(reject_if_inactive=False, hosting_type="HOSTING_SERVER", timeouts=PATIENT))
    gate = await meet()
    (peer,) = world.components.peers._known.values()
    peer.models.add(kit.MODEL)
    asked = []
    forward = peer.forward
    peer.forward = lambda *to: asked.append(to) or forward(*to)
    call = asyncio.create_task(world.predict(world.key()))
    await eventually(lambda: published(world.components.database, WakeUpWanted))
    await asyncio.sleep(0.6)
    assert (call.done(), len(asked) < 12) == (False, True), "it is not asked again and again"
    if starts_here:
        world.instance()
    else:
        instance = await scripted(connect(gate.address), 31, model_id=kit.MODEL).start()
        await instance.answer(await instance.hear_request(), '"far"')
    assert (await call).status_code == 200


async def test_queue_of_a_model_is_at_one_gate_to_keep_the_instances_concurrency(
    world, kit, meet, connect, scripted
) -> None:
    """The instance is connected only to the other gate: calls from here queue there, by priority."""
    queue = ModelPriorityQueue(enabled=True, concurrency=1)
    model = kit.model_changed(priority_queue=queue, timeouts=PATIENT)
    world.know(model)
    gate = await meet(model)
    stub: GateStub = connect(gate.address)
    instance = await scripted(stub, 31, model_id=kit.MODEL).start()
    await reached(world, kit)
    key = world.key()
    calls = [asyncio.create_task(world.predict(key, '"first"'))]
    request = await instance.hear_request()
    peers = world.components.peers._known.values()
    for number, priority in enumerate((1, 9)):
        headers = {**key, "Z-Priority": str(priority)}
        calls.append(asyncio.create_task(world.predict(headers, f'"{priority}"')))
        await eventually(lambda n=number: value(sum(peer.calls for peer in peers) == n + 2), seconds=60)
    await eventually(lambda: value(gate.waiting == 2), seconds=60)
    assert gate.links.all()[0].active_requests == 1, "the others wait at their gate"
    heard = []
    for _ in range(2):
        await instance.answer(request, '"done"')
        request = await instance.hear_request()
        heard.append(request.predict.data.json)
    await instance.answer(request, '"done"')
    assert heard == ['"9"', '"1"']
    assert {(await call).status_code for call in calls} == {200}


async def test_gates_agree_which_of_them_queues(world, kit, meet, connect, scripted) -> None:
    """By rendezvous hashing: each model has one gate, and models are spread over the gates."""
    gates = [await meet() for _ in range(2)]
    for number, gate in enumerate(gates):
        await scripted(connect(gate.address), 31 + number, model_id=kit.MODEL).start()
    peers = world.components.peers
    await eventually(lambda: value(all(kit.MODEL in s.models for s in peers._known.values())), seconds=60)
    owner = peers.owner(kit.MODEL, here=False)
    assert owner is not None
    assert {peers.owner(kit.MODEL, here=False).peer.address for _ in range(10)} == {owner.peer.address}
    for peer in peers._known.values():
        peer.models.update(range(1000, 1100))
    owners = [peers.owner(model, here=True) for model in range(1000, 1100)]
    spread = {owner.peer.address if owner else "own" for owner in owners}
    assert spread == {gates[0].address, gates[1].address, "own"}
