"""The message of a failed start does not repeat the instance's variables."""

import asyncio
from collections.abc import Callable

from mlplace_agent.backoff import Backoff
from mlplace_agent.runtimes.port import Run, Runtime, StartFailedError
from mlplace_agent.supervisor import Supervisor
from mlplace_contracts.internal.hosting import DesiredInstance, ReportedPhase
from mlplace_kit.clock import SystemClock


class RepeatingRuntime(Runtime):
    """Fails like an engine that quotes its input."""

    async def start(self, instance: DesiredInstance) -> Run:
        text = f"cannot use {instance.service_env} at http://u:canary-dsn@h/"  # pragma: allowlist secret
        raise StartFailedError("StartError", text)

    async def remove_leftovers(self) -> int:
        return 0

    async def close(self) -> None:
        """Nothing to close."""


async def test_a_failure_message_contains_no_variable_of_the_owner(instance: Callable[..., DesiredInstance]) -> None:
    changed = asyncio.Event()
    supervisor = Supervisor(
        instance(service_env={"API": "canary-value", "N": "1"}),
        RepeatingRuntime(),
        clock=SystemClock(),
        backoff=Backoff(first=60.0),
        changed=changed.set,
    )
    while supervisor.report.phase is not ReportedPhase.BACKOFF:
        changed.clear()
        await changed.wait()
    assert supervisor.report.message == "cannot use {'API': '********', 'N': '1'} at http://u:********@h/"
    supervisor.stop(grace_seconds=0)
    await supervisor.ended()
