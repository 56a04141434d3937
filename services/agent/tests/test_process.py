import asyncio
import os
import sys
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

from mlplace_agent.config import Program
from mlplace_agent.runtimes.leftovers import Leftovers
from mlplace_agent.runtimes.limits import folder_bytes
from mlplace_agent.runtimes.port import RefusedError, StartFailedError
from mlplace_agent.runtimes.process import ProcessRuntime, niceness_of
from mlplace_contracts.environment import RUN_MARK
from mlplace_contracts.internal.hosting import DesiredInstance
from mlplace_testing.waiting import eventually

Make = Callable[..., DesiredInstance]
LEAVES = (
    "import subprocess,time; p=subprocess.Popen(['sleep','300'], start_new_session=True); "
    "print(p.pid,flush=True); time.sleep(300)"
)
HIDES = (
    "import subprocess,sys,time; source='import os,time; kept=[]\\nwhile 1: kept.append(os.urandom(2**20))'; "
    "p=subprocess.Popen([sys.executable,'-c',source], start_new_session=True); print(p.pid,flush=True); time.sleep(300)"
)
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

    async def test_child_processes_that_left_the_group_end_too(self, tmp_path: Path, instance: Make) -> None:
        program = Program(command=(sys.executable, "-c", LEAVES))
        run = await ProcessRuntime({"demo/program": program}, tmp_path).start(instance())
        child = int(await first_line(run))
        await run.kill()
        assert await gone(child)


class TestLimits:
    async def test_memory_of_child_processes_that_left_the_group_counts(self, tmp_path: Path, instance: Make) -> None:
        program = Program(command=(sys.executable, "-c", HIDES))
        run = await ProcessRuntime({"demo/program": program}, tmp_path).start(instance(memory_bytes=128 * 2**20))
        child = int(await first_line(run))
        assert (await run.wait()).reason == "OOMKilled"
        assert await gone(child)

    async def test_only_allocated_gpus_are_visible(self, process_runtime: ProcessRuntime, instance: Make) -> None:
        run = await process_runtime.start(instance("environment", gpu_ids=["GPU-1", "MIG-2"], gpu_memory_mb=8000))
        await run.wait()
        lines = set(run.output.read(0, 100_000)[1].splitlines())
        assert {"CUDA_VISIBLE_DEVICES=GPU-1,MIG-2", "NVIDIA_VISIBLE_DEVICES=GPU-1,MIG-2"} <= lines
        assert "MLP_GPU_MEMORY_MB=8000" in lines

    async def test_a_part_of_a_core_yields_to_whole_cores(
        self, process_runtime: ProcessRuntime, instance: Make
    ) -> None:
        assert [niceness_of(milli) for milli in (8000, 1000, 800, 500, 100, 1)] == [0, 0, 1, 3, 10, 10]
        run = await process_runtime.start(instance("niceness", milli_cpu=500))
        await run.wait()
        assert run.output.read(0, 100)[1] == f"nice={os.nice(0) + 3}\n"

    async def test_the_folder_of_a_run_is_removed_at_its_end(
        self, process_runtime: ProcessRuntime, instance: Make, tmp_path: Path
    ) -> None:
        run = await process_runtime.start(instance("disk"))
        assert list((tmp_path / "work").iterdir())
        await run.kill()
        assert not list((tmp_path / "work").iterdir())

    def test_empty_files_links_and_folders_count(self, tmp_path: Path) -> None:
        for number in range(100):
            (tmp_path / str(number)).touch()
        assert folder_bytes(tmp_path) == 100 * 4096
        os.link(tmp_path / "0", tmp_path / "hard")
        (tmp_path / "soft").symlink_to("/")
        (tmp_path / "folder").mkdir()
        assert folder_bytes(tmp_path) == 102 * 4096
        assert folder_bytes(tmp_path, enough=5000) == 2 * 4096


class TestSweep:
    async def test_an_announced_run_is_found_by_its_mark(self, tmp_path: Path) -> None:
        leftovers = Leftovers(tmp_path / "processes.json")
        leftovers.announce("a mark")
        process = await asyncio.create_subprocess_exec("sleep", "300", env={RUN_MARK: "a mark"}, start_new_session=True)
        assert Leftovers(tmp_path / "processes.json").remove_leftovers() == 1
        assert await process.wait() == -9

    async def test_kills_processes_of_an_earlier_agent(self, tmp_path: Path, instance: Make) -> None:
        program = Program(command=(sys.executable, "-c", FORKS))
        run = await ProcessRuntime({"demo/program": program}, tmp_path).start(instance())
        child = int(await first_line(run))
        assert await ProcessRuntime({}, tmp_path).remove_leftovers() >= 1
        assert await gone(child)
        await run.wait()

    async def test_spares_a_process_with_a_reused_id(self, tmp_path: Path) -> None:
        stranger = f'{{"started": [{{"pid": {os.getpid()}, "created": 12.5, "mark": "none such"}}]}}'
        (tmp_path / "processes.json").write_text(stranger)
        assert await ProcessRuntime({}, tmp_path).remove_leftovers() == 0

    async def test_ignores_a_damaged_state_file(self, tmp_path: Path) -> None:
        (tmp_path / "processes.json").write_text("{")
        assert await ProcessRuntime({}, tmp_path).remove_leftovers() == 0

    async def test_finds_nothing_after_a_stop(self, process_runtime: ProcessRuntime, instance: Make) -> None:
        run = await process_runtime.start(instance("ends"))
        await run.wait()
        assert await process_runtime.remove_leftovers() == 0
