"""The agent as a child of the platform: logs of its end, and which leftover processes a new start ends."""

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections.abc import Generator
from pathlib import Path

import psutil
import pytest
from structlog.testing import capture_logs

from mlplace_runtime.process_identity import ProcessIdentity
from mlplace_runtime.tasks import ended
from standalone.agent_process import AgentProcess

_AGENT = "import sys, time; time.sleep(600)"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The folder of an agent whose platform never answers."""
    configuration = {"platform_url": "http://127.0.0.1:9", "state_dir": str(tmp_path / "state"), "enrolment_token": "x"}
    (tmp_path / "agent.json").write_text(json.dumps(configuration))
    return tmp_path


async def _pid(folder: Path, after: int | None = None) -> int:
    async with asyncio.timeout(60):
        while True:
            try:
                pid = int(json.loads((folder / "process.json").read_text())["pid"])
                if pid != after:
                    return pid
            except FileNotFoundError:
                pass
            await asyncio.sleep(0.02)


class TestRestart:
    async def test_logs_the_signal_of_a_killed_agent_and_restarts_it(self, folder: Path) -> None:
        with capture_logs() as logs:
            running = asyncio.create_task(AgentProcess(folder).run())
            first = await _pid(folder)
            os.kill(first, signal.SIGKILL)
            assert ProcessIdentity.of(await _pid(folder, after=first))
            await ended(running)
        assert [(entry["event"], entry.get("signal")) for entry in logs] == [("agent_killed", "SIGKILL")]

    async def test_logs_the_exit_code_of_an_agent_that_ends(self, folder: Path) -> None:
        (folder / "agent.json").write_text("{}")
        with capture_logs() as logs:
            running = asyncio.create_task(AgentProcess(folder).run())
            await _pid(folder, after=await _pid(folder))
            await ended(running)
        assert (logs[0]["event"], logs[0]["exit_code"]) == ("agent_ended", 2)
        assert "not a valid configuration" in (folder / "agent.log").read_text()


@pytest.fixture
def like_an_agent(folder: Path) -> Generator["subprocess.Popen[bytes]"]:
    """A process with the command line of this folder's agent."""
    command = [sys.executable, "-c", _AGENT, "-m", "mlplace_agent", "--config", str(folder / "agent.json")]
    process = subprocess.Popen(command, start_new_session=True)
    yield process
    process.kill()
    process.wait()


@pytest.fixture
def stranger() -> Generator["subprocess.Popen[bytes]"]:
    process = subprocess.Popen([sys.executable, "-c", _AGENT], start_new_session=True)
    yield process
    process.kill()
    process.wait()


def _note(folder: Path, pid: int, **differently: object) -> None:
    identity = ProcessIdentity.of(pid)
    assert identity
    mark = {"pid": pid, "started": identity.started, "boot": identity.boot, **differently}
    (folder / "process.json").write_text(json.dumps(mark))


class TestLeftover:
    async def test_leftover_agent_is_stopped(self, folder: Path, like_an_agent: "subprocess.Popen[bytes]") -> None:
        _note(folder, like_an_agent.pid)
        await asyncio.gather(AgentProcess(folder).end_leftover(), asyncio.to_thread(like_an_agent.wait, 30))
        assert like_an_agent.returncode == -signal.SIGTERM

    async def test_reads_the_mark_of_an_earlier_version(
        self, folder: Path, like_an_agent: "subprocess.Popen[bytes]"
    ) -> None:
        started = psutil.Process(like_an_agent.pid).create_time()
        (folder / "process.json").write_text(json.dumps({"pid": like_an_agent.pid, "started": started}))
        await asyncio.gather(AgentProcess(folder).end_leftover(), asyncio.to_thread(like_an_agent.wait, 30))
        assert like_an_agent.returncode == -signal.SIGTERM

    @pytest.mark.parametrize("differently", [{"started": 1.0}, {"boot": "another"}, {"boot": None}])
    async def test_spares_a_process_with_another_start_time(
        self, folder: Path, like_an_agent: "subprocess.Popen[bytes]", differently: dict[str, object]
    ) -> None:
        _note(folder, like_an_agent.pid, **differently)
        await AgentProcess(folder).end_leftover()
        assert like_an_agent.poll() is None

    async def test_spares_a_process_of_another_program(self, folder: Path, stranger: "subprocess.Popen[bytes]") -> None:
        _note(folder, stranger.pid)
        await AgentProcess(folder).end_leftover()
        assert stranger.poll() is None

    @pytest.mark.parametrize("text", ["", "{", '{"pid": "x"}'])
    async def test_ignores_a_damaged_mark(self, folder: Path, text: str) -> None:
        (folder / "process.json").write_text(text)
        await AgentProcess(folder).end_leftover()
        assert not (folder / "process.json").exists()
