"""A gate shuts down without losing a call."""

import asyncio
import time

import grpc
import pytest

from mlplace_gateproto import gate_pb2 as pb
from mlplace_testing.waiting import eventually

SHUT_DOWN = "mlp.gate.gate_is_shut_down"
GONE = "gone"


class Pauses(asyncio.Event):
    """The pauses of a shutdown last until this event is set, and not for the seconds that the options say."""

    async def last(self, seconds: float) -> None:
        if seconds:
            await self.wait()


@pytest.fixture
def pauses() -> Pauses:
    return Pauses()


class TestStop:
    async def test_running_and_arriving_calls_are_answered(
        self, run_gate, connect, scripted, request_of, gates, pauses
    ):
        context = run_gate(settle_seconds=1.0, drain_seconds=600.0, pause=pauses.last)
        gate = await context.__aenter__()
        stub = connect(gate.address)
        instance = await scripted(stub).start()
        call = stub.process(request_of())
        request = await instance.hear_request()
        stopping = asyncio.create_task(context.__aexit__(None, None, None))
        members = await eventually(gates.members, until=lambda members: members.retiring)
        assert members.active == ()
        late = stub.process(request_of())
        await instance.answer(await instance.hear_request(), '"late"')
        assert (await late).predict.data.json == '"late"'
        assert not stopping.done()
        pauses.set()
        await instance.answer(request, '"in time"')
        assert (await call).predict.data.json == '"in time"'
        farewell = await instance.hear_request()
        assert farewell.WhichOneof("body") == "stopServing"
        await instance.say(pb.ServiceToGateProto(stopServing=pb.StopServingProto()))
        await instance.hear_end()
        await stopping
        assert (await gates.members()).connectable == ()

    async def test_proxies_keep_idle_connections_for_a_while_but_get_no_new_ones(
        self, run_gate, connect, scripted, request_of, pauses
    ):
        context = run_gate(connection_seconds=3.0, drain_seconds=600.0, pause=pauses.last)
        gate = await context.__aenter__()
        stub = connect(gate.address)
        instance = await scripted(stub).start()
        stopping = asyncio.create_task(context.__aexit__(None, None, None))
        await eventually(lambda: _refuses(gate.address))
        call = stub.process(request_of())
        await instance.answer(await instance.hear_request(), '"still"')
        assert (await call).predict.data.json == '"still"'
        assert not stopping.done()
        pauses.set()
        await stopping

    async def test_streamed_answers_are_finished(self, run_gate, connect, scripted, request_of):
        context = run_gate()
        gate = await context.__aenter__()
        stub = connect(gate.address)
        instance = await scripted(stub).start()
        call = stub.processResponseStream(request_of())
        request = await instance.hear_request()
        await instance.answer_part(request, "1")
        await call.read()
        stopping = asyncio.create_task(context.__aexit__(None, None, None))
        await eventually(_async(lambda: gate.server.leaving))
        await instance.answer_part(request, "2", finish=True)
        assert (await call.read()).partialPredict.finish
        await stopping

    async def test_instance_that_connects_meanwhile_is_refused(self, run_gate, connect, scripted, request_of, pauses):
        context = run_gate(settle_seconds=1.0, drain_seconds=600.0, pause=pauses.last)
        gate = await context.__aenter__()
        stub = connect(gate.address)
        instance = await scripted(stub).start()
        call = stub.process(request_of())
        request = await instance.hear_request()
        stopping = asyncio.create_task(context.__aexit__(None, None, None))
        await eventually(_async(lambda: gate.server.leaving))
        late = scripted(stub, 13)
        await late.say(pb.ServiceToGateProto(startServing=pb.StartServingProto(connectionToken=late._token)))
        assert [message.error.code for message in await late.hear_end()] == [SHUT_DOWN]
        pauses.set()
        await instance.answer(request, "1")
        await call
        await stopping

    async def test_endless_call_does_not_delay_the_shutdown_for_ever(self, run_gate, connect, scripted, request_of):
        context = run_gate(drain_seconds=3.0)
        gate = await context.__aenter__()
        stub = connect(gate.address)
        instance = await scripted(stub).start()
        call = stub.process(request_of())
        await instance.hear_request()
        async with asyncio.timeout(60):  # the call itself would never end
            await context.__aexit__(None, None, None)
        assert (await call).error.code == "mlp-action.common.channel-closed-error"

    @pytest.mark.parametrize("streams", [50])
    async def test_every_accepted_call_is_answered_under_load(
        self, run_gate, connect, request_of, twin_module, instances, environment, streams, pauses
    ):
        def slow(data: object, config: object) -> object:
            time.sleep(0.02)
            return data

        context = run_gate(settle_seconds=1.0, drain_seconds=600.0, pause=pauses.last)
        gate = await context.__aenter__()
        stub = connect(gate.address)
        twin = twin_module.PublicSdkTwin(environment(gate.address, instances.add(21)), slow, pace=0.05)
        twin.start()
        try:
            await eventually(_async(lambda: gate.links.of_model(7)))
            calls = [asyncio.ensure_future(_outcome(stub, request_of, n)) for n in range(streams)]
            await eventually(_async(lambda: gate.links.of_model(7)[0].active_requests > 5))
            stopping = asyncio.create_task(context.__aexit__(None, None, None))
            await eventually(_async(lambda: len(gate.handler.calls) == streams))
            pauses.set()
            await stopping
            outcomes = await asyncio.gather(*calls)
        finally:
            await asyncio.to_thread(twin.close)
        assert outcomes == ["answered"] * streams


class TestStopOneOfTwo:
    async def test_no_call_is_lost_on_either_gate(
        self, run_gate, connect, request_of, twin_module, instances, environment
    ):
        def slow(data: object, config: object) -> object:
            time.sleep(0.01)
            return data

        async with run_gate() as staying:
            context = run_gate(connection_seconds=0.5)
            leaving = await context.__aenter__()
            twin = twin_module.PublicSdkTwin(environment(staying.address, instances.add(21)), slow, pace=0.05)
            twin.start()
            stop = asyncio.Event()
            try:
                await eventually(_async(lambda: staying.links.of_model(7) and leaving.links.of_model(7)))
                loads = [
                    asyncio.create_task(_load(connect(gate.address), request_of, stop))
                    for gate in (staying, leaving)
                    for _ in range(5)
                ]
                await eventually(_async(lambda: len(leaving.handler.calls) > 20))
                await context.__aexit__(None, None, None)
                stop.set()
                outcomes = await asyncio.gather(*loads)
            finally:
                await asyncio.to_thread(twin.close)
        assert set().union(*outcomes[:5]) == {"answered"}
        assert set().union(*outcomes[5:]) == {"answered", GONE}


async def _load(stub, request_of, stop: asyncio.Event) -> set[str]:
    """Makes calls one after another until told to stop or the gate is gone. Returns their outcomes."""
    outcomes: set[str] = set()
    while not stop.is_set() and GONE not in outcomes:
        outcomes.add(await _outcome(stub, request_of, len(outcomes)))
    return outcomes


async def _outcome(stub, request_of, number: int) -> str:
    try:
        answer = await stub.process(request_of(str(number)))
    except grpc.aio.AioRpcError as error:
        # The library cancels calls that it received but did not begin to serve when it sends its goodbye.
        gone = error.code() in {grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.CANCELLED}
        return GONE if gone else str(error)
    if answer.WhichOneof("body") == "predict":
        assert answer.predict.data.json == str(number)
        return "answered"
    return answer.error.code


async def _refuses(address: str) -> bool:
    host, _, port = address.rpartition(":")
    try:
        _, writer = await asyncio.wait_for(asyncio.open_connection(host, int(port)), 60)
    except ConnectionRefusedError:
        return True
    writer.close()
    return False


def _async(probe):
    async def ask():
        return probe()

    return ask
