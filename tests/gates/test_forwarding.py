"""An instance that is connected to one gate also serves callers of the other gate."""

import asyncio
from collections.abc import AsyncGenerator

import pytest

from mlplace_testing.waiting import eventually
from tests.crashes.installation import Gate, Installation
from tests.gates.callers import OK, Caller, caller_of
from tests.gates.conftest import Instances

_NOWHERE = "127.0.0.1:9"


@pytest.fixture(scope="module")
async def reached(installation: Installation) -> Gate:
    """The gate to which the instance is connected."""
    gate = installation.gate()
    await gate.process.start()
    return gate


@pytest.fixture(scope="module")
async def beside(installation: Installation, instances: Instances, reached: Gate) -> AsyncGenerator[Caller]:
    """A caller of the gate that the instance cannot reach."""
    key = await installation.publish_model(price_nano=0)
    gate = installation.gate(grpc_advertised_address=_NOWHERE)
    await gate.process.start()
    await instances.run(1, reached)
    async with caller_of(gate, key) as opened:
        yield opened


@pytest.fixture
async def caller(beside: Caller, reached: Gate) -> Caller:
    """Restarts the instance's gate if another test has stopped it."""
    if reached.process.pid is None:
        await reached.process.start()
    await beside.until(OK)
    assert await beside.connected() == 0
    return beside


class TestForwarding:
    async def test_forwards_whole_and_streamed_answers_over_http_and_grpc(self, caller: Caller) -> None:
        assert [await caller.over_http(), await caller.over_grpc()] == [OK, OK]
        assert await caller.stream_over_http(5) == [0, 1, 2, 3, 4]
        assert [part async for part in caller.stream_over_grpc(5)] == [0, 1, 2, 3, 4]

    async def test_a_call_fails_retryably_if_the_other_gate_is_killed(self, caller: Caller, reached: Gate) -> None:
        parts: list[object] = []

        async def read() -> None:
            async for part in caller.stream_over_grpc(100, milliseconds=100):
                parts.append(part)  # noqa: PERF401  the test looks at the list while it grows

        reading = asyncio.create_task(read())
        await eventually(lambda: _value(len(parts) > 1))
        reached.process.kill()
        await reading
        assert parts[-1] == "mlp-action.common.channel-closed-error"
        await caller.until("mlp.gate.no_active_instances")

    async def test_forwards_again_after_the_gate_restarts(self, caller: Caller, reached: Gate) -> None:
        reached.process.kill()
        await caller.until("mlp.gate.no_active_instances")
        await reached.process.start()
        await caller.until(OK)


async def _value(value: bool) -> bool:
    return value
