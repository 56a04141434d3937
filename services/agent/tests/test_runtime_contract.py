"""The contract of all runtimes."""

import asyncio
import re
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from mlplace_agent.config import Program
from mlplace_agent.runtimes.port import RefusedError, Run, Runtime
from mlplace_agent.runtimes.process import ProcessRuntime
from mlplace_contracts.internal.hosting import DesiredInstance
from mlplace_testing.waiting import eventually

Make = Callable[..., DesiredInstance]
OWNERS = {
    "CUDA_VISIBLE_DEVICES": "0",
    "NVIDIA_VISIBLE_DEVICES": "all",
    "HIP_VISIBLE_DEVICES": "0",
    "GREETING": "hi",
}


async def ready(run: Run, word: str = "ready") -> None:
    async def text() -> str:
        return run.output.read(0, 10_000)[1]

    await eventually(text, until=lambda t: word in t)


@pytest.fixture(params=["process", pytest.param("docker", marks=pytest.mark.docker)])
def all_allowed(request: pytest.FixtureRequest, script: Path, tmp_path: Path) -> Runtime:
    """Runtimes whose configuration lets owners set the variables of these tests."""
    if request.param == "docker":
        return request.getfixturevalue("docker_runtime")
    names = (*OWNERS,)
    return ProcessRuntime({"demo/program": Program(command=(sys.executable, str(script)), environment=names)}, tmp_path)


class TestStart:
    async def test_runs_until_stopped(self, runtime: Runtime, instance: Make) -> None:
        run = await runtime.start(instance())
        await ready(run)
        assert run.status() is None
        await run.stop(grace_seconds=10)
        assert run.status() is not None

    async def test_refuses_additional_command_flags(self, runtime: Runtime, instance: Make) -> None:
        with pytest.raises(RefusedError):
            await runtime.start(instance(command_flags=("--privileged",)))

    async def test_platform_variables_override_the_owners(self, runtime: Runtime, instance: Make) -> None:
        run = await runtime.start(
            instance("environment", service_env={"GREETING": "hello", "MLP_TEST_BEHAVIOUR": "fails"})
        )
        assert (await run.wait()).exit_code == 0
        text = run.output.read(0, 100_000)[1]
        assert "GREETING=hello" in text
        assert "MLP_TEST_BEHAVIOUR=environment" in text


class TestEnd:
    async def test_success_is_completed(self, runtime: Runtime, instance: Make) -> None:
        run = await runtime.start(instance("ends"))
        end = await run.wait()
        assert (end.exit_code, end.reason) == (0, "Completed")
        assert "done" in run.output.read(0, 1000)[1]

    async def test_a_failure_keeps_its_exit_code_and_output(self, runtime: Runtime, instance: Make) -> None:
        run = await runtime.start(instance("fails"))
        end = await run.wait()
        assert (end.exit_code, end.reason) == (7, "Error")
        assert "broken" in run.output.read(0, 1000)[1]


class TestStop:
    async def test_lets_the_program_end_gracefully(self, runtime: Runtime, instance: Make) -> None:
        run = await runtime.start(instance())
        await ready(run)
        assert (await run.stop(grace_seconds=10)).exit_code == 0
        assert "goodbye" in run.output.read(0, 1000)[1]

    async def test_kills_the_program_after_the_grace_period(self, runtime: Runtime, instance: Make) -> None:
        run = await runtime.start(instance("stubborn"))
        await ready(run)
        assert (await run.stop(grace_seconds=0.3)).exit_code == 137

    async def test_kill_ends_at_once_and_is_idempotent(self, runtime: Runtime, instance: Make) -> None:
        run = await runtime.start(instance("stubborn"))
        await ready(run)
        assert (await run.kill()).exit_code == 137
        assert (await run.kill()).exit_code == 137


class TestGpus:
    async def test_an_instance_without_gpus_sees_none_whatever_its_owner_sets(
        self, all_allowed: Runtime, instance: Make
    ) -> None:
        run = await all_allowed.start(instance("environment", service_env=OWNERS))
        await run.wait()
        lines = run.output.read(0, 100_000)[1].splitlines()
        assert {"CUDA_VISIBLE_DEVICES=", "NVIDIA_VISIBLE_DEVICES=void", "GREETING=hi"} <= set(lines)
        assert not any(line.startswith("HIP_") for line in lines)


class TestMemory:
    async def test_an_instance_above_its_limit_ends_with_the_limit_in_its_message(
        self, runtime: Runtime, instance: Make
    ) -> None:
        run = await runtime.start(instance("memory", memory_bytes=128 * 2**20))
        end = await run.wait()
        assert (end.exit_code, end.reason) == (137, "OOMKilled")
        assert "128 MiB" in (end.message or "")
        assert "ready" in run.output.read(0, 1000)[1]

    async def test_an_instance_within_its_limit_runs_on(self, runtime: Runtime, instance: Make) -> None:
        run = await runtime.start(instance("few", memory_bytes=256 * 2**20))
        await ready(run, "kept")
        await asyncio.sleep(1.5)  # longer than the interval of the measurement
        assert run.status() is None
        await run.kill()


class TestDisk:
    async def test_an_instance_above_its_limit_ends_with_limit_and_use_in_its_message(
        self, runtime: Runtime, instance: Make
    ) -> None:
        run = await runtime.start(instance("disk", disk_bytes=64 * 2**20))
        end = await run.wait()
        assert (end.exit_code, end.reason) == (137, "DiskLimitExceeded")
        told = re.search(r"took (\d+(?:\.\d)?) MiB of disk; its limit is 64 MiB", end.message or "")
        assert told is not None, end.message
        assert 64 < float(told[1]) <= 97  # it is measured while the program writes
        assert run.disk_bytes == 0

    async def test_what_an_instance_holds_is_measured_until_its_end(self, runtime: Runtime, instance: Make) -> None:
        run = await runtime.start(instance("disk", disk_bytes=200 * 2**20))

        async def held() -> int:
            return run.disk_bytes

        await eventually(held, until=lambda found: found >= 96 * 2**20)
        assert run.status() is None
        await run.kill()
        assert run.disk_bytes == 0

    async def test_each_run_begins_with_an_empty_disk(self, runtime: Runtime, instance: Make) -> None:
        for _ in range(2):
            run = await runtime.start(instance("disk", disk_bytes=150 * 2**20))
            await ready(run, "written")
            assert run.status() is None
            await run.kill()
