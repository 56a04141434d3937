"""What must hold of the rows, computed from the rows alone and without the scheduler's code."""

from collections import defaultdict
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncSession

from mlpcore.features.accounts.tables import PlatformAccount
from mlpcore.features.images.tables import Image
from mlpcore.features.instances.tables import Instance, InstanceEvent
from mlpcore.features.models.tables import Model
from mlpcore.features.placement.tables import Allocation, GpuAllocation
from mlpcore.features.servers.tables import Server

_UNITS = {"m": 0.001, "": 1.0, "Mi": 1.0, "Gi": 1024.0}


def amount(text: str) -> float:
    """Returns cores or MiB."""
    digits = text.rstrip("mMGi")
    return float(digits) * _UNITS[text.removeprefix(digits)]


@dataclass
class Rows:
    """All rows of one moment. `images`: addresses by id; `held`: cores, MiB and MiB by server; `gpus`: MiB by GPU."""

    servers: Mapping[int, Server]
    instances: Mapping[int, Instance]
    models: Mapping[int, Model]
    limits: Mapping[int, PlatformAccount]
    allocations: Mapping[int, Allocation]
    gpu_allocations: list[GpuAllocation]
    evicted: frozenset[int]
    images: Mapping[int, str]
    held: dict[int, list[float]] = field(default_factory=lambda: defaultdict(lambda: [0.0, 0.0, 0.0, 0.0]))
    gpus: dict[tuple[int, str], int] = field(default_factory=lambda: defaultdict(int))

    def __post_init__(self) -> None:
        for row in self.allocations.values():
            for place, value in enumerate((row.milli_cpu / 1000, row.ram_mb, row.disk_mb, 1)):
                self.held[row.server_id][place] += value
        for gpu in self.gpu_allocations:
            self.gpus[gpu.server_id, gpu.gpu_id] += gpu.vram_mb

    def used_by(self, account_id: int) -> dict[str, float]:
        """Returns what the account uses of its limits, in groups of others."""
        foreign = [
            row
            for row in self.allocations.values()
            if row.account_id == account_id and self.servers[row.server_id].account_id != account_id
        ]
        with_gpu = {gpu.instance_id for gpu in self.gpu_allocations}
        return {
            "cpu_limit": sum(row.milli_cpu for row in foreign) / 1000,
            "memory_limit": sum(row.ram_mb for row in foreign),
            "ephemeral_disk_limit": sum(row.disk_mb for row in foreign),
            "gpu_model_instance_limit": sum(row.instance_id in with_gpu for row in foreign),
            "base_model_instance_limit": sum(
                instance.account_id == account_id and instance.server_id is not None
                for instance in self.instances.values()
                if instance.state not in {"REMOVING", "DELETED"}
            ),
        }

    def counted_for(self, account_id: int) -> dict[str, float]:
        """Returns what a new instance is weighed against: instances that move from their server do not count.

        Fits do not move.
        """
        draining = {number for number, server in self.servers.items() if server.draining_since is not None}
        moving = sum(
            instance.account_id == account_id
            and instance.state not in {"REMOVING", "DELETED"}
            and instance.server_id in draining
            and instance.purpose == "serve"
            for instance in self.instances.values()
        )
        used = self.used_by(account_id)
        return {**used, "base_model_instance_limit": used["base_model_instance_limit"] - moving}

    def active_of(self, model_id: int) -> int:
        """Counts those that answer calls."""
        return sum(
            (instance.model_id, instance.purpose) == (model_id, "serve")
            and instance.state not in {"REMOVING", "DELETED"}
            for instance in self.instances.values()
        )

    def limits_of(self, account_id: int) -> dict[str, float]:
        return {name: amount(str(getattr(self.limits[account_id], name))) for name in self.used_by(account_id)}


async def read_rows(session: AsyncSession) -> Rows:
    async def by(table: type[Any], key: str) -> dict[int, Any]:
        return {getattr(row, key): row for row in (await session.scalars(sa.select(table))).all()}

    return Rows(
        await by(Server, "server_id"),
        await by(Instance, "instance_id"),
        await by(Model, "model_id"),
        await by(PlatformAccount, "account_id"),
        await by(Allocation, "instance_id"),
        list((await session.scalars(sa.select(GpuAllocation))).all()),
        frozenset(await session.scalars(sa.select(InstanceEvent.instance_id).where(InstanceEvent.reason == "Evicted"))),
        {number: image.image for number, image in (await by(Image, "image_id")).items()},
    )


def check_servers(rows: Rows) -> None:
    """Never is more allocated than a server has."""
    for number, server in rows.servers.items():
        cpu, ram, disk, count = rows.held[number]
        assert cpu <= (server.milli_cpu or 0) / 1000 + 1e-9, f"{cpu} cores on server {server.name}"
        assert ram <= (server.ram_mb or 0), f"{ram} MiB on server {server.name}"
        assert disk <= (server.disk_mb or 0), f"{disk} MiB of disk on server {server.name}"
        assert server.max_instances is None or count <= server.max_instances
        for gpu in server.gpus:
            assert rows.gpus[number, gpu["gpu_id"]] <= gpu["vram_mb"], f"{gpu['gpu_id']} of {server.name}"


def check_images(before: Rows, after: Rows) -> None:
    """Whatever got a place since then got it on a server that can run its image."""
    for number, row in after.allocations.items():
        earlier = before.allocations.get(number)
        if (earlier is None or earlier.server_id != row.server_id) and row.server_id in after.servers:
            server, model = after.servers[row.server_id], after.models[after.instances[number].model_id]
            assert runs(after, server, model), f"instance {number} on server {server.name}"


def runs(rows: Rows, server: Server, model: Model) -> bool:
    assert model.image_id is not None
    if rows.images[model.image_id] in server.programs:
        return not model.data_image_mounts
    return server.runs_containers


def check_pairs(rows: Rows, lost: Collection[int]) -> None:
    """There is no allocation without an instance on that server, nor the reverse, and its amounts are its model's.

    `lost`: instances whose GPU somebody has taken from the tables. One that is being removed does not get it back.
    """
    on_servers = {
        number: instance.server_id
        for number, instance in rows.instances.items()
        if instance.server_id is not None and instance.state != "DELETED"
    }
    assert {number: row.server_id for number, row in rows.allocations.items()} == on_servers
    gpus: dict[int, int] = defaultdict(int)
    for gpu in rows.gpu_allocations:
        gpus[gpu.instance_id] += 1
    for number, row in rows.allocations.items():
        limits = rows.models[rows.instances[number].model_id].resource_limits
        assert (row.milli_cpu / 1000, row.ram_mb, row.disk_mb) == (
            amount(limits["cpuRequest"]), amount(limits["memoryLimit"]), amount(limits["ephemeralDiskLimit"])
        )  # fmt: skip
        if number not in lost or rows.instances[number].state != "REMOVING":
            assert gpus[number] == int(limits["gpuRequested"])


def check_reasons(rows: Rows, now: datetime) -> None:
    """Each instance that waits has a reason, and the reason and its numbers are true.

    Call it when a pass of the scheduler has changed nothing.
    """
    for instance in rows.instances.values():
        if instance.state != "IDLE":
            continue
        model, details = rows.models[instance.model_id], instance.waiting_details
        exceeded = _exceeded(rows, instance.account_id, model)
        if exceeded is not None:
            assert instance.waiting_reason == "AccountLimit"
            assert details is not None
            limit = details["limit"]
            assert (limit["name"], *(amount(limit[name]) for name in ("allowed", "used", "needed"))) == exceeded
            continue
        assert instance.waiting_reason == "NotEnoughRoom", instance.waiting_reason
        assert details is not None
        fitting = [server.name for server in rows.servers.values() if lack_of(rows, server, model, now) is None]
        assert not fitting, f"instance {instance.instance_id} waits, and {fitting} can take it"
        assert details["servers"] == len(rows.servers)
        told = {entry["what"]: (entry["servers"], entry["missing"]) for entry in details["lacking"]}
        assert told == _lacks(rows, model, now), f"instance {instance.instance_id}"


def check_evictions(before: Rows, after: Rows, called: Mapping[int, datetime], requested: Collection[int]) -> None:
    """Nobody was evicted who trains or was used in the last two days, nor below the least number of the service.

    `called`: when each model was last called; `requested`: models whose number somebody has changed in between.
    """
    for number in after.evicted - before.evicted:
        instance = after.instances[number]
        model_id, ended = instance.model_id, instance.state_changed_at
        assert instance.purpose == "serve", f"instance {number} trained, and was evicted"
        used = max(instance.start_requested_at, min(called.get(model_id, instance.start_requested_at), ended))
        assert ended - used >= timedelta(days=2), f"instance {number} was used at {used}, and evicted at {ended}"
        if model_id not in requested:
            least = min(after.models[model_id].min_instances_count, before.active_of(model_id))
            assert after.active_of(model_id) >= least, f"model {model_id} keeps {least}"


_LIMITS: Mapping[str, tuple[str, Callable[[Mapping[str, Any]], float]]] = {
    "baseModelInstanceLimit": ("base_model_instance_limit", lambda _: 1),
    "cpuLimit": ("cpu_limit", lambda limits: amount(limits["cpuRequest"])),
    "memoryLimit": ("memory_limit", lambda limits: amount(limits["memoryLimit"])),
    "ephemeralDiskLimit": ("ephemeral_disk_limit", lambda limits: amount(limits["ephemeralDiskLimit"])),
    "gpuModelInstanceLimit": ("gpu_model_instance_limit", lambda limits: int(limits["gpuRequested"])),
}
"""In the order in which they are told. Each with its column and what an instance needs of it."""


def _exceeded(rows: Rows, account_id: int, model: Model) -> tuple[str, float, float, float] | None:
    """Returns the first limit that one instance more exceeds: its name, its value, what is used, what is needed."""
    used, allowed = rows.counted_for(account_id), rows.limits_of(account_id)
    foreign = any(server.account_id != account_id for server in rows.servers.values())
    for name, (column, needed_of) in _LIMITS.items():
        if name != "baseModelInstanceLimit" and not foreign:
            continue
        needed = needed_of(model.resource_limits)
        if needed and used[column] + needed > allowed[column] + 1e-9:
            return name, allowed[column], round(used[column], 3), needed
    return None


def _lacks(rows: Rows, model: Model, now: datetime) -> dict[str, tuple[int, int]]:
    """Returns how many servers lack what, and the least missing amount."""
    found: dict[str, tuple[int, int]] = {}
    for server in rows.servers.values():
        lack = lack_of(rows, server, model, now)
        assert lack is not None
        what, missing = lack
        servers, least = found.get(what, (0, missing))
        found[what] = servers + 1, min(least, missing)
    return found


def lack_of(rows: Rows, server: Server, model: Model, now: datetime) -> tuple[str, int] | None:
    """Returns the first thing that the server lacks, and how much of it: thousandths of a core, MiB, GPUs, or 0."""
    cpu, ram, disk, count = rows.held[server.server_id]
    limits, heard = model.resource_limits, server.last_heartbeat_at
    if heard is None or now - heard > timedelta(seconds=30):
        return "heartbeat", 0
    if server.draining_since is not None:
        return "availability", 0
    if not runs(rows, server, model):
        return "image", 0
    if server.max_instances is not None and count >= server.max_instances:
        return "instances", 0
    amounts = (
        ("cpu", amount(limits["cpuRequest"]) * 1000, (server.milli_cpu or 0) - cpu * 1000),
        ("memory", amount(limits["memoryLimit"]), (server.ram_mb or 0) - ram),
        ("disk", amount(limits["ephemeralDiskLimit"]), (server.disk_mb or 0) - disk),
    )
    missing = ((what, round(needed - left)) for what, needed, left in amounts)
    return _lack_of_gpu(rows, server, limits) or next(((what, many) for what, many in missing if many > 0), None)


def _lack_of_gpu(rows: Rows, server: Server, limits: Mapping[str, Any]) -> tuple[str, int] | None:
    if not limits["gpuRequested"]:
        return None
    if not server.gpus:
        return "gpu", 1
    part: int | None = limits["gpuMemoryLimitMb"]
    free = [gpu["vram_mb"] - rows.gpus[server.server_id, gpu["gpu_id"]] for gpu in server.gpus]
    whole = any(left == gpu["vram_mb"] for left, gpu in zip(free, server.gpus, strict=True))
    if part is None:
        return None if whole else ("freeGpu", 1)
    return ("vram", part - max(free)) if max(free) < part else None
