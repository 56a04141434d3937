"""Measures what this server has for instances, and what is in use on it."""

import shutil

import psutil

from mlplace_agent.gpus.inventory import GpuInventory
from mlplace_contracts.internal.hosting import ServerCapacity

_MIB = 2**20


class ServerMeter:
    """`disk_path`: a folder on the disk that instances write to."""

    def __init__(self, *, disk_path: str, gpus: GpuInventory | None = None) -> None:
        self._disk_path = disk_path
        self._gpus = gpus
        self._milli_cpu = (psutil.cpu_count() or 1) * 1000
        self._cpu = psutil.cpu_times()

    def read(self, *, held_disk_bytes: int) -> ServerCapacity:
        """`held_disk_bytes`: what instances hold on the disk now."""
        memory = psutil.virtual_memory()
        free = shutil.disk_usage(self._disk_path).free
        gpus = self._gpus.gpus if self._gpus is not None else ()
        return ServerCapacity(
            milli_cpu=self._milli_cpu,
            ram_mb=memory.total // _MIB,
            disk_mb=(free + held_disk_bytes) // _MIB,
            gpu_models=tuple(gpu.model for gpu in gpus),
            gpus=gpus,
            used_milli_cpu=self._used_milli_cpu(),
            used_ram_mb=(memory.total - memory.available) // _MIB,
            used_disk_mb=held_disk_bytes // _MIB,
        )

    def _used_milli_cpu(self) -> int | None:
        """Returns the use since the last reading of this meter, not of this process."""
        before, self._cpu = self._cpu, psutil.cpu_times()
        passed = sum(self._cpu) - sum(before)
        idle = self._cpu.idle - before.idle + getattr(self._cpu, "iowait", 0.0) - getattr(before, "iowait", 0.0)
        if passed <= 0:
            return None
        return round(max(0.0, min(1.0, 1 - idle / passed)) * self._milli_cpu)
