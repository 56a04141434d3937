"""Two gates and one instance: a priority queue limits the calls in progress from all gates together."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass
from typing import Any, cast

import grpc
import pytest

from mlpgateway.http2.limits import Http2Limits
from mlpgateway.http2.room import RequestBytes
from mlpgateway.http2.server import Server
from mlpgateway.instances.http import instances as instances_module
from mlpgateway.instances.peers import messages
from mlpgateway.instances.peers.messages import Failed
from mlpgateway.instances.peers.metrics import FORWARDED_CALLS
from mlpgateway.membership.members import PostgresGates
from mlplace_contracts.events import ModelPriorityQueue, ModelTimeouts
from mlplace_gateproto.limits import MAX_MESSAGE_BYTES
from mlplace_kit.clock import SystemClock
from mlplace_testing.identities import INTERNAL_TOKEN
from mlplace_testing.waiting import eventually

BASE = "/api/mlpgateway/account/acme/model/ner/http"
PATIENT = ModelTimeouts(pod_start=600, predict=600, fit=600)
LOOSE = {"instance_networks": "127.0.0.0/8", "egress_allowed_networks": "127.0.0.0/8"}


@dataclass
class Gate:
    """A whole gateway, and the server for other gates. `key` is known to its own read model."""

    world: Any
    server: Server
    address: str
    key: dict[str, str]
    dead: bool = False

    @property
    def peers(self):
        return self.world.components.peers

    @property
    def waiting(self) -> int:
        """The number of waiting calls, its own and those of gates that ask it for slots."""
        return self.world.components.queues.http.waiting

    @property
    def queues(self) -> int:
        return self.world.components.queues.http.queues

    def get(self, path: str = "held", **headers: str) -> "asyncio.Task":
        return asyncio.create_task(self.world.client.get(f"{BASE}/{path}", headers={**self.key, **headers}))

    def predict(self, text: str, **headers: str) -> "asyncio.Task":
        return asyncio.create_task(self.world.predict({**self.key, **headers}, text))

    async def die(self) -> None:
        """Cuts the gate off as if it had died. Idempotent."""
        if not self.dead:
            self.dead = True
            await self.server.stop(None)
            await self.peers.close()


@asynccontextmanager
async def running(open_world, **settings: object) -> AsyncGenerator[Gate]:
    async with open_world(**LOOSE, **settings) as world:
        room = RequestBytes(world.components.admission.bytes, seconds=10.0)
        server = Server(world.components.peer_rpc.methods(), Http2Limits(MAX_MESSAGE_BYTES), room, lambda _: False)
        address = f"127.0.0.1:{server.bind('127.0.0.1:0')}"
        await server.start()
        gate = Gate(world, server, address, world.key())
        try:
            yield gate
        finally:
            await gate.die()
            await world.components.http_instances.close()


async def acquaint(gate: Gate, other: Gate) -> None:
    components = gate.world.components
    await components.peers.start(gate.address)
    await PostgresGates(components.database, SystemClock()).join(other.address, internal=other.address)
    await components.gates.refresh()


async def value(of):
    return of


async def until(probe) -> None:
    await eventually(lambda: value(probe()), seconds=60)


async def holds(gate: Gate, instance) -> "asyncio.Task":
    """Starts a call at the gate that occupies the only slot."""
    call = gate.get()
    await until(lambda: instance.holding == 1)
    return call


@pytest.fixture
def service(kit, tools):
    """Builds the event of a model whose instance takes one request at a time."""

    def made(**about: object):
        queue = ModelPriorityQueue(enabled=True, concurrency=1)
        return kit.model_changed(**{"http": tools.HTTP, "priority_queue": queue, "timeouts": PATIENT, **about})

    return made


@pytest.fixture
def settings() -> dict[str, object]:
    """Overridden by tests about bounds."""
    return {}


@pytest.fixture
async def gates(open_world, service, settings: dict[str, object]) -> AsyncGenerator[tuple[Gate, Gate]]:
    """Returns the gate that queues for both, and the other one. They know no instance yet."""
    async with AsyncExitStack() as stack:
        both = [await stack.enter_async_context(running(open_world, **settings)) for _ in range(2)]
        for gate, other in (both, both[::-1]):
            gate.world.know(service())
            gate.world.components.http_instances.open(gate.address)
            await acquaint(gate, other)
        for gate in both:
            await until(lambda gate=gate: any(peer.ready for peer in gate.peers._known.values()))
        both.sort(key=lambda gate: len(gate.peers.slot_givers_now(500)))
        assert [len(gate.peers.slot_givers_now(500)) for gate in both] == [0, 1]
        yield both[0], both[1]


@pytest.fixture
async def pair(gates, instance, tools) -> tuple[Gate, Gate]:
    """Returns both gates after they have found the instance healthy."""
    for gate in gates:
        gate.world.know(tools.told_of(7, instance.port))
        await tools.reached(gate.world)
    return gates


class Turns:
    """Lets requests at the instance end."""

    def __init__(self, instance) -> None:
        self._instance = instance

    async def one(self) -> None:
        await until(lambda: self._instance.holding > 0)
        self._instance.go_on.set()
        await until(lambda: not self._instance.go_on.is_set())

    async def all(self, calls) -> list[int]:
        async def done() -> bool:
            if self._instance.holding:
                self._instance.go_on.set()
            return all(call.done() for call in calls)

        await eventually(done, seconds=60)
        return [answer.status_code for answer in await asyncio.gather(*calls)]


@pytest.fixture
def turns(instance) -> Turns:
    return Turns(instance)


def slots_granted() -> float:
    return FORWARDED_CALLS.labels("slot")._value.get()


class TestConcurrency:
    async def test_limit_holds_for_all_gates_together(self, pair, instance, turns) -> None:
        calls = [gate.get() for gate in pair for _ in range(3)]
        assert await turns.all(calls) == [200] * 6
        assert instance.most_held == 1
        await until(lambda: [gate.queues for gate in pair] == [0, 0])

    async def test_limit_holds_for_predict_and_passed_on_requests(self, pair, instance, turns) -> None:
        first, second = pair
        held = await holds(first, instance)
        predicted = second.predict('"x"')
        await until(lambda: first.waiting == 1)
        assert instance.seen == []
        await turns.one()
        answer = await predicted
        assert (answer.status_code, answer.content, answer.headers["z-wait-phase"]) == (200, b'{"got":"x"}', "queue")
        assert (await held).status_code == 200

    async def test_limit_holds_for_a_streamed_body_which_arrives_whole(self, pair, instance, turns) -> None:
        first, second = pair

        async def body() -> AsyncGenerator[bytes]:
            for _ in range(32):
                yield b"x" * 65536

        held = await holds(first, instance)
        sending = asyncio.create_task(second.world.client.post(f"{BASE}/count", content=body(), headers=second.key))
        await until(lambda: first.waiting == 1)
        await turns.one()
        assert (await sending).text == str(32 * 65536)
        assert (await held).status_code == 200

    async def test_slot_is_requested_only_with_a_priority_queue(self, pair, instance, service) -> None:
        before = slots_granted()
        for gate in pair:
            gate.world.know(service(priority_queue=None))
        assert [(await gate.get("x")).status_code for gate in pair] == [200, 200]
        assert slots_granted() == before

    async def test_slots_are_counted_at_the_queueing_gate(self, pair, instance) -> None:
        before = slots_granted()
        assert [(await gate.get("x")).status_code for gate in pair] == [200, 200]
        assert slots_granted() == before + 1

    async def test_limit_holds_for_calls_that_waited_for_a_start(self, gates, service, instance, tools, turns) -> None:
        starting = service(reject_if_inactive=False, hosting_type="HOSTING_SERVER")
        calls = []
        for gate in gates:
            gate.world.know(starting)
            calls += [gate.get() for _ in range(2)]
            await until(lambda gate=gate: gate.waiting == 2)
        for gate in gates[::-1]:  # the queueing gate is informed last
            gate.world.know(tools.told_of(7, instance.port))
        assert await turns.all(calls) == [200] * 4
        assert instance.most_held <= 2, "each gate may give one for a moment"


class TestOrder:
    async def test_higher_priority_goes_first_from_either_gate(self, pair, instance, turns) -> None:
        first, second = pair
        held = await holds(first, instance)
        calls = []
        for number, (gate, priority) in enumerate(((second, 1), (first, 5), (second, 9))):
            calls.append(gate.predict(f'"{priority}"', **{"Z-Priority": str(priority)}))
            await until(lambda number=number: first.waiting == number + 1)
        await turns.one()
        assert {(await call).status_code for call in [held, *calls]} == {200}
        assert [body for _, _, _, body in instance.seen] == [b'"9"', b'"5"', b'"1"']

    async def test_cancelled_call_costs_no_turn(self, pair, instance, turns) -> None:
        first, second = pair
        held = await holds(first, instance)
        leaving, staying = second.predict('"a"', **{"Z-Priority": "9"}), None
        await until(lambda: first.waiting == 1)
        staying = second.predict('"b"')
        await until(lambda: first.waiting == 2)
        leaving.cancel()
        await until(lambda: first.waiting == 1)
        await turns.one()
        assert (await staying).status_code == (await held).status_code == 200
        assert [body for _, _, _, body in instance.seen] == [b'"b"']
        await until(lambda: [gate.queues for gate in pair] == [0, 0])
        assert second.waiting == 0

    async def test_timed_out_call_reports_that_it_waited_in_the_queue(self, pair, service, instance, turns) -> None:
        first, second = pair
        second.world.know(service(timeouts=ModelTimeouts(pod_start=600, predict=1, fit=600)))
        held = await holds(first, instance)
        answer = await second.predict('"a"')
        refused = answer.json()
        assert (refused["code"], refused["args"]["phase"]) == ("mlp.gate.predict_timeout", "queue")
        assert answer.headers["z-wait-phase"] == "queue"
        assert int(answer.headers["z-wait-ms"]) > 0
        await until(lambda: first.waiting == 0)
        assert await turns.all([held]) == [200]


class TestBounds:
    @pytest.fixture
    def settings(self) -> dict[str, object]:
        return {"waiting_calls_per_model": 1}

    async def test_bounds_of_the_queue_hold_over_gates(self, pair, instance, turns) -> None:
        first, second = pair
        calls = [first.get()]
        await until(lambda: instance.holding == 1)
        calls.append(second.get())
        await until(lambda: first.waiting == 1)
        refused = await second.get()
        assert (refused.status_code, refused.json()["code"]) == (503, "mlp.gate.queue_full")
        assert "retry-after" in refused.headers
        assert await turns.all(calls) == [200, 200]


class TestLosses:
    async def test_other_gate_queues_when_the_queueing_gate_dies(self, pair, instance, turns) -> None:
        first, second = pair
        held = await holds(first, instance)
        calls = [second.get() for _ in range(3)]
        await until(lambda: first.waiting == 3)
        await first.die()
        await until(lambda: instance.holding == 2)
        assert await turns.all([held, *calls]) == [200] * 4
        assert instance.most_held == 2, "what the dead gate had given is with the instance until it ends"
        assert (await second.get("x")).status_code == 200

    async def test_call_with_a_slot_outlives_the_gate_that_granted_it(self, pair, instance, turns) -> None:
        first, second = pair
        call = await holds(second, instance)
        await first.die()
        assert await turns.all([call]) == [200]

    async def test_slot_is_freed_when_the_gate_of_the_call_dies(self, pair, instance, turns) -> None:
        first, second = pair
        lost = await holds(second, instance)
        waiting = first.predict('"x"')
        await until(lambda: first.waiting == 1)
        await second.die()
        assert (await waiting).status_code == 200
        assert await turns.all([lost]) == [200]
        await until(lambda: first.queues == 0)

    async def test_leaving_gate_hands_waiting_calls_to_the_others(self, pair, instance, turns) -> None:
        first, second = pair
        held = await holds(first, instance)
        waiting = second.predict('"x"')
        await until(lambda: first.waiting == 1)
        first.world.components.peer_rpc.close()
        assert (await waiting).status_code == 200
        assert (await second.predict('"y"')).status_code == 200
        assert await turns.all([held]) == [200]

    async def test_gate_without_instances_is_skipped(self, gates, instance, tools) -> None:
        first, second = gates
        second.world.know(tools.told_of(7, instance.port))
        await tools.reached(second.world)
        assert [(await second.get("x")).status_code for _ in range(2)] == [200, 200]
        assert (await first.get("x")).json()["code"] == "mlp.gate.no_active_instances"

    async def test_gate_that_has_not_found_the_instance_looks_when_asked(
        self, gates, instance, tools, monkeypatch
    ) -> None:
        monkeypatch.setattr(instances_module, "_LOOK_SECONDS", 60.0)
        first, second = gates
        instance.status = 503
        first.world.know(tools.told_of(7, instance.port))
        found = first.world.components.http_instances
        found._watched[7].health._pause = 3600.0  # without being asked, it would not check again
        await until(lambda: instance.asked == 1)
        instance.status = 200
        second.world.know(tools.told_of(7, instance.port))
        await second.world.components.http_instances.look(500)
        await tools.reached(second.world)
        before = slots_granted()
        assert found.of_model(500) == []
        assert (await second.get("x")).status_code == 200
        assert slots_granted() == before + 1
        assert [link.instance_id for link in found.of_model(500)] == [7]
        await tools.reached(first.world)

    async def test_look_checks_now_however_long_the_pause(self, pair, instance) -> None:
        health = pair[0].world.components.http_instances._watched[7].health
        for _ in range(3):
            before = instance.asked
            await health.look()
            assert instance.asked > before

    async def test_lost_instance_occupies_no_slot(self, pair, instance, tools) -> None:
        _, second = pair
        await instance.runner.cleanup()
        assert (await second.predict('"x"')).status_code == 503
        await until(lambda: [gate.queues for gate in pair] == [0, 0])

    async def test_call_to_a_closed_instance_goes_to_the_next(self, pair, instance, tools) -> None:
        """The queueing gate does not know it yet: the call itself says which instance to avoid."""
        _, second = pair
        other = tools.Instance()
        await other.start()
        for gate in pair:
            gate.world.know(tools.told_of(8, other.port))
            await tools.reached(gate.world, number=2)
        await instance.runner.cleanup()
        for number in range(4):
            assert (await second.predict(f'"{number}"')).status_code == 200
        assert len(other.seen) == 4
        await until(lambda: [gate.queues for gate in pair] == [0, 0])
        await other.runner.cleanup()


class TestAccess:
    @pytest.mark.parametrize("token", [(), (("mlp-internal-token", "guess"),)])
    async def test_caller_without_the_internal_token_gets_no_slot(self, pair, token) -> None:
        async with grpc.aio.insecure_channel(pair[0].address) as channel:
            call = channel.unary_stream("/com.mlp.internal.Sibling/lend")(messages.encode({}), metadata=token)
            with suppress(grpc.aio.AioRpcError):
                await call.read()
            assert await call.code() is grpc.StatusCode.UNAUTHENTICATED

    async def test_invalid_message_is_refused(self, pair) -> None:
        token = (("mlp-internal-token", INTERNAL_TOKEN),)
        async with grpc.aio.insecure_channel(pair[0].address) as channel:
            call = channel.unary_stream("/com.mlp.internal.Sibling/lend")(b"nonsense", metadata=token)
            refused = messages.slot_answer(cast("bytes", await call.read()))
        assert isinstance(refused, Failed)
        assert refused.status == 400
