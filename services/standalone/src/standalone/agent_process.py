"""The built-in hosting server: runs the agent as a child process and ends one that a crash left running."""

import asyncio
import os
import signal
import subprocess
import sys
from pathlib import Path

import psutil
import structlog
from pydantic import BaseModel, ConfigDict, ValidationError

from mlplace_agent.log_file import LogPlace
from mlplace_runtime.private_files import write_private
from mlplace_runtime.process_identity import ProcessIdentity

log = structlog.get_logger(__name__)

_STOP_SECONDS = 40.0
_RESTART_SECONDS = 1.0


class _Mark(BaseModel):
    """Identifies the started process. Earlier versions wrote no `boot`; their `started` is in Unix seconds."""

    model_config = ConfigDict(frozen=True)

    pid: int
    started: float
    boot: str | None = None


class AgentProcess:
    """Runs `python -P -m mlplace_agent` in its own session and restarts it when it ends.

    `folder` holds the agent's configuration, state and log.
    """

    def __init__(self, folder: Path, *, log_megabytes: float = 10.0, log_files: int = 3) -> None:
        self._folder = folder
        self._configuration = folder / "agent.json"
        self._log = LogPlace(folder / "agent.log", megabytes=log_megabytes, files=log_files)
        self._mark = folder / "process.json"
        self._process: asyncio.subprocess.Process | None = None

    @property
    def log_options(self) -> dict[str, object]:
        """The log options of the agent's configuration."""
        place = self._log
        return {"log_file": str(place.path), "log_megabytes": place.megabytes, "log_files": place.files}

    async def end_leftover(self) -> None:
        """End an agent that a crashed platform left running. The agent stops its instances first."""
        agent = self._leftover()
        if agent:
            log.warning("leftover_agent_found", pid=agent.pid)
            os.kill(agent.pid, signal.SIGTERM)
            if not await _gone(agent, _STOP_SECONDS):
                os.killpg(agent.pid, signal.SIGKILL)
        self._mark.unlink(missing_ok=True)

    def _leftover(self) -> ProcessIdentity | None:
        """Identified by process id, start time, program and configuration file; None if one of them differs."""
        try:
            mark = _Mark.model_validate_json(self._mark.read_bytes())
        except (FileNotFoundError, ValidationError):
            return None
        found = ProcessIdentity.of(mark.pid)
        if found is None or not self._is_agent(mark.pid):
            return None
        if mark.boot is None:
            return found if abs(_created(mark.pid) - mark.started) < 1 else None
        return found if (found.started, found.boot) == (mark.started, mark.boot) else None

    def _is_agent(self, pid: int) -> bool:
        try:
            command = psutil.Process(pid).cmdline()
        except psutil.Error:
            return False
        return "mlplace_agent" in command and str(self._configuration) in command

    async def run(self) -> None:
        """Runs until cancelled, then stops the agent, which stops its instances."""
        try:
            while True:
                code = await self._run_once()
                if code < 0:
                    log.error("agent_killed", signal=signal.Signals(-code).name)
                else:
                    log.error("agent_ended", exit_code=code)
                await asyncio.sleep(_RESTART_SECONDS)
        finally:
            await asyncio.shield(self._stop())

    async def _run_once(self) -> int:
        self._log.rotate()
        with self._log.path.open("ab") as output:
            self._process = await asyncio.create_subprocess_exec(
                sys.executable,
                "-P",  # do not import modules from the folder in which the user starts the platform
                "-m",
                "mlplace_agent",
                "run",
                "--config",
                str(self._configuration),
                "--die-with-parent",
                str(os.getpid()),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                start_new_session=True,
            )
        started = ProcessIdentity.of(self._process.pid)
        if started:
            mark = _Mark(pid=started.pid, started=started.started, boot=started.boot)
            write_private(self._mark, mark.model_dump_json())
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


async def _gone(agent: ProcessIdentity, seconds: float) -> bool:
    deadline = asyncio.get_running_loop().time() + seconds
    while asyncio.get_running_loop().time() < deadline:
        if not agent.is_alive:
            return True
        await asyncio.sleep(0.1)
    return False


def _created(pid: int) -> float:
    try:
        return psutil.Process(pid).create_time()
    except psutil.NoSuchProcess:
        return 0.0
