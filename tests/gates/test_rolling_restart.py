"""Gates are replaced one after the other while callers call through the edge."""

from collections import Counter
from collections.abc import Callable

import pytest

from mlplace_testing.servers.nginx import Nginx
from tests.crashes.installation import Gate, Installation
from tests.gates.conftest import Instances
from tests.gates.load import Load

_STOPS = {"settle_seconds": "2", "connection_seconds": "4", "drain_seconds": "120"}
"""A gate that has no more calls does not wait for the end of the last of them."""


async def two_gates(installation: Installation) -> tuple[Gate, Gate]:
    gates = installation.gate(**_STOPS), installation.gate(**_STOPS)
    for gate in gates:
        await gate.process.start()
    return gates


@pytest.mark.timeout(300)
class TestRollingRestart:
    async def test_no_call_fails_and_none_runs_twice(
        self, installation: Installation, instances: Instances, in_front_of: Callable[..., Nginx]
    ) -> None:
        key = await installation.publish_model(price_nano=0)
        gates = await two_gates(installation)
        await instances.run(1, *gates)
        await instances.run(2, *gates)
        edge = in_front_of(*gates)
        async with Load(edge, key, streams=0) as first:
            await first.wait_for_answers(1)
        async with Load(edge, key, callers=6, pause=0.0) as load:
            await load.wait_for_answers(20)
            for gate in gates:
                assert await gate.process.stop() == 0
                await gate.process.start()
            await load.wait_for_answers(20)
        assert {name: told.failed for name, told in load.unary.items()} == {"http": [], "grpc": []}
        assert {name: told.failed for name, told in load.streamed.items()} == {"http": [], "sse": [], "grpc": []}
        assert all(told.answered for told in load.streamed.values())
        assert [number for number, times in Counter(instances.asked).items() if times > 1] == []
