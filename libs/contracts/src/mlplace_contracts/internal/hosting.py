"""The messages between the agent of a hosting server and mlpcore.

Enrolment: `POST /api/mlpcore/hosting-server/enroll` takes a one-time token and answers with the server's secret. Then
the agent calls `POST /api/mlpcore/server-heartbeat?account=..&serverId=..` every few seconds with the header
`Authorization: Bearer <secret>`. The body is a `Heartbeat` as JSON text; the answer is a `DesiredState`.
"""

from datetime import datetime
from enum import StrEnum
from typing import Annotated

from pydantic import Field

from mlplace_contracts.internal.identity import InternalModel


class EnrolRequest(InternalModel):
    token: str


class Enrolled(InternalModel):
    account_id: int
    server_id: int
    secret: str


class ReportedPhase(StrEnum):
    """STARTING: requested, not yet running. BACKOFF: ended, will be started again. EXITED: ended for good."""

    STARTING = "STARTING"
    RUNNING = "RUNNING"
    BACKOFF = "BACKOFF"
    STOPPING = "STOPPING"
    EXITED = "EXITED"
    REFUSED = "REFUSED"


class ServerCapacity(InternalModel):
    milli_cpu: int
    ram_mb: int
    disk_mb: int
    gpu_models: tuple[str, ...] = ()


class ReportedInstance(InternalModel):
    """`reason` is a short word (Completed, Error, OOMKilled, StartError, Refused); `message` is a text for people.

    `http_host` and `http_port` are the address at which gates reach the requested port while the instance runs.
    """

    instance_id: int
    generation: int
    phase: ReportedPhase
    started_at: datetime | None = None
    finished_at: datetime | None = None
    exit_code: int | None = None
    reason: str | None = None
    message: str | None = None
    restart_count: int = 0
    http_host: str | None = None
    http_port: int | None = None


class LogChunk(InternalModel):
    """A piece of an instance's output. `offset` counts bytes since run `restart_count` of this generation began."""

    instance_id: int
    generation: int
    restart_count: int
    offset: int
    text: str


class Heartbeat(InternalModel):
    agent_version: str
    capacity: ServerCapacity
    instances: tuple[ReportedInstance, ...]
    logs: tuple[LogChunk, ...] = ()


class DesiredInstance(InternalModel):
    """`platform_env` is set by the platform; `service_env` by the service's owner.

    A process runtime drops `service_env` names that its own configuration does not allow: they could change what runs.
    Memory in bytes; CPU in thousandths of a core. `http_port`: the instance listens for HTTP there, and gates have to
    reach it.
    """

    instance_id: int
    generation: int
    account_id: int
    model_id: int
    image: str
    platform_env: dict[str, str]
    service_env: dict[str, str]
    command_flags: tuple[str, ...] = ()
    memory_bytes: Annotated[int, Field(gt=0)]
    milli_cpu: Annotated[int, Field(gt=0)]
    stop: bool = False
    stop_grace_seconds: int = 30
    force: bool = False
    http_port: int | None = None


class DesiredState(InternalModel):
    """Every instance that this server shall run or stop. One that is not named shall not run here."""

    instances: tuple[DesiredInstance, ...]
    heartbeat_seconds: float
