"""A gate that starts without the bus knows no keys; its callers do not notice while another gate knows them."""

from collections.abc import AsyncGenerator
from dataclasses import dataclass

import httpx
import pytest

from tests.crashes.installation import Gate, Installation
from tests.gates.callers import OK, Caller, caller_of
from tests.gates.conftest import Instances


@dataclass(frozen=True, slots=True)
class Blind:
    caller: Caller
    seeing: Gate


@pytest.fixture(scope="module")
async def blind(installation: Installation, instances: Instances) -> AsyncGenerator[Blind]:
    """A gate without the bus, beside one that has read all topics."""
    key = await installation.publish_model(price_nano=0)
    seeing, without = installation.gate(), installation.gate(start_seconds="0.2")
    await seeing.process.start()
    await instances.run(1, seeing)
    without.process.environment["MLP_BUS"] = "kafka://127.0.0.1:9"
    await without.process.start("/health/live")
    async with caller_of(seeing, key) as caller:
        await caller.until(OK)
    async with caller_of(without, key) as caller:
        yield Blind(caller, seeing)


class TestWithoutTheBus:
    async def test_reports_not_ready_and_accepts_no_instances(self, blind: Blind) -> None:
        async with httpx.AsyncClient(trust_env=False) as anybody:
            answer = await anybody.get(f"{blind.caller.gate.process.url}/health/ready")
        assert answer.status_code == httpx.codes.SERVICE_UNAVAILABLE
        assert "read-models" in answer.json()["missing"]
        async with caller_of(blind.seeing, "") as other:
            assert await other.active_gates() == [blind.seeing.grpc]

    async def test_another_gate_authorises_and_answers_calls(self, blind: Blind) -> None:
        caller = blind.caller
        await caller.until(OK)
        assert await caller.stream_over_http(3) == [0, 1, 2]
        assert [part async for part in caller.stream_over_grpc(3)] == [0, 1, 2]
        async with caller_of(caller.gate, "") as stranger:
            assert [await stranger.over_http(), await stranger.over_grpc()] == ["mlp.gate.unauthorized"] * 2

    async def test_alone_refuses_until_another_gate_knows_the_keys(self, blind: Blind) -> None:
        await blind.caller.until(OK)
        blind.seeing.process.kill()
        await blind.caller.until("mlp.core.unavailable")
        await blind.seeing.process.start()
        await blind.caller.until(OK)
