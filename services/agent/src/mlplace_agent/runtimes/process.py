"""Runs instances as plain processes. Only programs that the agent's configuration names can run."""

import asyncio
import contextlib
import os
import shutil
import signal
import sys
import uuid
from collections.abc import Callable, Mapping
from pathlib import Path

from mlplace_agent.capture import Capture
from mlplace_agent.config import Program
from mlplace_agent.environment import host_environment, http_environment, process_environment
from mlplace_agent.listening import bind_address, free_port
from mlplace_agent.runtimes import launcher
from mlplace_agent.runtimes.leftovers import Leftovers, kill_group
from mlplace_agent.runtimes.port import Ended, HttpAddress, RefusedError, Run, Runtime, StartFailedError, ended
from mlplace_contracts.environment import RUN_MARK
from mlplace_contracts.internal.hosting import DesiredInstance

_CHUNK = 64 * 1024
_DRAIN_SECONDS = 2.0


class ProcessRuntime(Runtime):
    """Each instance leads its own session and process group, and is killed when the agent dies."""

    def __init__(self, programs: Mapping[str, Program], state_dir: Path, *, advertised: str | None = None) -> None:
        """`advertised` is the host at which gates on other machines reach ports of this server."""
        self._advertised = advertised
        self._programs = programs
        self._work = state_dir / "work"
        self._leftovers = Leftovers(state_dir / "processes.json")

    async def start(self, instance: DesiredInstance) -> Run:
        program = self._programs.get(instance.image)
        if program is None:
            raise RefusedError(f"this server has no program for the image {instance.image}")
        if instance.command_flags:
            raise RefusedError("a program takes no additional command flags")
        return await self._launch(program, instance)

    async def _launch(self, program: Program, instance: DesiredInstance) -> Run:
        self._work.mkdir(parents=True, exist_ok=True)
        folder = program.cwd or self._work
        base = host_environment()
        if not folder.is_dir() or shutil.which(program.command[0], path=base["PATH"]) is None:
            raise StartFailedError("StartError", f"cannot find {program.command[0]} or its folder on this server")
        mark = uuid.uuid4().hex
        environment = process_environment(instance, allowed=program.environment, base=base, home=str(self._work))
        environment[RUN_MARK] = mark
        http = None
        try:
            if instance.http_port is not None:
                # Programs share the host's ports: each run gets a port of its own and its number.
                bound = bind_address(self._advertised)
                http = HttpAddress(self._advertised or bound, free_port(bound))
                environment.update(http_environment(bound, http.port))
            process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-I", "-S", launcher.__file__, str(os.getpid()), *program.command),
                cwd=folder,
                env=environment,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.STDOUT,
                start_new_session=True,
            )
        except (OSError, ValueError) as error:  # an address that this host does not have, or a NUL in a value
            raise StartFailedError("StartError", f"cannot start {program.command[0]}: {error}") from error
        self._leftovers.note(process.pid, mark)
        return ProcessRun(process, on_end=lambda: self._leftovers.forget(mark), http=http)

    async def sweep(self) -> int:
        return await asyncio.to_thread(self._leftovers.sweep)

    async def close(self) -> None:
        """Does nothing: no resource stays open."""


class ProcessRun(Run):
    def __init__(
        self, process: asyncio.subprocess.Process, *, on_end: Callable[[], None], http: HttpAddress | None = None
    ) -> None:
        self.output = Capture()
        self.http = http
        self._process = process
        self._on_end = on_end
        self._ended: Ended | None = None
        self._watcher = asyncio.create_task(self._watch(), name=f"process-{process.pid}")

    def status(self) -> Ended | None:
        return self._ended

    async def wait(self) -> Ended:
        return await asyncio.shield(self._watcher)

    async def stop(self, *, grace_seconds: float) -> Ended:
        if self._ended is None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGTERM)
        try:
            async with asyncio.timeout(grace_seconds):
                return await self.wait()
        except TimeoutError:
            return await self.kill()

    async def kill(self) -> Ended:
        if self._ended is None:
            kill_group(self._process.pid)
        return await self.wait()

    async def _watch(self) -> Ended:
        reader = asyncio.create_task(self._read_output())
        code = await self._process.wait()
        kill_group(self._process.pid)  # also kills what the program started
        # A child that left the group may hold the pipe open: do not wait for it long.
        await asyncio.wait([reader], timeout=_DRAIN_SECONDS)
        reader.cancel()
        await asyncio.gather(reader, return_exceptions=True)
        self.output.write(b"", final=True)
        self._ended = _from_code(code)
        self._on_end()
        return self._ended

    async def _read_output(self) -> None:
        stream = self._process.stdout
        while stream is not None and (data := await stream.read(_CHUNK)):
            self.output.write(data)


def _from_code(code: int) -> Ended:
    if code >= 0:
        return ended(code)
    return ended(128 - code, message=f"ended by {signal.Signals(-code).name}")
