import os
from collections.abc import Callable

import pytest

from mlplace_agent.config import DockerOptions
from mlplace_agent.runtimes.containers import DockerRuntime
from mlplace_agent.runtimes.port import StartFailedError
from mlplace_contracts.internal.hosting import DesiredInstance

Make = Callable[..., DesiredInstance]
pytestmark = pytest.mark.docker


class TestSweep:
    async def test_removes_only_its_own_leftover_containers(
        self, docker_runtime: DockerRuntime, instance: Make
    ) -> None:
        run = await docker_runtime.start(instance())
        other = DockerRuntime(DockerOptions(enabled=True), server_id=os.getpid() + 1)
        assert await other.sweep() == 0
        assert run.status() is None
        same = DockerRuntime(DockerOptions(enabled=True), server_id=os.getpid())
        assert await same.sweep() == 1
        assert (await run.wait()).exit_code == 137
        await other.close()
        await same.close()


class TestStart:
    async def test_a_missing_image_fails_with_a_reason(self, docker_runtime: DockerRuntime, instance: Make) -> None:
        with pytest.raises(StartFailedError):
            await docker_runtime.start(instance(image="localhost:1/no/such:image"))

    async def test_an_unavailable_engine_is_a_retryable_failure(self, instance: Make) -> None:
        runtime = DockerRuntime(DockerOptions(enabled=True, socket="tcp://127.0.0.1:1"), server_id=1)
        with pytest.raises(StartFailedError) as caught:
            await runtime.start(instance())
        assert caught.value.reason == "EngineUnavailable"
        assert await runtime.sweep() == 0
