"""Stores what the agent of a hosting server reports about an instance's run."""

from dataclasses import dataclass
from datetime import datetime

from mlpcore.features.instances.lifecycle.history import EventHistory
from mlpcore.features.instances.lifecycle.transitions import Lifecycle
from mlpcore.features.instances.repository import ConnectionRepository
from mlpcore.features.instances.states import InstanceState
from mlpcore.features.instances.tables import Instance
from mlplace_contracts.events import InstanceHttp
from mlplace_contracts.internal.hosting import ReportedPhase
from mlplace_kit.clock import Clock

_OVER = frozenset({ReportedPhase.EXITED, ReportedPhase.REFUSED})
"""A refused instance was never started, and its agent does not try again."""
_NOT_RUNNING = _OVER | {ReportedPhase.BACKOFF}


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """A reported run, with values that fit the columns. `http`: the address for gates; None if they cannot reach it."""

    phase: ReportedPhase
    restart_count: int
    started_at: datetime | None
    finished_at: datetime | None
    exit_code: int | None
    exit_reason: str | None
    exit_message: str | None
    http: InstanceHttp | None


class Runs:
    def __init__(
        self, connections: ConnectionRepository, events: EventHistory, lifecycle: Lifecycle, clock: Clock
    ) -> None:
        self._connections = connections
        self._events = events
        self._lifecycle = lifecycle
        self._clock = clock

    async def note(self, instance: Instance, run: Run, *, heard_before: datetime | None) -> None:
        """Stores the run. The caller has locked the instance.

        `heard_before`: the time of the server's previous heartbeat; None at its first one.
        """
        await self._end_earlier_streams(instance, run, heard_before)
        await self._write(instance, run)
        await self._lifecycle.listens(instance, run.http)

    async def _end_earlier_streams(self, instance: Instance, run: Run, heard_before: datetime | None) -> None:
        """Ends streams from before the previous heartbeat when a new run has begun since then, or nothing runs."""
        anew = instance.run_started_at is not None and run.started_at != instance.run_started_at
        if heard_before is not None and (anew or run.phase in _NOT_RUNNING):
            await self._connections.close_older(instance_id=instance.instance_id, moment=heard_before)

    async def _write(self, instance: Instance, run: Run) -> None:
        ended_anew = run.phase is ReportedPhase.BACKOFF and (
            instance.phase != ReportedPhase.BACKOFF or run.restart_count != instance.restart_count
        )
        if run.restart_count > instance.restart_count:
            instance.last_restart_at = self._clock.now()
        instance.restart_count = run.restart_count
        instance.phase = run.phase.value
        instance.run_started_at = run.started_at
        instance.run_finished_at = run.finished_at
        instance.exit_code = run.exit_code
        instance.exit_reason = run.exit_reason
        instance.exit_message = run.exit_message
        if ended_anew:
            await self._tell_of_end(instance)
        if run.phase in _OVER and instance.state == InstanceState.REMOVING:
            await self._lifecycle.move(
                instance, InstanceState.DELETED, reason="Deleted", message="The instance has ended"
            )

    async def _tell_of_end(self, instance: Instance) -> None:
        detail = f": {instance.exit_message}" if instance.exit_message else ""
        await self._events.add(
            instance_id=instance.instance_id,
            reason="BackOff",
            message=f"The instance ended with exit code {instance.exit_code} ({instance.exit_reason}){detail}",
            at=self._clock.now(),
            type_="Warning",
        )
