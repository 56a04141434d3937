"""What one instance of a service needs of a server.

The database computes it from the service's settings when they are written; nothing else reads these settings.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy.orm import InstrumentedAttribute

from mlpcore.features.models.tables import Model

COLUMNS: Final[tuple[InstrumentedAttribute[Any], ...]] = (
    Model.milli_cpu,
    Model.ram_mb,
    Model.disk_mb,
    Model.gpu_count,
    Model.vram_mb,
    Model.gpu_models,
    Model.server_labels,
)
"""The columns of a service that say what its instances need, in the order of the arguments of `Needs.read`."""


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

    @classmethod
    def read(
        cls,
        milli_cpu: int,
        ram_mb: int,
        disk_mb: int,
        gpu_count: int,
        vram_mb: int | None,
        gpu_models: Sequence[str],
        server_labels: Mapping[str, object],
        *,
        image: str | None = None,
        mounts: bool = False,
    ) -> "Needs":
        """Takes the values of `COLUMNS`."""
        return cls(
            milli_cpu=milli_cpu,
            ram_mb=ram_mb,
            disk_mb=disk_mb,
            gpu_count=gpu_count,
            vram_mb=vram_mb,
            gpu_models=frozenset(name.lower() for name in gpu_models),
            labels=tuple(sorted((name, str(value)) for name, value in server_labels.items())),
            image=image,
            mounts=mounts,
        )


@dataclass(frozen=True, slots=True)
class ServiceNeeds:
    """What the scheduler knows of a model. `start_seconds`: the time that an instance has to start.

    `image_owners`: the accounts of its images and data images whose address the model's account must not learn.
    """

    model_id: int
    has_image: bool
    needs: Needs
    start_seconds: int
    image_owners: frozenset[int] = frozenset()


def needs_of(model: Model) -> Needs:
    """Returns what an instance of the model needs, without its image. Changes of the model must be flushed."""
    return Needs.read(
        model.milli_cpu,
        model.ram_mb,
        model.disk_mb,
        model.gpu_count,
        model.vram_mb,
        model.gpu_models,
        model.server_labels,
    )
