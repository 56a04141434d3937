"""What one instance of a service needs of a server."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from mlpcore.quantities import bytes_of, milli_cpu_of

_MIB = 2**20


@dataclass(frozen=True, slots=True, kw_only=True)
class Needs:
    """CPU in thousandths of a core; memory, disk and VRAM in MiB.

    `vram_mb`: memory on each of `gpu_count` GPUs; None for whole GPUs that no other instance uses. `gpu_models`: the
    models that will do, in lower case; none for any model. `labels`: what the server's configuration must say.
    `image`: the address of the image that the server must be able to run; None for any server. `mounts`: the instance
    reads data images, which programs cannot.
    """

    milli_cpu: int
    ram_mb: int
    disk_mb: int
    gpu_count: int = 0
    vram_mb: int | None = None
    gpu_models: frozenset[str] = frozenset()
    labels: tuple[tuple[str, str], ...] = ()
    image: str | None = None
    mounts: bool = False


@dataclass(frozen=True, slots=True)
class Service:
    """What the scheduler knows of a model. `start_seconds`: the time that an instance has to start."""

    model_id: int
    has_image: bool
    needs: Needs
    start_seconds: int


def service_of(
    model_id: int,
    image_id: int | None,
    resource_limits: Mapping[str, object],
    timeouts: Mapping[str, Any],
    mounts: Sequence[object],
    image: str | None,
) -> Service:
    """Takes the columns of a model and the address of its image."""
    needs = needs_of(resource_limits, image=image, mounts=bool(mounts))
    return Service(model_id, image_id is not None, needs, int(timeouts["podStartTimeoutSec"]))


def needs_of(limits: Mapping[str, object], *, image: str | None = None, mounts: bool = False) -> Needs:
    """Reads a service's resource limits in the wire's shape. Amounts are rounded up."""
    gpus = _number(limits.get("gpuCount")) or 1 if limits.get("gpuRequested") else 0
    models, labels = limits.get("gpuModels"), limits.get("serverLabels")
    return Needs(
        milli_cpu=max(1, milli_cpu_of(str(limits["cpuRequest"]))),
        ram_mb=_mib(limits["memoryLimit"]),
        disk_mb=_mib(limits["ephemeralDiskLimit"]),
        gpu_count=gpus,
        vram_mb=_number(limits.get("gpuMemoryLimitMb")) if gpus else None,
        gpu_models=frozenset(str(name).lower() for name in models) if isinstance(models, list) else frozenset(),  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]  # JSON
        labels=tuple(sorted((str(k), str(v)) for k, v in labels.items())) if isinstance(labels, dict) else (),  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]  # JSON
        image=image,
        mounts=mounts,
    )


def _mib(quantity: object) -> int:
    return -(-bytes_of(str(quantity)) // _MIB)


def _number(value: object) -> int | None:
    return value if isinstance(value, int) else None
