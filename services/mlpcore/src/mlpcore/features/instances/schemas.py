"""Instances on the wire."""

from datetime import datetime
from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from mlpcore.features.instances.states import Hosting, ModelState
from mlpcore.features.models.schemas import StartData
from mlpcore.features.placement.account_room import AccountLimit
from mlpcore.features.placement.room import Lack
from mlpcore.features.tasks.schemas import JobStatusData
from mlplace_contracts.enums import InstancePurpose
from mlplace_kit.wire import Input, Output


class ModelInstancePK(Output):
    account_id: int
    model_id: int
    instance_id: int


class ExternalConnectionInfoData(Output):
    """`withheldVariables`: names that `envVariables` masks. The person who runs the instance must set them."""

    id: ModelInstancePK
    connected: bool
    docker_run_command: str | None
    docker_compose_content: str | None
    env_variables: dict[str, str]
    withheld_variables: list[str]
    hostname: str | None
    version: int | None
    image_name: str | None
    http_host: str | None
    http_port: int | None


class LackData(Output):
    """What `servers` servers lack first. `missing`: the least missing amount, in thousandths of a core or MiB."""

    what: Lack
    servers: int
    missing: int


class ExceededLimitData(Output):
    """A limit of the account in Kubernetes notation, what is used of it, and what is needed in addition."""

    name: AccountLimit
    allowed: str
    used: str
    needed: str


class WaitingDetailsData(Output):
    """Why no server of the resource group takes the instance, or which limit of the account stands against it."""

    servers: int | None
    lacking: tuple[LackData, ...]
    limit: ExceededLimitData | None


class InstanceStateWaiting(Output):
    """`message` is the English text of `details`, which interfaces word in their languages."""

    reason: str | None
    message: str | None
    details: WaitingDetailsData | None


TotalStatus = Literal["RUNNING", "SLEEPING", "WAITING", "FAILED", "DELETED"]


class StatusInfo(Output):
    """`totalStatus` SLEEPING: the instance ends, or has ended, because its service is scaled to zero.

    `podStatus`: the instance's own state, or UNAVAILABLE when its server has stopped reporting.
    """

    total_status: TotalStatus
    is_deleted: bool
    is_connected_to_all_gates: bool
    pod_status: str | None


class ModelInstanceData(Output):
    """`waiting`: why the instance has no server yet. `purpose`: only "serve" answers calls.

    `start`: how far its start is; null unless it is known to start. `usualSeconds` is null unless it answers calls.
    """

    id: int
    name: str
    server_id: int | None
    server_name: str | None
    status_info: StatusInfo
    restart_count: int
    created_timestamp: str
    instance_hosting_type: Hosting
    purpose: InstancePurpose
    last_restart_timestamp: str | None
    waiting: InstanceStateWaiting | None
    start: StartData | None


class ModelInstanceListData(Output):
    instances: list[ModelInstanceData]


class InstancesStatusData(Output):
    internal_requested: int
    internal_active: int
    internal_in_error: int
    hosting_server_requested: int
    hosting_server_active: int
    external_requested: int


class ModelShortStatusData(Output):
    """`waiting`: why the instance that has waited longest for a server has none.

    `instances`, `lastJob` and `waiting` are null for callers of other accounts. `start`: how far the instance is that
    will answer first, also while others wait for a server; null unless the state is STARTING and something is known to
    start.
    """

    state: ModelState
    instances: InstancesStatusData | None
    last_job: JobStatusData | None
    start_time_seconds: float | None
    waiting: InstanceStateWaiting | None
    start: StartData | None


class ModelStartTimeData(Output):
    model_id: int
    instance_id: int
    model_average_start_time_sec: float | None
    instance_start_time: datetime
    instance_started_time: datetime | None
    instance_error_time: datetime | None


class InstanceEnvironmentData(Output):
    environment: dict[str, str]


class InstanceStateRunning(Output):
    started_at: str | None


class InstanceStateTerminated(Output):
    started_at: str | None
    finished_at: str | None
    exit_code: int | None
    reason: str | None
    message: str | None


class InstanceLastState(Output):
    """Exactly one field is set."""

    running: InstanceStateRunning | None
    terminated: InstanceStateTerminated | None
    waiting: InstanceStateWaiting | None


class InstanceLogTailData(Output):
    """A piece of the output of one run. `run`: null without output.

    `start` and `end`: positions of `text` in what was stored of the run, in characters. `start` is behind the position
    that was asked for if older output is no longer kept.
    """

    run: str | None
    start: int
    end: int
    text: str


class EventSource(Output):
    component: str
    host: str | None


class EventData(Output):
    name: str
    type: str
    created_timestamp: str
    message: str
    reason: str
    source: EventSource
    first_seen_timestamp: str
    last_seen_timestamp: str
    count: int
    kind: str
    field_path: str | None
    namespace: str


class InstanceEventData(Output):
    events: list[EventData]


class InstanceMetadata(Input):
    version: Annotated[int, Field(ge=0, lt=2**63)] | None = None
    hostname: Annotated[str, StringConstraints(max_length=255)] | None = None
    built_in_image_name: Annotated[str, StringConstraints(max_length=512)] | None = None
