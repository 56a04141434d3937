"""Changes the state of an instance: checks the transition, updates the row, publishes the event, informs people."""

from typing import Literal

from mlpcore.features.instances.lifecycle.history import EventHistory
from mlpcore.features.instances.placements import OnServer, Unplaced
from mlpcore.features.instances.ports import StorageCredentials
from mlpcore.features.instances.repository import InstanceRepository
from mlpcore.features.instances.states import LEAVING, InstanceState, transition
from mlpcore.features.instances.tables import Instance
from mlpcore.features.notifications.schemas import NotificationType, Severity
from mlpcore.features.notifications.service import NewNotification, Notifier
from mlpcore.features.placement.allocations import Allocations
from mlpcore.features.stat_logs.codes import LogCode
from mlpcore.features.stat_logs.service import StatLogs
from mlpcore.operations import Entity, EntityName
from mlplace_contracts.events import InstanceChanged, InstanceHttp
from mlplace_contracts.internal.hosting import ReportedPhase
from mlplace_kit.clock import Clock
from mlplace_runtime.db.outbox import Publisher

_LOGGED = {
    InstanceState.STARTED: LogCode.INSTANCE_CONNECTED,
    InstanceState.REMOVING: LogCode.INSTANCE_STOPPING,
    InstanceState.DELETED: LogCode.INSTANCE_DELETED,
    InstanceState.FAILED: LogCode.INSTANCE_FAILED,
}
Level = Literal["INFO", "WARNING", "ERROR"]
_BROKEN = frozenset({ReportedPhase.BACKOFF.value, ReportedPhase.REFUSED.value})


class Lifecycle:
    def __init__(
        self,
        instances: InstanceRepository,
        allocations: Allocations,
        credentials: StorageCredentials,
        events: EventHistory,
        logs: StatLogs,
        outbox: Publisher,
        notifier: Notifier,
        clock: Clock,
    ) -> None:
        self._instances = instances
        self._allocations = allocations
        self._credentials = credentials
        self._events = events
        self._logs = logs
        self._outbox = outbox
        self._notifier = notifier
        self._clock = clock

    async def born(self, instance: Instance) -> None:
        """Records and publishes a new instance. Its row must have been flushed."""
        await self._events.add(
            instance_id=instance.instance_id, reason="Created", message="The instance was created", at=self._clock.now()
        )
        self._log(instance, LogCode.INSTANCE_CREATED, f"Instance {instance.instance_id} was created")
        await self._outbox.add(changed(instance))

    async def move(self, instance: Instance, wanted: InstanceState, *, reason: str, message: str) -> None:
        """Changes the state; does nothing when the instance has it already. Raises IllegalTransition."""
        current = InstanceState(instance.state)
        if transition(current, wanted) is current:
            return
        now = self._clock.now()
        instance.state = wanted.value
        instance.state_changed_at = now
        match wanted:
            case InstanceState.STARTED:
                if instance.started_at is None or instance.started_at < instance.start_requested_at:
                    instance.started_at = now
            case InstanceState.FAILED:
                instance.error_at = now
            case InstanceState.REMOVING if isinstance(instance.placement, OnServer):
                self._allocations.expect_release()
            case InstanceState.DELETED if not isinstance(instance.placement, Unplaced):
                if isinstance(instance.placement, OnServer):
                    await self._allocations.release([instance.instance_id])
                await self._credentials.end([instance.instance_id], at=now)
            case _:
                pass
        await self._tell(instance, wanted, reason, message)
        if wanted is InstanceState.FAILED:
            await self._notifier.notify([instance.account_id], _failed(instance, message))
        if wanted in LEAVING and current not in LEAVING:
            instance.version += 1
            await self._outbox.add(changed(instance))
        await self._instances.flush()

    async def _tell(self, instance: Instance, wanted: InstanceState, reason: str, message: str) -> None:
        failed = wanted is InstanceState.FAILED
        await self._events.add(
            instance_id=instance.instance_id,
            reason=reason,
            message=message,
            at=self._clock.now(),
            type_="Warning" if failed else "Normal",
            host=instance.hostname,
        )
        if wanted in _LOGGED:
            level = "ERROR" if failed else "INFO"
            text = f"Instance {instance.instance_id}: {message}"
            self._log(instance, _LOGGED[wanted], text, level=level, reason=reason)

    async def listens(self, instance: Instance, http: InstanceHttp | None) -> None:
        """Stores and publishes the HTTP address that the server reports; None when gates cannot reach the instance."""
        if _http(instance) == http:
            return
        instance.http_host, instance.http_port = (http.host, http.port) if http else (None, None)
        instance.http_trusted = http is not None and http.trusted
        instance.version += 1
        await self._outbox.add(changed(instance))
        await self._instances.flush()

    def lost(self, instance: Instance, why: str) -> None:
        self._log(instance, LogCode.INSTANCE_LOST, f"Instance {instance.instance_id} lost its gate: {why}")

    def _log(
        self, instance: Instance, code: LogCode, message: str, *, level: Level = "INFO", reason: str | None = None
    ) -> None:
        args: dict[str, object] = {"instanceId": instance.instance_id}
        if reason is not None:
            args["reason"] = reason
        self._logs.add(
            code,
            account_id=instance.account_id,
            model_id=instance.model_id,
            at=self._clock.now(),
            level=level,
            message=message,
            args=args,
            node=instance.hostname,
        )

    async def remove(self, instance: Instance, *, force: bool, reason: str) -> None:
        """Takes the instance out of service. Unless a server has to end it first, it is deleted at once."""
        if instance.state == InstanceState.DELETED:
            return
        instance.force_stop = instance.force_stop or force
        await self.move(instance, InstanceState.REMOVING, reason="Stopping", message=reason)
        if not isinstance(instance.placement, OnServer):
            await self.move(instance, InstanceState.DELETED, reason="Deleted", message="The instance was deleted")

    async def evict(self, instance: Instance, *, scope: Literal["account", "resource group"]) -> None:
        """Takes the instance out of service to make room for another one. It ends like one that is stopped."""
        message = f"Instance {instance.instance_id} was evicted within {scope} scope"
        await self._events.add(
            instance_id=instance.instance_id,
            reason="Evicted",
            message=message,
            at=self._clock.now(),
            type_="Warning",
            host=instance.hostname,
        )
        self._log(instance, LogCode.INSTANCE_EVICTED, message, level="ERROR", reason=scope)
        await self.remove(instance, force=False, reason="The instance makes room for another one")

    async def stops_first(self, instance: Instance, *, why: str) -> None:
        """Tells people that the instance ends before its replacement starts. `why`: what leaves no room for both."""
        message = f"Instance {instance.instance_id} stops before its replacement starts: {why}"
        await self._events.add(
            instance_id=instance.instance_id,
            reason="StopsFirst",
            message=message,
            at=self._clock.now(),
            type_="Warning",
            host=instance.hostname,
        )
        self._log(instance, LogCode.INSTANCE_STOPS_FIRST, message, level="WARNING", reason=why)

    async def leave_server(self, instance: Instance, *, reason: str, message: str) -> None:
        """Takes the instance from its server and frees its room. It waits for another server.

        One that answers no calls ends: what it did is lost, and whoever asked for it decides whether it begins again.
        """
        await self._allocations.release([instance.instance_id])
        await self._credentials.end([instance.instance_id], at=self._clock.now())
        instance.server_id = None
        instance.phase = None
        if not instance.is_scaled:
            await self.move(instance, InstanceState.REMOVING, reason=reason, message=message)
            await self.remove(instance, force=False, reason=message)
            return
        await self.move(instance, InstanceState.IDLE, reason=reason, message=message)

    async def settle(self, instance: Instance, *, connected: bool) -> None:
        """Derives the state from the reports of gates and server. Ignores an instance that is being removed."""
        if InstanceState(instance.state) in LEAVING:
            return
        if connected:
            await self.move(
                instance, InstanceState.STARTED, reason="Connected", message="The instance is connected to a gate"
            )
        elif not isinstance(instance.placement, OnServer):
            await self.move(
                instance, InstanceState.IDLE, reason="Waiting", message="The instance waits for a connection"
            )
        elif instance.phase in _BROKEN:
            message = instance.exit_message or f"The instance ended with exit code {instance.exit_code}"
            await self.move(instance, InstanceState.FAILED, reason=instance.exit_reason or "Error", message=message)
        else:
            await self.move(instance, InstanceState.SCHEDULED, reason="Starting", message="The instance is starting")


def _failed(instance: Instance, message: str) -> NewNotification:
    """One notification per start that the platform orders, however often the server restarts the instance."""
    return NewNotification(
        NotificationType.MODEL_EVENTS_ERROR_INDICATOR,
        Severity.ERROR,
        f"Instance {instance.instance_id}: {message}",
        entity=Entity(
            EntityName.INSTANCE,
            instance.account_id,
            f"#{instance.instance_id}",
            model_id=instance.model_id,
            instance_id=instance.instance_id,
        ),
        occasion=f"instance-failed:{instance.instance_id}:{instance.generation}",
    )


def changed(instance: Instance) -> InstanceChanged:
    return InstanceChanged(
        version=instance.version,
        instance_id=instance.instance_id,
        model_id=instance.model_id,
        account_id=instance.account_id,
        token_hash=instance.token_hash,
        accepts_connections=InstanceState(instance.state) not in LEAVING,
        http=_http(instance),
        purpose=instance.purpose,
    )


def _http(instance: Instance) -> InstanceHttp | None:
    if instance.http_host is None or instance.http_port is None:
        return None
    return InstanceHttp(host=instance.http_host, port=instance.http_port, trusted=instance.http_trusted)
