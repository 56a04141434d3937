"""Names, and samples of a server, that the tests of metrics share."""

import uuid
from collections.abc import Awaitable, Callable

from mlplace_contracts.internal.hosting import Heartbeat, InstanceUse, ReportedPhase, ServerSample
from mlplace_testing.agents import CAPACITY, AgentTwin, report

ACME = "/api/mlpcore/account/acme"
Hear = Callable[..., Awaitable[None]]
Measured = Callable[..., Awaitable[None]]
RUN = uuid.uuid4()


def server_sample(sequence: int, *uses: InstanceUse, age: float = 0.0, milli_cpu: int = 700) -> ServerSample:
    return ServerSample(
        run=RUN, sequence=sequence, seconds=10, age_seconds=age, milli_cpu=milli_cpu, ram_mb=900, disk_mb=5,
        instances=uses,
    )  # fmt: skip


async def send(agent: AgentTwin, instance: int, *samples: ServerSample) -> None:
    reports = (report(instance, ReportedPhase.RUNNING),)
    beat = Heartbeat(agent_version="1", capacity=CAPACITY, instances=reports, samples=samples)
    answer = await agent.post(beat.model_dump_json())
    assert answer.status_code == 200, answer.text
