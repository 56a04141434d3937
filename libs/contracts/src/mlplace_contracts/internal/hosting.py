"""The messages between the agent of a hosting server and mlpcore.

Enrolment: `POST /api/mlpcore/hosting-server/enroll` takes a one-time token and answers with the server's secret. Then
the agent calls `POST /api/mlpcore/server-heartbeat?account=..&serverId=..` every few seconds with the header
`Authorization: Bearer <secret>`. The body is a `Heartbeat` as JSON text; the answer is a `DesiredState`.
"""

from datetime import datetime
from enum import StrEnum
from typing import Annotated
from uuid import UUID

from pydantic import Field

from mlplace_contracts.internal.identity import InternalModel

MOST_PROGRAMS = 256
"""So many programs a heartbeat may name. The platform ignores others."""


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


class ReportedGpu(InternalModel):
    """One GPU of a server. `gpu_id` is its UUID, which stays the same when the server restarts.

    Memory in MiB; `usage_percent` is the share of the last second in which it computed.
    """

    gpu_id: str
    model: str
    vram_mb: int
    used_vram_mb: int | None = None
    usage_percent: int | None = None


class ServerCapacity(InternalModel):
    """What the server has for instances, and what is in use on it now.

    CPU in thousandths of a core, memory and disk in MiB. `disk_mb`: the free space plus what instances hold. A usage
    that the agent does not know is None. `gpu_models`: the models of `gpus`, for platforms of the previous release.
    """

    milli_cpu: int
    ram_mb: int
    disk_mb: int
    gpu_models: tuple[str, ...] = ()
    gpus: tuple[ReportedGpu, ...] = ()
    used_milli_cpu: int | None = None
    used_ram_mb: int | None = None
    used_disk_mb: int | None = None


class ReportedInstance(InternalModel):
    """`reason` is a short word (Completed, Error, OOMKilled, DiskLimitExceeded, StartError, Refused).

    `message` is a text for people.

    `http_host` and `http_port` are the address at which gates reach the requested port while the instance runs.
    `gpu_ids` and `gpu_memory_mb` are what `DesiredInstance` gave it; empty also from agents of earlier releases.
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
    gpu_ids: tuple[str, ...] = ()
    gpu_memory_mb: int | None = None


class LogChunk(InternalModel):
    """A piece of an instance's output. `offset` counts bytes since run `restart_count` of this generation began."""

    instance_id: int
    generation: int
    restart_count: int
    offset: int
    text: str


class InstanceUse(InternalModel):
    """What an instance used in an interval: processor time in thousandths of a core, and at the end of the interval
    memory, disk and GPU memory in MiB. `gpu_percent`: the sum over its GPUs. `restarts`: how often it was started again
    in the interval. None: the server does not know it.
    """

    instance_id: int
    milli_cpu: int | None = None
    ram_mb: int | None = None
    disk_mb: int | None = None
    gpu_percent: int | None = None
    vram_mb: int | None = None
    restarts: int = 0


class ServerSample(InternalModel):
    """What the server and its instances used in an interval of `seconds` that ended `age_seconds` before the heartbeat.

    `run` names the process of the agent, and `sequence` its sample: a sample counts once, however often it is sent.
    """

    run: UUID
    sequence: int
    seconds: float
    age_seconds: float
    milli_cpu: int | None = None
    ram_mb: int | None = None
    disk_mb: int | None = None
    gpu_percent: int | None = None
    vram_mb: int | None = None
    instances: tuple[InstanceUse, ...] = ()


class Heartbeat(InternalModel):
    """`samples`: those that the platform has not acknowledged, the oldest first.

    `knows_kept`: the agent reads `DesiredState.kept`. `knows_mounts`: it mounts data images, or refuses instances that
    need them. `runs_containers`: whether the server runs images in containers; None, also from earlier releases: it may
    run any image. `programs`: addresses of images that it runs as programs, and never in containers.
    """

    agent_version: str
    capacity: ServerCapacity
    instances: tuple[ReportedInstance, ...]
    logs: tuple[LogChunk, ...] = ()
    samples: tuple[ServerSample, ...] = ()
    knows_kept: bool = False
    knows_mounts: bool = False
    runs_containers: bool | None = None
    programs: tuple[str, ...] = ()


class RegistryLogin(InternalModel):
    """Credentials of the instance's account, for its own images of this registry only. `host` has its port."""

    host: str
    username: str
    password: Annotated[str, Field(repr=False)]


class DataMount(InternalModel):
    """The folder `source_path` of an image, at `target_path` of an instance, which can only read it.

    `address_hidden`: the instance's owner must not learn the image's address from a failure. `login`: for a private
    registry.
    """

    image: str
    source_path: str
    target_path: str
    address_hidden: bool = False
    login: RegistryLogin | None = None


class DesiredInstance(InternalModel):
    """`platform_env` is set by the platform; `service_env` by the service's owner.

    A process runtime drops `service_env` names that its own configuration does not allow: they could change what runs.
    `milli_cpu` is guaranteed, and the instance may use more while others need less; `memory_bytes` and `disk_bytes`
    are hard limits. `gpu_ids`: the only GPUs that the instance may use; `gpu_memory_mb`: its part of the memory of
    each, None for all of it. `http_port`: the instance listens for HTTP there, and gates have to reach it.
    `data_mounts`: what it reads of data images; a server that cannot mount them refuses the instance. `login`: for the
    private registry of `image`. `address_hidden`: the instance's owner must not learn the address of `image` from a
    failure.
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
    disk_bytes: Annotated[int, Field(gt=0)] | None = None
    gpu_ids: tuple[str, ...] = ()
    gpu_memory_mb: Annotated[int, Field(gt=0)] | None = None
    stop: bool = False
    stop_grace_seconds: int = 30
    force: bool = False
    http_port: int | None = None
    data_mounts: tuple[DataMount, ...] = ()
    address_hidden: bool = False
    login: RegistryLogin | None = None


class DesiredState(InternalModel):
    """Every instance that this server shall run or stop. One that is not named shall not run here.

    `kept`: ids of instances that shall go on as the heartbeat reported them; `instances` has all others.
    """

    instances: tuple[DesiredInstance, ...]
    heartbeat_seconds: float
    kept: tuple[int, ...] = ()
