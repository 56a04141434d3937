"""One run of an instance as a container."""

import asyncio
import threading
from collections.abc import Callable

import docker.errors
import requests.exceptions
from docker.models.containers import Container

from mlplace_agent.capture import Capture
from mlplace_agent.runtimes.container_disk import disk_use
from mlplace_agent.runtimes.container_use import use_of_container
from mlplace_agent.runtimes.limits import DiskWatch, memory_exceeded
from mlplace_agent.runtimes.port import KILLED, Ended, HttpAddress, Run, RunUse, ended
from mlplace_contracts.internal.hosting import DesiredInstance

_POLL_SECONDS = 0.5
_LATE_CAUSE_LOOKS = 4
"""The engine learns of a lack of memory beside the end of the process, on a busy machine after it."""


class DockerRun(Run):
    def __init__(
        self,
        container: Container,
        instance: DesiredInstance,
        *,
        disk: DiskWatch,
        on_end: Callable[[], None],
        http: HttpAddress | None = None,
    ) -> None:
        self.output = Capture()
        self.http = http
        self._container = container
        self._memory_bytes = instance.memory_bytes
        self._on_end = on_end
        self._broken: Ended | None = None
        self._killed = False
        self._ended: Ended | None = None
        self._loop = asyncio.get_running_loop()
        self._output_ended = asyncio.Event()
        threading.Thread(target=self._follow, name=f"logs-{container.short_id}", daemon=True).start()
        measuring = disk.follow(
            lambda: disk_use(container), limit=instance.disk_bytes, note=self._note_disk, end=self._break_off
        )
        self._disk = asyncio.create_task(measuring, name=f"disk-{container.short_id}")
        self._watcher = asyncio.create_task(self._watch(), name=f"container-{container.short_id}")

    def _note_disk(self, used: int) -> None:
        self.disk_bytes = used

    async def _break_off(self, how: Ended) -> None:
        """Kill the run, which exceeded a limit."""
        if self._ended is None:
            self._broken = how
            await self._signal("SIGKILL")

    def status(self) -> Ended | None:
        return self._ended

    async def wait(self) -> Ended:
        return await asyncio.shield(self._watcher)

    async def stop(self, *, grace_seconds: float) -> Ended:
        await self._signal("SIGTERM")
        try:
            async with asyncio.timeout(grace_seconds):
                return await self.wait()
        except TimeoutError:
            return await self.kill()

    async def kill(self) -> Ended:
        await self._signal("SIGKILL")
        return await self.wait()

    async def use(self) -> RunUse | None:
        return await asyncio.to_thread(use_of_container, self._container) if self._ended is None else None

    async def _signal(self, name: str) -> None:
        if self._ended is None:
            self._killed = self._killed or name == "SIGKILL"
            await asyncio.to_thread(quietly, lambda: self._container.kill(signal=name))

    async def _watch(self) -> Ended:
        while (state := await asyncio.to_thread(self._state)) is None:  # noqa: ASYNC110  the engine has no event to await
            await asyncio.sleep(_POLL_SECONDS)
        state = await self._with_cause(state)
        try:
            async with asyncio.timeout(2 * _POLL_SECONDS):
                await self._output_ended.wait()
        except TimeoutError:
            pass
        self._disk.cancel()
        await asyncio.gather(self._disk, return_exceptions=True)
        await asyncio.to_thread(quietly, lambda: self._container.remove(force=True, v=True))
        self._on_end()
        self.disk_bytes = 0
        self.output.write(b"", final=True)
        self._ended = self._broken or state
        return self._ended

    async def _with_cause(self, state: Ended) -> Ended:
        """Waits up to two seconds for the reason why the system has killed the run."""
        for _ in range(_LATE_CAUSE_LOOKS):
            if state.exit_code != KILLED or state.message or self._killed:
                break
            await asyncio.sleep(_POLL_SECONDS)
            state = await asyncio.to_thread(self._state) or state
        return state

    def _state(self) -> Ended | None:
        try:
            self._container.reload()
        except docker.errors.NotFound:
            return ended(137, message="the container was removed")
        except (docker.errors.DockerException, requests.exceptions.RequestException):
            return None  # the engine does not answer; the container may still run
        state = self._container.attrs["State"]
        if state.get("Status") not in {"exited", "dead"}:
            return None
        code = int(state["ExitCode"])
        if state.get("OOMKilled") and code != 0:  # a helper may have been killed, and the program has ended well
            return memory_exceeded(limit=self._memory_bytes, exit_code=code)
        return ended(code, message=state.get("Error") or None)

    def _follow(self) -> None:
        try:
            for piece in self._container.logs(stream=True, follow=True):
                self._loop.call_soon_threadsafe(self.output.write, piece)
            self._loop.call_soon_threadsafe(self._output_ended.set)
        except (docker.errors.DockerException, requests.exceptions.RequestException, OSError, RuntimeError):
            return  # the engine went away, or the agent is closing its loop


def quietly(work: Callable[[], object]) -> None:
    """Run `work` and ignore the engine's errors, such as a container that is gone already."""
    try:
        work()
    except (docker.errors.DockerException, requests.exceptions.RequestException):
        return
