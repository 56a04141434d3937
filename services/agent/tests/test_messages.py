"""The message of a failed start repeats neither the instance's variables nor an address that is hidden."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import docker.errors
import pytest
from pydantic import HttpUrl

from mlplace_agent.backoff import Backoff
from mlplace_agent.config import AgentConfig
from mlplace_agent.runtimes.choice import ChosenRuntime
from mlplace_agent.runtimes.containers import DockerRuntime
from mlplace_agent.runtimes.port import Run, Runtime, StartFailedError
from mlplace_agent.runtimes.process import ProcessRuntime
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


class FailingEngine(RepeatingRuntime):
    """Translates an error of an engine, which names the image's address."""

    def __init__(self, error: type[docker.errors.APIError]) -> None:
        self._error = error

    async def start(self, instance: DesiredInstance) -> Run:
        def fail() -> Run:
            raise self._error("refused", explanation=f"manifest for {instance.image} not found")

        with ThreadPoolExecutor(1) as threads:
            return await DockerRuntime._translated(threads, fail)


async def failed(instance: DesiredInstance, runtime: Runtime) -> str | None:
    """Returns the message of the first start, which fails."""
    changed = asyncio.Event()
    supervisor = Supervisor(instance, runtime, clock=SystemClock(), backoff=Backoff(first=60.0), changed=changed.set)
    while supervisor.report.phase not in {ReportedPhase.BACKOFF, ReportedPhase.REFUSED}:
        changed.clear()
        await changed.wait()
    supervisor.stop(grace_seconds=0)
    await supervisor.ended()
    return supervisor.report.message


async def test_a_failure_message_contains_no_variable_of_the_owner(instance: Callable[..., DesiredInstance]) -> None:
    message = await failed(instance(service_env={"API": "canary-value", "N": "1"}), RepeatingRuntime())
    assert message == "cannot use {'API': '********', 'N': '1'} at http://u:********@h/"


@pytest.mark.parametrize("error", [docker.errors.APIError, docker.errors.ImageNotFound])
async def test_only_the_owner_of_the_image_reads_the_engines_explanation(
    instance: Callable[..., DesiredInstance], error: type[docker.errors.APIError]
) -> None:
    given = instance(image="registry.example/canary:1")
    assert "manifest for registry.example/canary:1 not found" in str(await failed(given, FailingEngine(error)))
    hidden = await failed(given.model_copy(update={"address_hidden": True}), FailingEngine(error))
    assert hidden is not None
    assert hidden.endswith("; only the owner of the image may see the explanation")
    assert "canary" not in hidden


async def test_a_refusal_names_only_an_address_that_is_not_hidden(
    instance: Callable[..., DesiredInstance], tmp_path: Path
) -> None:
    given = instance(image="registry.example/canary:1")
    config = AgentConfig(platform_url=HttpUrl("http://platform.test"), state_dir=tmp_path)
    for runtime in (ProcessRuntime({}, tmp_path), ChosenRuntime(config, agent_id="a", server_id=1)):
        assert "no program for the image registry.example/canary:1" in str(await failed(given, runtime))
        hidden = await failed(given.model_copy(update={"address_hidden": True}), runtime)
        assert "no program for the image" in str(hidden)
        assert "canary" not in str(hidden)
