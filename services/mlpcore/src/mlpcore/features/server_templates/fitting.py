"""Whether a server of a template would hold instances of a service, by the scheduler's own comparison."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any

from mlpcore.features.placement.needs import Needs
from mlpcore.features.placement.room import FreeRoom, Gpu
from mlpcore.features.server_templates.tables import ServerTemplate
from mlpcore.quantities import parse_quantity

_MIB = 2**20


def holds(template: ServerTemplate, needs: Needs, *, count: int, now: datetime) -> bool:
    """Says whether an empty server of the template has room for `count` such instances beside each other.

    False for a template without a capacity. A capacity does not say how much memory the GPUs have, so an instance that
    needs a part of a GPU counts as one that needs the whole.
    """
    if template.capacity is None:
        return False
    together = replace(
        needs,
        milli_cpu=needs.milli_cpu * count,
        ram_mb=needs.ram_mb * count,
        disk_mb=needs.disk_mb * count,
        gpu_count=needs.gpu_count * count,
        vram_mb=None,
    )
    room = _empty(template, template.capacity)
    room.instances = count - 1
    return room.refusal(together, now) is None


def _empty(template: ServerTemplate, capacity: Mapping[str, Any]) -> FreeRoom:
    milli_cpu = int(parse_quantity(capacity["cpu"]) * 1000)
    ram_mb, disk_mb = (int(parse_quantity(capacity[name]) / _MIB) for name in ("memory", "disk"))
    return FreeRoom(
        server_id=0,
        name=template.name,
        fresh=True,
        draining=False,
        expires_at=None,
        labels=template.labels,
        instances=0,
        max_instances=template.max_instances,
        milli_cpu=milli_cpu,
        ram_mb=ram_mb,
        disk_mb=disk_mb,
        free_milli_cpu=milli_cpu,
        free_ram_mb=ram_mb,
        free_disk_mb=disk_mb,
        gpus=[Gpu(str(number), model, 1, 1) for number, model in enumerate(capacity["gpu_models"])],
    )
