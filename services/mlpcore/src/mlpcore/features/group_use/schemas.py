"""The use of resource groups on the wire. CPU in thousandths of a core; memory, disk and VRAM in MiB."""

from typing import Annotated, Final

from pydantic import BeforeValidator

from mlpcore.features.instances.states import ModelState
from mlpcore.features.models.schemas import ModelInfoPK, StartData
from mlpcore.features.resource_groups.schemas import ResourceGroupEssentialData
from mlpcore.features.servers.schemas import ServerStatus
from mlplace_kit.wire import Output

_MOST: Final = 2**63 - 1


def _bounded(amount: int) -> int:
    return min(amount, _MOST)


Amount = Annotated[int, BeforeValidator(_bounded)]
"""An int64. Settings that nobody can read need as much as that of everything, so sums would exceed it."""


class AmountsData(Output):
    """`gpu`: whole GPUs; of allocated ones, those that an instance uses."""

    milli_cpu: Amount
    ram_mb: Amount
    disk_mb: Amount
    gpu: int
    vram_mb: Amount


class GpuUseData(Output):
    """One GPU. `usagePercent` and `usedVramMb`: as the server last reported; null if it does not know, or is silent."""

    gpu_id: str
    model: str
    vram_mb: int
    allocated_vram_mb: Amount
    free_vram_mb: int
    used_vram_mb: int | None
    usage_percent: int | None


class MeasuredData(Output):
    """What is in use, by whomever, as servers last reported; null: unknown, or the report is too old.

    `gpu`: the sum of the shares of time in which the GPUs compute. In a sum over servers, what one of them does not
    know is null.
    """

    milli_cpu: int | None
    ram_mb: int | None
    disk_mb: int | None
    gpu: float | None
    vram_mb: int | None


class ServerUseData(Output):
    """`capacity`: what instances may have; `allocated`: what they hold; `used`: what was measured; `free`: what no
    instance holds, whether it is in use or not. A server whose status is not RUNNING gives none of it away.

    `runsContainers`: whether it runs images in containers; `programs`: addresses of images that it runs as programs.
    """

    server_id: int
    name: str
    status: ServerStatus
    instances: int
    max_instances: int | None
    capacity: AmountsData
    allocated: AmountsData
    used: MeasuredData
    free: AmountsData
    gpus: list[GpuUseData]
    runs_containers: bool
    programs: list[str]


class ResourceGroupCapacity(Output):
    """Sums over the servers that run, whose names are `nodes`. `servers` contains all servers of the group.

    `vRamMb` is the older name of `vramMb`.
    """

    milli_cpu: int
    ram_mb: int
    disk_mb: int
    gpu: int
    gpu_models: list[str]
    v_ram_mb: int
    nodes: list[str]
    vram_mb: int
    allocated: AmountsData
    used: MeasuredData
    free: AmountsData
    servers: list[ServerUseData]


class ResourceGroupShortStatusData(ResourceGroupEssentialData):
    servers_count: int
    services_count: int


class ServiceShortData(Output):
    id: ModelInfoPK
    name: str


class ServiceData(Output):
    """`active`: instances that are connected; `requested`: those that should be.

    `waitsForServer`, `start`: see the service.
    """

    id: ModelInfoPK
    name: str
    state: ModelState
    waits_for_server: bool
    start: StartData | None
    active: int
    requested: int


class ResourceGroupServicesShortData(Output):
    services: list[ServiceShortData]


class ResourceGroupServicesData(Output):
    services: list[ServiceData]


class ServiceInfoAtTime(Output):
    """`actualModelName`: null after the service was deleted."""

    model_id: int
    model_name_at_time: str
    actual_model_name: str | None
