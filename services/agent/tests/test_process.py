import os
import sys
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

from mlplace_agent.config import Program
from mlplace_agent.runtimes.port import RefusedError, StartFailedError
from mlplace_agent.runtimes.process import ProcessRuntime
from mlplace_contracts.internal.hosting import DesiredInstance
from mlplace_testing.waiting import eventually

Make = Callable[..., DesiredInstance]
FORKS = "import subprocess,sys,time; p=subprocess.Popen(['sleep','300']); print(p.pid,flush=True); time.sleep(300)"


async def first_line(run: object) -> str:
    async def text() -> str:
        return run.output.read(0, 1000)[1]  # type: ignore[attr-defined]

    return (await eventually(text, until=lambda t: "\n" in t)).split("\n")[0]


async def gone(pid: int) -> bool:
    async def dead() -> bool:
        try:
            return psutil.Process(pid).status() == psutil.STATUS_ZOMBIE
        except psutil.NoSuchProcess:
            return True

    return await eventually(dead)


class TestStart:
    async def test_an_image_without_a_program_is_refused(self, process_runtime: ProcessRuntime, instance: Make) -> None:
        with pytest.raises(RefusedError):
            await process_runtime.start(instance(image="/bin/sh"))

    async def test_a_missing_command_fails_the_start(self, tmp_path: Path, instance: Make) -> None:
        runtime = ProcessRuntime({"demo/program": Program(command=("no-such-program",))}, tmp_path)
        with pytest.raises(StartFailedError, match="no-such-program"):
            await runtime.start(instance())

    async def test_an_invalid_variable_fails_the_start(self, process_runtime: ProcessRuntime, instance: Make) -> None:
        with pytest.raises(StartFailedError):
            await process_runtime.start(instance(platform_env={"MLP_BAD": "nul\0"}))


class TestEnvironment:
    async def test_contains_no_variables_of_the_agent_and_only_allowed_ones_of_the_owner(
        self, process_runtime: ProcessRuntime, instance: Make, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("AGENT_SECRET", "do not tell")
        owner = {"GREETING": "hi", "LD_PRELOAD": "/tmp/evil.so", "PYTHONPATH": "/tmp", "MLP_TEST_BEHAVIOUR": "serves"}
        platform = {"MLP_TEST_BEHAVIOUR": "environment", "SERVICE_CONFIG": "{}", "LD_AUDIT": "/tmp/evil.so"}
        run = await process_runtime.start(instance(service_env=owner, platform_env=platform))
        await run.wait()
        names = {line.partition("=")[0] for line in run.output.read(0, 100_000)[1].splitlines()}
        assert {"GREETING", "MLP_TEST_BEHAVIOUR", "SERVICE_CONFIG", "HOSTNAME", "HOME", "PATH"} <= names
        assert not names & {"AGENT_SECRET", "LD_PRELOAD", "LD_AUDIT", "PYTHONPATH"}


class TestGroup:
    async def test_child_processes_end_with_the_program(self, tmp_path: Path, instance: Make) -> None:
        program = Program(command=(sys.executable, "-c", FORKS))
        run = await ProcessRuntime({"demo/program": program}, tmp_path).start(instance())
        child = int(await first_line(run))
        await run.kill()
        assert await gone(child)


class TestSweep:
    async def test_kills_processes_of_an_earlier_agent(self, tmp_path: Path, instance: Make) -> None:
        program = Program(command=(sys.executable, "-c", FORKS))
        run = await ProcessRuntime({"demo/program": program}, tmp_path).start(instance())
        child = int(await first_line(run))
        assert await ProcessRuntime({}, tmp_path).sweep() >= 1
        assert await gone(child)
        await run.wait()

    async def test_spares_a_process_with_a_reused_id(self, tmp_path: Path) -> None:
        stranger = f'{{"started": [{{"pid": {os.getpid()}, "created": 12.5, "mark": "none such"}}]}}'
        (tmp_path / "processes.json").write_text(stranger)
        assert await ProcessRuntime({}, tmp_path).sweep() == 0

    async def test_ignores_a_damaged_state_file(self, tmp_path: Path) -> None:
        (tmp_path / "processes.json").write_text("{")
        assert await ProcessRuntime({}, tmp_path).sweep() == 0

    async def test_finds_nothing_after_a_stop(self, process_runtime: ProcessRuntime, instance: Make) -> None:
        run = await process_runtime.start(instance("ends"))
        await run.wait()
        assert await process_runtime.sweep() == 0
