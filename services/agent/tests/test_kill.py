"""The agent as a separate process: enrolment, orderly stops and kills."""

import asyncio
import json
import signal
import subprocess
import sys
from collections.abc import Callable, Generator
from pathlib import Path

import psutil
import pytest

from mlplace_agent.config import Program
from mlplace_contracts.internal.hosting import DesiredInstance
from mlplace_testing.hosting_twin import TOKEN, PlatformTwin
from mlplace_testing.waiting import eventually

Make = Callable[..., DesiredInstance]
FORKS = "import subprocess,time; p=subprocess.Popen(['sleep','300']); print(p.pid,flush=True); time.sleep(300)"


@pytest.fixture
def twin() -> PlatformTwin:
    return PlatformTwin()


@pytest.fixture
def url(twin: PlatformTwin) -> Generator[str]:
    with twin.listening() as address:
        yield address


class Started:
    """The agents of one test. All are killed at its end."""

    def __init__(self, url: str, folder: Path) -> None:
        self.config: dict[str, object] = {
            "platform_url": url,
            "state_dir": str(folder / "state"),
            "enrolment_token": TOKEN,
            "heartbeat_seconds": 0.1,
            "shutdown_grace_seconds": 2,
        }
        self.folder = folder
        self.processes: list[subprocess.Popen[bytes]] = []

    def agent(self) -> subprocess.Popen[bytes]:
        process = subprocess.Popen(self.command(), stderr=subprocess.DEVNULL)
        self.processes.append(process)
        return process

    def parent_of_agent(self) -> subprocess.Popen[bytes]:
        source = f"import os, subprocess; subprocess.run([*{self.command()!r}, '--die-with-parent', str(os.getpid())])"
        process = subprocess.Popen([sys.executable, "-c", source], stderr=subprocess.DEVNULL)
        self.processes.append(process)
        return process

    def command(self) -> list[str]:
        path = self.folder / "agent.json"
        path.write_text(json.dumps(self.config))
        return [sys.executable, "-m", "mlplace_agent", "run", "--config", str(path)]


@pytest.fixture
def started(url: str, tmp_path: Path, program: Program) -> Generator[Started]:
    made = Started(url, tmp_path)
    made.config["programs"] = {
        "demo/program": program.model_dump(mode="json"),
        "demo/forks": {"command": [sys.executable, "-c", FORKS]},
    }
    yield made
    for process in made.processes:
        process.kill()
        process.wait()


async def child_of(twin: PlatformTwin) -> int:
    async def text() -> str:
        return twin.text()

    return int((await eventually(text, until=lambda t: "\n" in t)).split("\n")[0])


async def gone(pid: int) -> None:
    async def dead() -> bool:
        try:
            return psutil.Process(pid).status() == psutil.STATUS_ZOMBIE
        except psutil.NoSuchProcess:
            return True

    await eventually(dead)


async def ended(process: subprocess.Popen[bytes]) -> int:
    return await asyncio.to_thread(process.wait, 15)


class TestEnrolment:
    async def test_enrols_once_and_stores_the_credentials(self, twin: PlatformTwin, started: Started) -> None:
        first = started.agent()
        await eventually(lambda: _beats(twin))
        first.terminate()
        assert await ended(first) == 0
        beats = len(twin.beats)
        assert twin.token is None
        started.agent()
        await eventually(lambda: _beats(twin), until=lambda n: n > beats)

    async def test_a_used_token_gives_a_clear_error(self, twin: PlatformTwin, started: Started) -> None:
        twin.token = None
        result = await asyncio.to_thread(
            subprocess.run, started.command(), capture_output=True, timeout=60, check=False
        )
        assert result.returncode == 2
        assert b"token was used" in result.stderr

    async def test_retries_until_the_platform_is_available(self, twin: PlatformTwin, started: Started) -> None:
        twin.away = True
        started.agent()
        await asyncio.sleep(0)
        twin.away = False
        await eventually(lambda: _beats(twin))


class TestStop:
    async def test_sigterm_stops_instances_gracefully(
        self, twin: PlatformTwin, started: Started, instance: Make
    ) -> None:
        twin.desired = [instance()]
        agent = started.agent()
        await eventually(lambda: _text(twin), until=lambda t: "ready" in t)
        agent.send_signal(signal.SIGTERM)
        assert await ended(agent) == 0
        assert "goodbye" in twin.text()

    async def test_a_killed_agents_instance_dies_and_the_next_agent_kills_leftovers(
        self, twin: PlatformTwin, started: Started, instance: Make
    ) -> None:
        twin.desired = [instance(image="demo/forks")]
        agent = started.agent()
        child = await child_of(twin)
        leader = psutil.Process(child).ppid()
        agent.kill()
        await ended(agent)
        await gone(leader)
        assert psutil.pid_exists(child)
        twin.desired = []
        started.agent()
        await gone(child)

    async def test_an_agent_with_die_with_parent_stops_when_the_parent_dies(
        self, twin: PlatformTwin, started: Started, instance: Make
    ) -> None:
        twin.desired = [instance(image="demo/forks")]
        parent = started.parent_of_agent()
        child = await child_of(twin)
        agent = psutil.Process(parent.pid).children()[0].pid
        parent.kill()
        await gone(agent)
        await gone(child)

    async def test_an_agent_stops_if_the_parent_dies_while_it_loads(self, twin: PlatformTwin, started: Started) -> None:
        command = [*started.command(), "--die-with-parent"]
        source = (
            "import os, subprocess; "
            f"print(subprocess.Popen([*{command!r}, str(os.getpid())], stdout=subprocess.DEVNULL).pid)"
        )
        done = await asyncio.to_thread(
            subprocess.run,
            [sys.executable, "-c", source],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            check=True,
        )
        await gone(int(done.stdout))
        assert not twin.beats


async def _beats(twin: PlatformTwin) -> int:
    return len(twin.beats)


async def _text(twin: PlatformTwin) -> str:
    return twin.text()
