"""The built-in hosting server: the agent as a child process, found again and ended when a crash left it behind."""

import asyncio
import json
import os
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import psutil
import structlog

from standalone.data_folder import write_private

log = structlog.get_logger(__name__)

_STOP_SECONDS = 40.0
_RESTART_SECONDS = 1.0


@dataclass(frozen=True, slots=True)
class ProcessMark:
    """A process for certain: numbers are used again, a number with its start time (Unix seconds) is not."""

    pid: int
    started: float

    @classmethod
    def of(cls, pid: int) -> "ProcessMark | None":
        try:
            process = psutil.Process(pid)
            return None if process.status() == psutil.STATUS_ZOMBIE else cls(pid, process.create_time())
        except psutil.NoSuchProcess:
            return None


class AgentProcess:
    """Runs `python -m mlplace_agent` in a session of its own and starts it again when it ends.

    `folder` keeps the agent's configuration, state and log.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._mark = folder / "process.json"
        self._process: asyncio.subprocess.Process | None = None

    async def end_leftover(self) -> None:
        """End an agent that a crashed platform left running. It stops its instances before it goes."""
        if not self._mark.exists():
            return
        stored = json.loads(self._mark.read_text())
        mark = ProcessMark(stored["pid"], stored["started"])
        if ProcessMark.of(mark.pid) == mark:
            log.warning("leftover_agent_found", pid=mark.pid)
            os.kill(mark.pid, signal.SIGTERM)
            if not await _gone(mark, _STOP_SECONDS):
                os.killpg(mark.pid, signal.SIGKILL)
        self._mark.unlink(missing_ok=True)

    async def run(self) -> None:
        """Until cancelled; then the agent is asked to stop its instances and waited for."""
        try:
            while True:
                code = await self._run_once()
                log.error("agent_ended", exit_code=code)
                await asyncio.sleep(_RESTART_SECONDS)
        finally:
            await asyncio.shield(self._stop())

    async def _run_once(self) -> int:
        with (self._folder / "agent.log").open("ab") as output:
            self._process = await asyncio.create_subprocess_exec(
                sys.executable,
                "-m",
                "mlplace_agent",
                "run",
                "--config",
                str(self._folder / "agent.json"),
                "--die-with-parent",
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                start_new_session=True,
            )
        mark = ProcessMark.of(self._process.pid)
        if mark:
            write_private(self._mark, json.dumps({"pid": mark.pid, "started": mark.started}))
        return await self._process.wait()

    async def _stop(self) -> None:
        process = self._process
        if process is None or process.returncode is not None:
            return
        process.terminate()
        try:
            async with asyncio.timeout(_STOP_SECONDS):
                await process.wait()
        except TimeoutError:
            os.killpg(process.pid, signal.SIGKILL)
            await process.wait()
        self._mark.unlink(missing_ok=True)


async def _gone(mark: ProcessMark, seconds: float) -> bool:
    deadline = asyncio.get_running_loop().time() + seconds
    while asyncio.get_running_loop().time() < deadline:
        if ProcessMark.of(mark.pid) != mark:
            return True
        await asyncio.sleep(0.1)
    return False
