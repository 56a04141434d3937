"""Runs instances as plain processes. Only programs that the agent's configuration names can run."""

import asyncio
import contextlib
import math
import os
import shutil
import signal
import sys
import uuid
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import BinaryIO, cast

from mlplace_agent.capture import Capture
from mlplace_agent.config import Program
from mlplace_agent.environment import host_environment, http_environment, process_environment
from mlplace_agent.listening import bind_address, free_port
from mlplace_agent.runtimes import launcher
from mlplace_agent.runtimes.leftovers import Leftovers, kill_group, kill_marked
from mlplace_agent.runtimes.limits import DiskWatch, folder_bytes
from mlplace_agent.runtimes.port import Ended, HttpAddress, RefusedError, Run, Runtime, RunUse, StartFailedError, ended
from mlplace_agent.runtimes.process_memory import MemoryWatch, Watched
from mlplace_agent.runtimes.process_use import use_of_session
from mlplace_contracts.environment import RUN_MARK
from mlplace_contracts.internal.hosting import DesiredInstance

_CHUNK = 64 * 1024
_DRAIN_SECONDS = 2.0
_MOST_NICE = 10


class ProcessRuntime(Runtime):
    """Each instance leads its own session and process group, and is killed when the agent dies.

    Each run has a folder of its own, which is removed at its end. Memory and disk are measured, and a run that exceeds
    a limit is killed. These limits bind programs that the server's owner has chosen; they are no sandbox.
    """

    def __init__(self, programs: Mapping[str, Program], state_dir: Path, *, advertised: str | None = None) -> None:
        """`advertised` is the host at which gates on other machines reach ports of this server."""
        self._advertised = advertised
        self._programs = programs
        self._work = state_dir / "work"
        self._leftovers = Leftovers(state_dir / "processes.json")
        self._memory = MemoryWatch()
        self._disk = DiskWatch()

    async def start(self, instance: DesiredInstance) -> Run:
        program = self._programs.get(instance.image)
        if program is None:
            text = "this server has no program for the image"
            raise RefusedError(f"{text} {instance.image}", without_address=text)
        if instance.command_flags:
            raise RefusedError("a program takes no additional command flags")
        if instance.data_mounts:
            raise RefusedError(
                "this server runs the image as a program, which cannot mount data images: use a server with Docker"
            )
        base = host_environment()
        folder_is_missing = program.cwd is not None and not program.cwd.is_dir()
        if folder_is_missing or shutil.which(program.command[0], path=base["PATH"]) is None:
            raise StartFailedError("StartError", f"cannot find {program.command[0]} or its folder on this server")
        return await self._launch(program, instance, base)

    async def _launch(self, program: Program, instance: DesiredInstance, base: Mapping[str, str]) -> Run:
        mark = uuid.uuid4().hex
        folder = self._work / f"{instance.instance_id}-{mark[:8]}"
        temporary = folder / "tmp"
        environment = process_environment(
            instance, allowed=program.environment, base=base, home=str(folder), temporary=str(temporary)
        )
        environment[RUN_MARK] = mark
        http = None
        try:
            temporary.mkdir(parents=True)
            if instance.http_port is not None:
                # Programs share the host's ports: each run gets a port of its own and its number.
                bound = bind_address(self._advertised)
                http = HttpAddress(self._advertised or bound, free_port(bound))
                environment.update(http_environment(bound, http.port))
            self._leftovers.announce(mark)
            niceness = str(niceness_of(instance.milli_cpu))
            command = (sys.executable, "-I", "-S", launcher.__file__, str(os.getpid()), niceness, *program.command)
            process, output = await _started(command, cwd=program.cwd or folder, environment=environment)
        except (OSError, ValueError) as error:  # an address that this host does not have, or a NUL in a value
            self._leftovers.forget(mark)
            await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)
            raise StartFailedError("StartError", f"cannot start {program.command[0]}: {error}") from error
        self._leftovers.note(process.pid, mark)
        run = ProcessRun(process, output, mark=mark, folder=folder, on_end=lambda: self._forget(mark), http=http)
        self._memory.add(mark, Watched(process.pid, instance.memory_bytes, run.break_off))
        run.watch_disk(self._disk, limit=instance.disk_bytes)
        return run

    def _forget(self, mark: str) -> None:
        self._memory.remove(mark)
        self._leftovers.forget(mark)

    async def remove_leftovers(self) -> int:
        return await asyncio.to_thread(self._remove_leftovers)

    def _remove_leftovers(self) -> int:
        killed = self._leftovers.remove_leftovers()
        shutil.rmtree(self._work, ignore_errors=True)
        return killed

    async def close(self) -> None:
        await self._memory.close()
        self._disk.close()


def niceness_of(milli_cpu: int) -> int:
    """Returns the niceness that gives a guaranteed core the weight of any other process of the machine, and a part of
    a core that part of it: each step divides the weight by 1.25. At most 10, so that no instance waits for long.
    """
    return max(0, min(round(math.log(1000 / milli_cpu, 1.25)), _MOST_NICE))


class ProcessRun(Run):
    def __init__(
        self,
        process: asyncio.subprocess.Process,
        output: BinaryIO,
        *,
        mark: str,
        folder: Path,
        on_end: Callable[[], None],
        http: HttpAddress | None = None,
    ) -> None:
        self.output = Capture()
        self.http = http
        self._process = process
        self._pipe = output
        self._mark = mark
        self._folder = folder
        self._on_end = on_end
        self._broken: Ended | None = None
        self._ended: Ended | None = None
        self._disk: asyncio.Task[None] | None = None
        self._watcher = asyncio.create_task(self._watch(), name=f"process-{process.pid}")

    def watch_disk(self, watch: DiskWatch, *, limit: int | None) -> None:
        def note(used: int) -> None:
            self.disk_bytes = used

        async def end(how: Ended) -> None:
            self.break_off(how)

        enough = None if limit is None else 4 * limit  # the message says how far the limit was exceeded
        measuring = watch.follow(lambda: folder_bytes(self._folder, enough=enough), limit=limit, note=note, end=end)
        self._disk = asyncio.create_task(measuring, name=f"disk-{self._process.pid}")

    def break_off(self, how: Ended) -> None:
        """Kill the run, which exceeded a limit. The first reason counts."""
        if self._ended is None:
            self._broken = self._broken or how
            kill_group(self._process.pid)

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

    async def use(self) -> RunUse | None:
        return await asyncio.to_thread(use_of_session, self._process.pid) if self._ended is None else None

    async def _watch(self) -> Ended:
        reader = asyncio.create_task(self._read_output())
        code = await self._process.wait()
        kill_group(self._process.pid)  # also kills what the program started
        await asyncio.to_thread(kill_marked, {self._mark})  # and what left the group
        await asyncio.wait([reader], timeout=_DRAIN_SECONDS)
        tasks = [task for task in (reader, self._disk) if task is not None]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await asyncio.to_thread(shutil.rmtree, self._folder, ignore_errors=True)
        self.disk_bytes = 0
        self.output.write(b"", final=True)
        self._ended = self._broken or _from_code(code)
        self._on_end()
        return self._ended

    async def _read_output(self) -> None:
        stream = asyncio.StreamReader()
        loop = asyncio.get_running_loop()
        transport, _ = await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(stream), self._pipe)
        try:
            while data := await stream.read(_CHUNK):
                self.output.write(data)
        finally:
            transport.close()


async def _started(
    command: Sequence[str], *, cwd: Path, environment: Mapping[str, str]
) -> tuple[asyncio.subprocess.Process, BinaryIO]:
    """Returns the process, and the end of the pipe from which its output is read.

    With a pipe of asyncio's own, its `wait` would last until also each child of the process has closed its output.
    """
    reading, writing = os.pipe()
    try:
        process = await asyncio.create_subprocess_exec(
            *command,
            cwd=cwd,
            env=environment,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=writing,
            stderr=asyncio.subprocess.STDOUT,
            start_new_session=True,
        )
    except BaseException:
        os.close(reading)
        raise
    finally:
        os.close(writing)
    return process, cast("BinaryIO", os.fdopen(reading, "rb", buffering=0))


def _from_code(code: int) -> Ended:
    if code >= 0:
        return ended(code)
    return ended(128 - code, message=f"ended by {signal.Signals(-code).name}")
