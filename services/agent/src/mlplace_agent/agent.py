"""The agent's main loop: report what runs here, receive the desired state, and apply it."""

import asyncio
from collections.abc import Iterable

import structlog

from mlplace_agent import __version__
from mlplace_agent.backoff import Backoff
from mlplace_agent.identity import Credentials
from mlplace_agent.meter import ServerMeter
from mlplace_agent.platform import NotWelcomeError, Platform, PlatformAwayError
from mlplace_agent.runtimes.port import Runtime
from mlplace_agent.samples import Sampler
from mlplace_agent.supervisor import Supervisor
from mlplace_contracts.internal.hosting import (
    DesiredInstance,
    DesiredState,
    Heartbeat,
    LogChunk,
    ReportedInstance,
    ReportedPhase,
)
from mlplace_kit.clock import Clock

log = structlog.get_logger(__name__)

_CHUNK_BYTES = 48 * 1024
_BEAT_LOG_BYTES = 128 * 1024  # escaping makes it up to six times larger, which still fits a heartbeat
_SHORTEST_PAUSE = 0.1
_LONGEST_PAUSE = 10.0
_LAST_WORD_SECONDS = 3.0
_UNWELCOME_SECONDS = 60.0


class Agent:
    """`timeout_seconds`: how long the platform must refuse before the agent stops all instances and gives up.

    `failures` counts failed heartbeats since the last successful one.
    """

    def __init__(
        self,
        *,
        platform: Platform,
        credentials: Credentials,
        runtime: Runtime,
        clock: Clock,
        heartbeat_seconds: float,
        meter: ServerMeter,
        sampler: Sampler | None = None,
        first_backoff: float = 1.0,
        timeout_seconds: float = _UNWELCOME_SECONDS,
    ) -> None:
        self._platform = platform
        self._credentials = credentials
        self._runtime = runtime
        self._clock = clock
        self._pause = heartbeat_seconds
        self._meter = meter
        self._sampler = sampler or Sampler(meter)
        self._first_backoff = first_backoff
        self._timeout_seconds = timeout_seconds
        self._supervisors: dict[int, Supervisor] = {}
        self._gone: dict[int, ReportedInstance] = {}
        self._changed = asyncio.Event()
        self.failures = 0

    async def run(self) -> None:
        """Runs until cancelled.

        Raises NotWelcomeError when the platform has refused this server for `timeout_seconds`.
        """
        refused_since: float | None = None
        now = asyncio.get_running_loop().time
        while True:
            self._changed.clear()
            try:
                await self.beat()
                refused_since, self.failures = None, 0
            except PlatformAwayError as error:
                self.failures += 1
                log.warning("platform_unreachable", error=str(error), failures=self.failures)
            except NotWelcomeError as error:
                self.failures += 1
                refused_since = refused_since if refused_since is not None else now()
                log.warning("platform_refused", error=str(error))
                if now() - refused_since >= self._timeout_seconds:
                    raise
            await self._rest()

    async def sample(self) -> None:
        """Takes samples until cancelled. The next heartbeats carry them."""
        while True:
            await self._sampler.take(dict(self._supervisors))
            await asyncio.sleep(self._sampler.seconds)

    async def _rest(self) -> None:
        if self.failures:
            await asyncio.sleep(min(self._pause * 2 ** min(self.failures, 6), _LONGEST_PAUSE))
            return
        try:
            async with asyncio.timeout(self._pause):
                await self._changed.wait()
            # Simultaneous changes go into one heartbeat.
            await asyncio.sleep(min(_SHORTEST_PAUSE, self._pause))
        except TimeoutError:
            pass

    async def beat(self) -> None:
        """Send one heartbeat. Raises PlatformAwayError or NotWelcomeError; instances keep running in both cases."""
        heartbeat = self._heartbeat()
        state = await self._platform.beat(self._credentials, heartbeat)
        self._acknowledge(heartbeat.logs)
        self._sampler.acknowledge(heartbeat.samples)
        self._pause = max(state.heartbeat_seconds, 0.05)
        self._reconcile(state)

    async def shut_down(self, *, grace_seconds: float) -> None:
        """Stop every instance, then report that to the platform if it answers in time."""
        for supervisor in self._supervisors.values():
            supervisor.stop(grace_seconds=grace_seconds)
        await asyncio.gather(*(supervisor.ended() for supervisor in self._supervisors.values()))
        try:
            async with asyncio.timeout(_LAST_WORD_SECONDS):
                await self._platform.beat(self._credentials, self._heartbeat())
        except (PlatformAwayError, NotWelcomeError, TimeoutError):
            log.info("goodbye_failed")

    # --- towards the platform -------------------------------------------------------------------------------------

    def _heartbeat(self) -> Heartbeat:
        reports = {**self._gone, **{key: s.report for key, s in self._supervisors.items()}}
        return Heartbeat(
            agent_version=__version__,
            capacity=self._meter.read(held_disk_bytes=sum(s.disk_bytes for s in self._supervisors.values())),
            instances=tuple(reports.values()),
            logs=tuple(self._fresh_output()),
            samples=self._sampler.pending(),
            knows_kept=True,
            knows_mounts=True,
            runs_containers=self._runtime.runs_containers,
            programs=self._runtime.programs,
        )

    def _fresh_output(self) -> Iterable[LogChunk]:
        left = _BEAT_LOG_BYTES
        for key, supervisor in self._supervisors.items():
            for output in supervisor.outputs:
                offset, text = output.capture.read(output.acknowledged, min(_CHUNK_BYTES, left))
                if text:
                    left -= len(text.encode())
                    yield LogChunk(
                        instance_id=key,
                        generation=supervisor.instance.generation,
                        restart_count=output.restart_count,
                        offset=offset,
                        text=text,
                    )

    def _acknowledge(self, chunks: Iterable[LogChunk]) -> None:
        for chunk in chunks:
            supervisor = self._supervisors.get(chunk.instance_id)
            for output in supervisor.outputs if supervisor else ():
                if output.restart_count == chunk.restart_count:
                    output.acknowledged = chunk.offset + len(chunk.text.encode())

    # --- towards the instances ------------------------------------------------------------------------------------

    def _reconcile(self, state: DesiredState) -> None:
        desired = {instance.instance_id: instance for instance in state.instances}
        for key in self._supervisors.keys() - desired.keys() - set(state.kept):
            self._retire(key, grace_seconds=30.0)
        self._gone = {key: report for key, report in self._gone.items() if key in desired}
        for instance in desired.values():
            self._apply(instance)

    def _apply(self, instance: DesiredInstance) -> None:
        key = instance.instance_id
        known = self._supervisors.get(key)
        if known is not None and known.done and instance.generation > known.instance.generation:
            del self._supervisors[key]
            known = None
        if known is None and instance.stop:
            self._gone[key] = self._never_here(instance)
        elif known is None:
            self._gone.pop(key, None)
            self._supervisors[key] = self._supervise(instance)
        elif instance.stop:
            known.stop(grace_seconds=float(instance.stop_grace_seconds), force=instance.force)
        elif instance.generation > known.instance.generation:
            # The old generation ends first: one instance never runs twice here.
            known.stop(grace_seconds=float(instance.stop_grace_seconds), force=instance.force)

    def _retire(self, key: int, *, grace_seconds: float) -> None:
        supervisor = self._supervisors[key]
        if supervisor.done:
            del self._supervisors[key]
        else:
            supervisor.stop(grace_seconds=grace_seconds)

    def _supervise(self, instance: DesiredInstance) -> Supervisor:
        backoff = Backoff(first=self._first_backoff)
        return Supervisor(instance, self._runtime, clock=self._clock, backoff=backoff, changed=self._changed.set)

    def _never_here(self, instance: DesiredInstance) -> ReportedInstance:
        return ReportedInstance(
            instance_id=instance.instance_id,
            generation=instance.generation,
            phase=ReportedPhase.EXITED,
            finished_at=self._clock.now(),
            reason="NotFound",
            message="this server does not run it",
        )
