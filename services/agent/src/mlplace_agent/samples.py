"""Samples of what this server and its instances use, for the platform's measures."""

import time
import uuid
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from mlplace_agent.meter import ServerMeter
from mlplace_agent.runtimes.port import RunUse
from mlplace_agent.supervisor import Supervisor
from mlplace_contracts.internal.hosting import DesiredInstance, InstanceUse, ReportedGpu, ServerSample

_MIB: Final = 2**20
_NANO: Final = 1_000_000_000
SECONDS: Final = 10.0
_MOST_KEPT: Final = 60
"""Samples that the platform has not acknowledged: ten minutes. Then the oldest are dropped."""
_MOST_SENT: Final = 6
_MOST_INSTANCES_SENT: Final = 1500
"""In one heartbeat, so that it stays far below the platform's limit; at least one sample is sent."""


@dataclass(frozen=True, slots=True)
class _Before:
    """What an instance had used at the last sample. Another run of it has another `mark`."""

    mark: object
    cpu_nanoseconds: int | None
    restarts: int


class Sampler:
    """Keeps the samples until the platform has them. `seconds`: the interval of a sample."""

    def __init__(
        self, meter: ServerMeter, *, seconds: float = SECONDS, now: Callable[[], float] = time.monotonic
    ) -> None:
        self._meter = meter
        self._now = now
        self._seconds = seconds
        self._run = uuid.uuid4()
        self._sequence = 0
        self._kept: deque[tuple[float, ServerSample]] = deque(maxlen=_MOST_KEPT)
        self._before: dict[int, _Before] = {}
        self._taken_at: float | None = None

    @property
    def seconds(self) -> float:
        return self._seconds

    async def take(self, supervisors: Mapping[int, Supervisor]) -> None:
        """Measures now. The first time only remembers what later measurements are compared with."""
        uses = {key: await supervisor.use() for key, supervisor in supervisors.items()}
        now = self._now()
        since, self._taken_at = self._taken_at, now
        seconds = 0.0 if since is None else now - since
        capacity = self._meter.read(held_disk_bytes=sum(s.disk_bytes for s in supervisors.values()))
        instances = tuple(
            self._one(supervisor, uses[key], seconds, capacity.gpus) for key, supervisor in supervisors.items()
        )
        self._before = {key: _before(supervisor, uses[key]) for key, supervisor in supervisors.items()}
        if since is None or seconds <= 0:
            return
        self._sequence += 1
        sample = ServerSample(
            run=self._run,
            sequence=self._sequence,
            seconds=seconds,
            age_seconds=0.0,
            milli_cpu=capacity.used_milli_cpu,
            ram_mb=capacity.used_ram_mb,
            disk_mb=capacity.used_disk_mb,
            gpu_percent=_sum([gpu.usage_percent for gpu in capacity.gpus]),
            vram_mb=_sum([gpu.used_vram_mb for gpu in capacity.gpus]),
            instances=instances,
        )
        self._kept.append((now, sample))

    def pending(self) -> tuple[ServerSample, ...]:
        """Returns the oldest samples that the platform does not have, with their age."""
        now = self._now()
        chosen: list[ServerSample] = []
        left = _MOST_INSTANCES_SENT
        for taken_at, sample in list(self._kept)[:_MOST_SENT]:
            left -= len(sample.instances)
            if chosen and left < 0:
                break
            chosen.append(sample.model_copy(update={"age_seconds": max(0.0, now - taken_at)}))
        return tuple(chosen)

    def acknowledge(self, samples: Sequence[ServerSample]) -> None:
        """Forgets samples that the platform has."""
        last = max((sample.sequence for sample in samples), default=0)
        while self._kept and self._kept[0][1].sequence <= last:
            self._kept.popleft()

    def _one(
        self, supervisor: Supervisor, use: RunUse | None, seconds: float, gpus: Sequence[ReportedGpu]
    ) -> InstanceUse:
        instance = supervisor.instance
        before = self._before.get(instance.instance_id)
        mine = _gpus_of(instance, gpus)
        restarts = supervisor.report.restart_count
        return InstanceUse(
            instance_id=instance.instance_id,
            milli_cpu=_milli_cpu(before, supervisor, use, seconds),
            ram_mb=None if use is None or use.ram_bytes is None else use.ram_bytes // _MIB,
            disk_mb=None if use is None else supervisor.disk_bytes // _MIB,
            gpu_percent=_sum([gpu.usage_percent for gpu in mine]),
            vram_mb=_sum([gpu.used_vram_mb for gpu in mine]),
            restarts=max(0, restarts - (before.restarts if before is not None else 0)),
        )


def _before(supervisor: Supervisor, use: RunUse | None) -> _Before:
    return _Before(supervisor.mark, None if use is None else use.cpu_nanoseconds, supervisor.report.restart_count)


def _milli_cpu(before: _Before | None, supervisor: Supervisor, use: RunUse | None, seconds: float) -> int | None:
    """Returns None for a run that the last sample did not see: what it has used began at an unknown time."""
    if use is None or use.cpu_nanoseconds is None or before is None or before.cpu_nanoseconds is None or seconds <= 0:
        return None
    if before.mark is not supervisor.mark or use.cpu_nanoseconds < before.cpu_nanoseconds:
        return None
    return round((use.cpu_nanoseconds - before.cpu_nanoseconds) / _NANO / seconds * 1000)


def _gpus_of(instance: DesiredInstance, gpus: Sequence[ReportedGpu]) -> list[ReportedGpu]:
    """Returns the GPUs that the instance has alone: only their use is its own."""
    if instance.gpu_memory_mb is not None:
        return []
    return [gpu for gpu in gpus if gpu.gpu_id in instance.gpu_ids]


def _sum(values: Sequence[int | None]) -> int | None:
    """Returns None if nothing is known, or not everything."""
    known = [value for value in values if value is not None]
    return sum(known) if known and len(known) == len(values) else None
