"""The contract of all runtimes."""

from collections.abc import Callable

import pytest

from mlplace_agent.runtimes.port import RefusedError, Run, Runtime
from mlplace_contracts.internal.hosting import DesiredInstance
from mlplace_testing.waiting import eventually

Make = Callable[..., DesiredInstance]


async def ready(run: Run, word: str = "ready") -> None:
    async def text() -> str:
        return run.output.read(0, 10_000)[1]

    await eventually(text, until=lambda t: word in t)


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
