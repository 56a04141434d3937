"""Supervises one instance on this server: starts, watches, restarts and stops it."""

import asyncio
import base64
from collections.abc import Callable
from datetime import datetime

import structlog

from mlplace_agent.backoff import Backoff
from mlplace_agent.capture import Capture
from mlplace_agent.runtimes.port import Ended, RefusedError, Run, Runtime, RunUse, StartFailedError
from mlplace_contracts.internal.hosting import DesiredInstance, RegistryLogin, ReportedInstance, ReportedPhase
from mlplace_kit.clock import Clock
from mlplace_kit.masking import MASK, masked_text

log = structlog.get_logger(__name__)

_MAX_MESSAGE = 1000
_SECRET_LENGTH = 6  # characters; shorter values may be ordinary words of a message


class RunOutput:
    """The output of one run, and how much of it the platform has received."""

    def __init__(self, restart_count: int, capture: Capture) -> None:
        self.restart_count = restart_count
        self.capture = capture
        self.acknowledged = 0


class Supervisor:
    """Keeps the instance running until `stop`. Calls `changed` whenever the report changes."""

    def __init__(
        self,
        instance: DesiredInstance,
        runtime: Runtime,
        *,
        clock: Clock,
        backoff: Backoff,
        changed: Callable[[], None],
    ) -> None:
        self.instance = instance
        self.outputs: list[RunOutput] = []
        self._runtime = runtime
        self._clock = clock
        self._backoff = backoff
        self._changed = changed
        self._run: Run | None = None
        self._stop = asyncio.Event()
        self._force = asyncio.Event()
        self._grace_seconds = float(instance.stop_grace_seconds)
        self._report = ReportedInstance(
            instance_id=instance.instance_id,
            generation=instance.generation,
            phase=ReportedPhase.STARTING,
            gpu_ids=instance.gpu_ids,
            gpu_memory_mb=instance.gpu_memory_mb,
        )
        self._task = asyncio.create_task(self._supervise(), name=f"instance-{instance.instance_id}")

    @property
    def report(self) -> ReportedInstance:
        return self._report

    @property
    def disk_bytes(self) -> int:
        """What the running instance held on the disk at the last measurement."""
        return self._run.disk_bytes if self._run is not None else 0

    @property
    def mark(self) -> object:
        """Differs between two runs of the instance."""
        return self._run

    async def use(self) -> RunUse | None:
        """Returns what the running instance uses; None while it does not run."""
        return await self._run.use() if self._run is not None else None

    @property
    def done(self) -> bool:
        return self._task.done()

    def stop(self, *, grace_seconds: float, force: bool = False) -> None:
        """Ask the instance to end. A second call with `force` ends the grace period at once."""
        if not self._stop.is_set():
            self._grace_seconds = grace_seconds
        self._stop.set()
        if force:
            self._force.set()

    async def ended(self) -> None:
        await asyncio.shield(self._task)

    async def _supervise(self) -> None:
        while not self._stop.is_set():
            began = self._clock.now()
            run = self._run = await self._start()
            if run is None and self._report.phase is ReportedPhase.REFUSED:
                await self._stop.wait()
                break
            if run is not None and await self._watch(run, began):
                self._run = None
                return
            self._run = None
            await self._rest((self._clock.now() - began).total_seconds())
        if self._report.phase is not ReportedPhase.REFUSED:
            self._change(phase=ReportedPhase.EXITED, finished_at=self._report.finished_at or self._clock.now())

    async def _start(self) -> Run | None:
        self._change(phase=ReportedPhase.STARTING)
        try:
            run = await self._runtime.start(self.instance)
        except RefusedError as error:
            self._finish(Ended(0, "Refused", self._told(error)), phase=ReportedPhase.REFUSED, exited=False)
            return None
        except StartFailedError as error:
            self._finish(Ended(0, error.reason, self._told(error)), phase=ReportedPhase.BACKOFF, exited=False)
            return None
        self.outputs = [*self.outputs[-1:], RunOutput(self._report.restart_count, run.output)]
        http = run.http
        self._change(
            phase=ReportedPhase.RUNNING,
            started_at=self._clock.now(),
            finished_at=None,
            http_host=http.host if http else None,
            http_port=http.port if http else None,
        )
        return run

    async def _watch(self, run: Run, began: datetime) -> bool:
        """Returns True if the run ended because a stop was requested."""
        asked = asyncio.create_task(self._stop.wait())
        over = asyncio.create_task(run.wait())
        try:
            await asyncio.wait([asked, over], return_when=asyncio.FIRST_COMPLETED)
            if asked.done():
                self._change(phase=ReportedPhase.STOPPING)
                self._finish(await self._end(run), phase=ReportedPhase.EXITED)
                return True
            result = over.result()
        finally:
            asked.cancel()
            over.cancel()
        log.info("instance_ended", instance_id=self.instance.instance_id, exit_code=result.exit_code, since=began)
        self._finish(result, phase=ReportedPhase.BACKOFF)
        return False

    async def _end(self, run: Run) -> Ended:
        if self._force.is_set():
            return await run.kill()
        force = asyncio.create_task(self._force.wait())
        stop = asyncio.create_task(run.stop(grace_seconds=self._grace_seconds))
        await asyncio.wait([force, stop], return_when=asyncio.FIRST_COMPLETED)
        force.cancel()
        if not stop.done():
            await run.kill()
        return await stop

    async def _rest(self, run_seconds: float) -> None:
        delay = self._backoff.after(run_seconds)
        try:
            async with asyncio.timeout(delay):
                await self._stop.wait()
        except TimeoutError:
            self._change(restart_count=self._report.restart_count + 1)

    def _finish(self, result: Ended, *, phase: ReportedPhase, exited: bool = True) -> None:
        self._change(
            phase=phase,
            exit_code=result.exit_code if exited else None,
            reason=result.reason,
            message=self._without_secrets(result.message)[:_MAX_MESSAGE] if result.message else None,
            finished_at=self._clock.now(),
            http_host=None,
            http_port=None,
        )

    def _told(self, error: RefusedError | StartFailedError) -> str:
        """Everybody who may read the account sees the message, also where the image is another account's."""
        return error.without_address if self.instance.address_hidden else str(error)

    def _without_secrets(self, message: str) -> str:
        """The engine may repeat variables in a message, and everybody who may read the account sees the message."""
        logins = [self.instance.login, *(mount.login for mount in self.instance.data_mounts)]
        passwords = [login.password for login in logins if login is not None]
        encoded = [_basic(login) for login in logins if login is not None]
        for value in (*passwords, *encoded, *self.instance.service_env.values()):
            if len(value) >= _SECRET_LENGTH:
                message = message.replace(value, MASK)
        return masked_text(message)

    def _change(self, **values: object) -> None:
        self._report = self._report.model_copy(update=values)
        self._changed()


def _basic(login: RegistryLogin) -> str:
    """Returns the credentials as HTTP's basic authentication sends them: a registry may repeat its request."""
    return base64.b64encode(f"{login.username}:{login.password}".encode()).decode()
