"""Instances of the public SDK, as its twin shows them: they connect, serve and survive gates that come and go."""

import asyncio
import os
import subprocess
import sys
from pathlib import Path

import pytest

from mlplace_gateproto import gate_pb2 as pb
from mlplace_testing.waiting import eventually

PACE = 0.05
TWIN = Path(__file__).parent.parent / "public_sdk_twin.py"


@pytest.fixture
def start_twin(twin_module, instances, environment):
    started = []

    def start(address: str, *, pace: float = PACE, **options: object):
        twin = twin_module.PublicSdkTwin(environment(address, instances.add(21)), pace=pace, **options)
        started.append(twin)
        twin.start()
        return twin

    yield start
    for twin in started:
        twin.close()


async def _serves(client, request_of, text: str = '{"n": 1}') -> pb.ClientResponseProto:
    """Returns the first good answer; until the instance is connected (again) there are refusals."""

    async def ask() -> pb.ClientResponseProto:
        return await client.process(request_of(text))

    return await eventually(ask, until=lambda answer: answer.WhichOneof("body") == "predict")


class TestOneGate:
    async def test_instance_connects_and_serves(self, gate, client, start_twin, request_of):
        twin = start_twin(gate.address)
        answer = await _serves(client, request_of)
        assert answer.predict.data.json == '{"echo": {"n": 1}, "config": {}}'
        assert twin.connected_to() == {gate.address}
        assert twin.service_info.modelId == 7

    async def test_exception_becomes_an_error_of_the_call(self, gate, client, start_twin, request_of):
        def divide(data: object, config: object) -> object:
            raise ZeroDivisionError("division by zero")

        start_twin(gate.address, predict=divide)
        await eventually(_async(lambda: gate.links.of_model(7)))
        answer = await client.process(request_of())
        assert (answer.error.code, answer.error.status) == ("mlp-action.common.processing-exception", 500)
        assert answer.error.message == "division by zero"
        assert "Z-requestId" in answer.headers

    async def test_connection_outlasts_the_silence_limit(self, gate, client, start_twin, request_of, connections):
        start_twin(gate.address)
        await _serves(client, request_of)
        deadline = asyncio.get_running_loop().time() + 2.5
        while asyncio.get_running_loop().time() < deadline:
            assert (await client.process(request_of())).WhichOneof("body") == "predict"
            await asyncio.sleep(0.1)
        assert connections.closed == []

    async def test_unknown_token_never_counts_as_connected(self, gate, twin_module, environment, connections):
        twin = twin_module.PublicSdkTwin(environment(gate.address, "1.1." + "a" * 40), pace=PACE)
        twin.start()
        try:
            await eventually(_async(lambda: any(c.connects > 2 for c in list(twin.connectors.values()))))
            assert twin.connected_to() == set()
            assert connections.opened == []
        finally:
            await asyncio.to_thread(twin.close)

    async def test_instance_serves_again_after_a_gate_restart(
        self, run_gate, connect, start_twin, request_of, connections
    ):
        async with run_gate() as first:
            start_twin(first.address)
            await _serves(connect(first.address), request_of)
            address = first.address
        async with run_gate(address) as second:
            answer = await _serves(connect(second.address), request_of)
            assert answer.predict.data.json.startswith('{"echo"')
            before, after = connections.opened[0], connections.opened[-1]
            assert before.descriptor_json == after.descriptor_json

    async def test_instance_runs_as_its_own_process(self, gate, client, instances, environment, request_of):
        variables = {**environment(gate.address, instances.add(21)), "PATH": os.environ["PATH"], "TWIN_PACE": "0.1"}
        process = await asyncio.to_thread(subprocess.Popen, [sys.executable, str(TWIN)], env=variables)
        try:
            answer = await _serves(client, request_of)
            assert answer.predict.data.json == '{"echo": {"n": 1}, "config": {}}'
            process.terminate()
            await eventually(_async(lambda: len(gate.components.connections.opened) > 1))
            assert process.poll() is None, "the SDK does not exit on SIGTERM"
            gate.links.revoke(21)
        finally:
            process.kill()
            await asyncio.to_thread(process.wait)


class TestSeveralGates:
    async def test_instance_connects_to_a_joining_gate(self, run_gate, connect, start_twin, request_of):
        async with run_gate() as first:
            twin = start_twin(first.address)
            await _serves(connect(first.address), request_of)
            async with run_gate() as second:
                await _serves(connect(second.address), request_of)
                assert twin.connected_to() == {first.address, second.address}
                assert set(first.server.servers) == {first.address, second.address}

    async def test_instance_leaves_a_leaving_gate_and_serves_at_the_other(
        self, run_gate, connect, start_twin, request_of
    ):
        async with run_gate() as first:
            stub = connect(first.address)
            twin = start_twin(first.address)
            async with run_gate() as second:
                await _serves(connect(second.address), request_of)
            await eventually(_async(lambda: twin.connected_to() == {first.address}))
            assert (await stub.process(request_of())).WhichOneof("body") == "predict"
            connector = twin.connectors[first.address]
            assert connector.connects == 1, "the stream to the gate that stayed was never touched"


def _async(probe):
    async def ask():
        return probe()

    return ask
