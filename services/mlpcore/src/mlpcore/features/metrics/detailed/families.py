"""The metrics by name. A value that is not known has no series. Units are those of Prometheus: cores, bytes, GPUs."""

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from itertools import chain
from typing import Final, NamedTuple

from mlpcore.features.metrics.detailed.repository import Allocated, Figures, InstanceRow, LimitsRow, ServerRow
from mlpcore.features.metrics.kinds import UseFigure
from mlplace_runtime.telemetry.exposition import Pieces, family, labels

_HEARD: Final = timedelta(seconds=60)


def _cores(milli_cpu: float) -> float:
    return milli_cpu / 1000


def _bytes(mib: float) -> float:
    return mib * 2**20


def _gpus(percent: float) -> float:
    return percent / 100


class _Used(NamedTuple):
    """`unit` turns the figure into the unit of the metric."""

    name: str
    text: str
    use: UseFigure
    unit: Callable[[float], float]


_USES_OF_INSTANCE: Final = (
    _Used("mlp_instance_cpu_used_cores", "Processor time in use", UseFigure.CPU, _cores),
    _Used("mlp_instance_memory_used_bytes", "Memory in use", UseFigure.RAM, _bytes),
    _Used("mlp_instance_disk_used_bytes", "Disk in use", UseFigure.DISK, _bytes),
    _Used("mlp_instance_gpus_used", "GPUs that compute, if it has them alone", UseFigure.GPU_PERCENT, _gpus),
    _Used("mlp_instance_gpu_memory_used_bytes", "GPU memory in use, if it has the GPUs alone", UseFigure.VRAM, _bytes),
)
_USES_OF_SERVER: Final = (
    _Used("mlp_server_cpu_used_cores", "Processor time in use", UseFigure.CPU, _cores),
    _Used("mlp_server_memory_used_bytes", "Memory in use", UseFigure.RAM, _bytes),
    _Used("mlp_server_disk_used_bytes", "Disk that instances use", UseFigure.DISK, _bytes),
    _Used("mlp_server_gpus_used", "GPUs that compute", UseFigure.GPU_PERCENT, _gpus),
    _Used("mlp_server_gpu_memory_used_bytes", "GPU memory in use", UseFigure.VRAM, _bytes),
)
_COUNTS: Final = "What counts against the limit: allocations on servers of other accounts"


def pieces_of(
    instances: Sequence[InstanceRow], servers: Sequence[ServerRow], limits: Sequence[LimitsRow], now: datetime
) -> Pieces:
    """Returns all metrics in the text format of Prometheus."""
    return chain.from_iterable((*_instances(instances), *_servers(servers, now), *_limits(limits)))


def _instances(found: Sequence[InstanceRow]) -> Sequence[Pieces]:
    rows = [
        (labels({"account": row.account, "model": row.model, "instance_id": str(row.instance_id)}), row)
        for row in found
    ]

    def gauge(name: str, text: str, value: Callable[[InstanceRow], float | None]) -> Pieces:
        return family(name, "gauge", text, ((of, value(row)) for of, row in rows))

    def used(each: _Used) -> Pieces:
        return gauge(each.name, each.text, lambda row: _figure(row.use, each))

    def allocated(name: str, text: str, value: Callable[[Allocated], float]) -> Pieces:
        return gauge(name, text, lambda row: None if row.allocated is None else value(row.allocated))

    restarts = [(of, row.restarts) for of, row in rows]
    return [
        gauge("mlp_instance_connected", "1 while the instance is connected to a gate", lambda row: int(row.connected)),
        family("mlp_instance_restarts_total", "counter", "Restarts by the server's agent", restarts),
        *map(used, _USES_OF_INSTANCE),
        allocated("mlp_instance_cpu_allocated_cores", "Processor time that it has", lambda it: _cores(it.milli_cpu)),
        allocated("mlp_instance_memory_allocated_bytes", "Memory: its limit", lambda it: _bytes(it.ram_mb)),
        allocated("mlp_instance_disk_allocated_bytes", "Disk: its limit", lambda it: _bytes(it.disk_mb)),
        allocated("mlp_instance_gpus_allocated", "GPUs of which it has a part", lambda it: it.gpus),
        allocated("mlp_instance_gpu_memory_allocated_bytes", "GPU memory", lambda it: _bytes(it.gpu_memory_mb)),
    ]


def _servers(found: Sequence[ServerRow], now: datetime) -> Sequence[Pieces]:
    """Of a server that does not report only that is known."""
    since = now - _HEARD
    rows = [(labels({"account": row.account, "resource_group": row.group, "server": row.server}), row) for row in found]
    up = [(of, row) for of, row in rows if row.heartbeat_at >= since]

    def gauge(name: str, text: str, value: Callable[[ServerRow], float | None]) -> Pieces:
        return family(name, "gauge", text, ((of, value(row)) for of, row in up))

    def used(each: _Used) -> Pieces:
        return gauge(each.name, each.text, lambda row: _figure(row.use, each))

    def allocated(name: str, text: str, value: Callable[[Allocated], float]) -> Pieces:
        return gauge(name, text, lambda row: value(row.allocated))

    reports = [(of, int(row.heartbeat_at >= since)) for of, row in rows]
    return [
        family("mlp_server_up", "gauge", "1 if its agent reported in the last minute", reports),
        *map(used, _USES_OF_SERVER),
        gauge("mlp_server_cpu_cores", "Cores that instances may have", lambda row: _in(row.milli_cpu, _cores)),
        gauge("mlp_server_memory_bytes", "Memory that instances may have", lambda row: _in(row.ram_mb, _bytes)),
        gauge("mlp_server_disk_bytes", "Disk that instances may have", lambda row: _in(row.disk_mb, _bytes)),
        gauge("mlp_server_gpus", "GPUs", lambda row: row.gpus),
        gauge("mlp_server_gpu_memory_bytes", "Memory of all GPUs", lambda row: _bytes(row.vram_mb)),
        allocated("mlp_server_cpu_allocated_cores", "Cores that instances have", lambda it: _cores(it.milli_cpu)),
        allocated("mlp_server_memory_allocated_bytes", "Memory that instances have", lambda it: _bytes(it.ram_mb)),
        allocated("mlp_server_disk_allocated_bytes", "Disk that instances have", lambda it: _bytes(it.disk_mb)),
        allocated("mlp_server_gpus_allocated", "GPUs of which instances have a part", lambda it: it.gpus),
        allocated(
            "mlp_server_gpu_memory_allocated_bytes", "GPU memory of instances", lambda it: _bytes(it.gpu_memory_mb)
        ),
    ]


def _limits(found: Sequence[LimitsRow]) -> Sequence[Pieces]:
    rows = [(labels({"account": row.account}), row) for row in found]

    def gauge(name: str, text: str, value: Callable[[LimitsRow], float | None]) -> Pieces:
        return family(name, "gauge", text, ((of, value(row)) for of, row in rows))

    return [
        gauge(
            "mlp_account_cpu_limit_cores", "Cores that its instances may have", lambda row: _in(row.milli_cpu, _cores)
        ),
        gauge("mlp_account_memory_limit_bytes", "Memory that its instances may have", lambda row: row.ram_bytes),
        gauge("mlp_account_disk_limit_bytes", "Disk that its instances may have", lambda row: row.disk_bytes),
        gauge("mlp_account_gpu_instances_limit", "Instances with GPUs that it may have", lambda row: row.gpu_instances),
        gauge("mlp_account_cpu_allocated_cores", _COUNTS, lambda row: _cores(row.used.milli_cpu)),
        gauge("mlp_account_memory_allocated_bytes", _COUNTS, lambda row: _bytes(row.used.ram_mb)),
        gauge("mlp_account_disk_allocated_bytes", _COUNTS, lambda row: _bytes(row.used.disk_mb)),
        gauge("mlp_account_gpu_instances_allocated", _COUNTS, lambda row: row.used.gpu_instances),
    ]


def _figure(figures: Figures, each: _Used) -> float | None:
    return _in(figures[each.use - 1] if figures else None, each.unit)


def _in(value: float | None, unit: Callable[[float], float]) -> float | None:
    return None if value is None else unit(value)
