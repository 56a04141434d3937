"""Servers and needs with defaults, for tests of placement."""

from datetime import UTC, datetime
from typing import Any

from mlpcore.features.placement.needs import Needs
from mlpcore.features.placement.room import FreeRoom, Gpu

READY = datetime(2026, 1, 1, tzinfo=UTC)
GIB = 1024


def room(server_id: int = 1, **values: Any) -> FreeRoom:
    """A free server with 4 cores, 8 GiB of memory and 100 GiB of disk. `used_*` is taken from what is free."""
    given: dict[str, Any] = {
        "server_id": server_id, "name": f"s{server_id}", "fresh": True, "draining": False, "expires_at": None,
        "labels": {}, "instances": 0, "max_instances": None, "milli_cpu": 4000, "ram_mb": 8 * GIB,
        "disk_mb": 100 * GIB, **values,
    }  # fmt: skip
    for name in ("milli_cpu", "ram_mb", "disk_mb"):
        given[f"free_{name}"] = given[name] - given.pop(f"used_{name}", 0)
    return FreeRoom(**given)


def gpu(gpu_id: str, *, free: int | None = None, vram: int = 24 * GIB, model: str = "NVIDIA L4") -> Gpu:
    return Gpu(gpu_id, model, vram, vram if free is None else free)


def needs(**values: Any) -> Needs:
    return Needs(**{"milli_cpu": 1000, "ram_mb": GIB, "disk_mb": GIB, **values})
