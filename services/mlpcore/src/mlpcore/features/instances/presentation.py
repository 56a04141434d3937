"""Converts rows of instances to the data that callers see."""

from collections.abc import Sequence
from datetime import datetime

from mlpcore.features.instances.placements import OnServer
from mlpcore.features.instances.schemas import (
    EventData,
    EventSource,
    InstanceLastState,
    InstanceStateRunning,
    InstanceStateTerminated,
    InstanceStateWaiting,
    ModelInstanceData,
    StatusInfo,
    TotalStatus,
    WaitingDetailsData,
)
from mlpcore.features.instances.states import LEAVING, Hosting, InstanceState
from mlpcore.features.instances.tables import Instance, InstanceEvent
from mlpcore.features.models.schemas import StartData
from mlpcore.features.placement.reasons import message_of
from mlpcore.features.servers.service import is_fresh
from mlpcore.features.servers.tables import Server
from mlplace_contracts.enums import InstancePurpose
from mlplace_contracts.internal.hosting import ReportedPhase

UNAVAILABLE = "UNAVAILABLE"
_ENDED = frozenset({ReportedPhase.BACKOFF.value, ReportedPhase.EXITED.value})


def instance_name(instance: Instance) -> str:
    """Returns the name. The container's name is this one and the first letters of the id of the agent that runs it."""
    return f"mlp-{instance.account_id}-{instance.model_id}-{instance.instance_id}"


def instance_data(
    instance: Instance,
    *,
    server: Server | None,
    gates: frozenset[str],
    members: Sequence[str],
    asleep: bool,
    start: StartData | None,
    now: datetime,
) -> ModelInstanceData:
    silent = isinstance(instance.placement, OnServer) and (server is None or not is_fresh(server, now))
    restarted = instance.last_restart_at
    return ModelInstanceData(
        id=instance.instance_id,
        name=instance_name(instance),
        server_id=instance.server_id,
        server_name=server.name if server else None,
        status_info=StatusInfo(
            total_status=_total_status(instance, connected=bool(gates), silent=silent, asleep=asleep),
            is_deleted=InstanceState(instance.state) in LEAVING,
            is_connected_to_all_gates=bool(gates) and gates.issuperset(members),
            pod_status=UNAVAILABLE if silent else instance.state,
        ),
        restart_count=instance.restart_count,
        created_timestamp=instance.created_at.isoformat(),
        instance_hosting_type=Hosting(instance.hosting),
        purpose=InstancePurpose(instance.purpose),
        last_restart_timestamp=restarted.isoformat() if restarted else None,
        waiting=waiting_for_server(instance),
        start=start,
    )


def waiting_for_server(instance: Instance) -> InstanceStateWaiting | None:
    """Returns why the instance has no server; None if it has one, and before the scheduler has looked for one."""
    if instance.state != InstanceState.IDLE or instance.waiting_reason is None:
        return None
    details = instance.waiting_details
    whole = None if details is None else {"servers": None, "lacking": (), "limit": None, **details}
    return InstanceStateWaiting(
        reason=instance.waiting_reason,
        message=message_of(details),
        details=None if whole is None else WaitingDetailsData.model_validate(whole),
    )


def _total_status(instance: Instance, *, connected: bool, silent: bool, asleep: bool) -> TotalStatus:
    state = InstanceState(instance.state)
    if state in LEAVING:
        return "SLEEPING" if asleep else "DELETED"
    if connected:
        return "RUNNING"
    return "FAILED" if silent or state is InstanceState.FAILED else "WAITING"


def last_state(instance: Instance, *, connected: bool) -> InstanceLastState:
    running = terminated = waiting = None
    if instance.phase in _ENDED:
        terminated = InstanceStateTerminated(
            started_at=_text(instance.run_started_at),
            finished_at=_text(instance.run_finished_at),
            exit_code=instance.exit_code,
            reason=instance.exit_reason,
            message=instance.exit_message,
        )
    elif connected or instance.phase in {ReportedPhase.RUNNING, ReportedPhase.STOPPING}:
        running = InstanceStateRunning(started_at=_text(instance.run_started_at or instance.started_at))
    elif instance.phase == ReportedPhase.REFUSED:
        waiting = InstanceStateWaiting(reason=instance.exit_reason, message=instance.exit_message, details=None)
    else:
        waiting = waiting_for_server(instance) or InstanceStateWaiting(
            reason="NotConnected", message=None, details=None
        )
    return InstanceLastState(running=running, terminated=terminated, waiting=waiting)


def event_data(instance: Instance, event: InstanceEvent) -> EventData:
    return EventData(
        name=f"{instance_name(instance)}.{event.event_id}",
        type=event.type,
        created_timestamp=event.first_seen_at.isoformat(),
        message=event.message,
        reason=event.reason,
        source=EventSource(component="mlpcore", host=event.host),
        first_seen_timestamp=event.first_seen_at.isoformat(),
        last_seen_timestamp=event.last_seen_at.isoformat(),
        count=event.count,
        kind="Instance",
        field_path=None,
        namespace=f"account-{instance.account_id}",
    )


def _text(moment: datetime | None) -> str | None:
    return moment.isoformat() if moment else None
