"""What a server has left, and what stands against an instance there."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum

from mlpcore.features.placement.needs import Needs


class Lack(StrEnum):
    """What a server lacks. The first that applies, in this order, is the reason why it is refused."""

    HEARTBEAT = "heartbeat"
    """Its agent has not reported for a while."""
    AVAILABILITY = "availability"
    """It is being removed."""
    LIFETIME = "lifetime"
    """It ends before the instance could have started."""
    IMAGE = "image"
    """It runs no containers and has no program for the image, or only a program, which cannot read data images."""
    LABELS = "labels"
    INSTANCES = "instances"
    """Its configuration allows no more instances."""
    GPU = "gpu"
    """It has fewer GPUs than needed, whoever uses them."""
    GPU_MODEL = "gpuModel"
    FREE_GPU = "freeGpu"
    """Its GPUs are in use."""
    VRAM = "vram"
    CPU = "cpu"
    MEMORY = "memory"
    DISK = "disk"


def can_run(image: str, *, mounts: bool, containers: bool, programs: Collection[str]) -> bool:
    """Whether a server can run the image at this address: as one of its programs, else in a container if it runs any.

    `mounts`: the instance reads data images, which programs cannot.
    """
    return not mounts if image in programs else containers


@dataclass(slots=True)
class Gpu:
    """One GPU. Memory in MiB; `free_mb` is what no instance holds."""

    gpu_id: str
    model: str
    vram_mb: int
    free_mb: int


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a server is refused. `missing`: how much of an amount it lacks; 0 where there is no amount."""

    lack: Lack
    missing: int = 0


@dataclass(slots=True, kw_only=True)
class FreeRoom:
    """What a server has left for instances: thousandths of a core, MiB, GPUs.

    `fresh`: its agent reports. `runs_containers`: it runs any image but those of `programs`, which it runs as programs.
    `milli_cpu` to `disk_mb`: all that the server has; `free_*`: what is not allocated,
    below zero if the server has shrunk.
    """

    server_id: int
    name: str
    fresh: bool
    draining: bool
    expires_at: datetime | None
    labels: Mapping[str, str]
    instances: int
    max_instances: int | None
    milli_cpu: int
    ram_mb: int
    disk_mb: int
    free_milli_cpu: int
    free_ram_mb: int
    free_disk_mb: int
    gpus: list[Gpu] = field(default_factory=list[Gpu])
    runs_containers: bool = True
    programs: frozenset[str] = frozenset()

    def copy(self) -> "FreeRoom":
        """Returns the same room, to try changes on."""
        return replace(self, gpus=[replace(gpu) for gpu in self.gpus])

    def refusal(self, needs: Needs, ready_by: datetime) -> Refusal | None:
        """Returns why an instance with these needs cannot get room here; None if it can.

        `ready_by`: when the instance will have started.
        """
        if (lack := self._unusable(needs, ready_by)) is not None:
            return Refusal(lack)
        if needs.gpu_count and (refusal := self._lacks_gpus(needs)) is not None:
            return refusal
        if (missing := needs.milli_cpu - self.free_milli_cpu) > 0:
            return Refusal(Lack.CPU, missing)
        if (missing := needs.ram_mb - self.free_ram_mb) > 0:
            return Refusal(Lack.MEMORY, missing)
        if (missing := needs.disk_mb - self.free_disk_mb) > 0:
            return Refusal(Lack.DISK, missing)
        return None

    def runs(self, needs: Needs) -> bool:
        """Whether the server can run the image, whatever room it has left."""
        return needs.image is None or can_run(
            needs.image, mounts=needs.mounts, containers=self.runs_containers, programs=self.programs
        )

    def _unusable(self, needs: Needs, ready_by: datetime) -> Lack | None:
        if (lack := self._leaving(ready_by)) is not None:
            return lack
        if not self.runs(needs):
            return Lack.IMAGE
        if needs.labels and any(self.labels.get(name) != value for name, value in needs.labels):
            return Lack.LABELS
        if self.max_instances is not None and self.instances >= self.max_instances:
            return Lack.INSTANCES
        return None

    def _leaving(self, ready_by: datetime) -> Lack | None:
        if not self.fresh:
            return Lack.HEARTBEAT
        if self.draining:
            return Lack.AVAILABILITY
        if self.expires_at is not None and self.expires_at <= ready_by:
            return Lack.LIFETIME
        return None

    def _lacks_gpus(self, needs: Needs) -> Refusal | None:
        count = needs.gpu_count
        if len(self.gpus) < count:
            return Refusal(Lack.GPU, count - len(self.gpus))
        right = [gpu for gpu in self.gpus if not needs.gpu_models or gpu.model.lower() in needs.gpu_models]
        if len(right) < count:
            return Refusal(Lack.GPU_MODEL, count - len(right))
        if needs.vram_mb is None:
            free = sum(gpu.free_mb == gpu.vram_mb for gpu in right)
            return Refusal(Lack.FREE_GPU, count - free) if free < count else None
        most = sorted((gpu.free_mb for gpu in right), reverse=True)[count - 1]
        return Refusal(Lack.VRAM, needs.vram_mb - most) if most < needs.vram_mb else None

    def gpus_for(self, needs: Needs) -> Sequence[Gpu]:
        """Returns the GPUs to use, the fullest that still fit first. The caller has seen that there is no refusal."""
        usable = [
            gpu
            for gpu in self.gpus
            if (not needs.gpu_models or gpu.model.lower() in needs.gpu_models)
            and (gpu.free_mb == gpu.vram_mb if needs.vram_mb is None else gpu.free_mb >= needs.vram_mb)
        ]
        return sorted(usable, key=lambda gpu: (gpu.free_mb, gpu.gpu_id))[: needs.gpu_count]

    def take(self, needs: Needs, gpus: Sequence[Gpu]) -> None:
        """Takes the room, so that the next choice sees what is left."""
        self.instances += 1
        self.free_milli_cpu -= needs.milli_cpu
        self.free_ram_mb -= needs.ram_mb
        self.free_disk_mb -= needs.disk_mb
        for gpu in gpus:
            gpu.free_mb -= gpu.vram_mb if needs.vram_mb is None else needs.vram_mb

    def give_back(self, needs: Needs, gpus: Mapping[str, int]) -> None:
        """Adds the room of an instance that ends. `gpus`: MiB by GPU."""
        self.instances -= 1
        self.free_milli_cpu += needs.milli_cpu
        self.free_ram_mb += needs.ram_mb
        self.free_disk_mb += needs.disk_mb
        for gpu in self.gpus:
            gpu.free_mb += gpus.get(gpu.gpu_id, 0)
