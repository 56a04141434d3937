"""Stores what agents measure on their servers. Agents are untrusted: numbers are bounded, other instances ignored."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Final

import structlog
from sqlalchemy.exc import IntegrityError

from mlpcore.features.instances.tables import Instance
from mlpcore.features.metrics.kinds import GaugeKind, UseFigure, figures
from mlpcore.features.metrics.repository import SampleRepository
from mlpcore.features.metrics.tiers import SAMPLE
from mlpcore.features.servers.tables import Server
from mlplace_contracts.internal.hosting import InstanceUse, ServerSample
from mlplace_kit.clock import Clock

log = structlog.get_logger(__name__)

_MOST: Final = 2**31 - 1
_MOST_SAMPLES: Final = 60


class ServerSamples:
    def __init__(self, repository: SampleRepository, clock: Clock) -> None:
        self._repository = repository
        self._clock = clock

    async def store(self, server: Server, samples: Sequence[ServerSample], instances: Sequence[Instance]) -> None:
        """Stores the samples that were not stored before. The caller holds the server's lock.

        A heartbeat must not fail for them: without a partition for their time they are dropped.
        """
        try:
            async with self._repository.savepoint():
                await self._store(server, samples, instances)
        except IntegrityError:
            log.warning("server_samples_dropped", server_id=server.server_id, samples=len(samples))

    async def _store(self, server: Server, samples: Sequence[ServerSample], instances: Sequence[Instance]) -> None:
        now, models = self._clock.now(), {i.instance_id: i.model_id for i in instances}
        rows: dict[tuple[datetime, int, int], dict[str, object]] = {}
        for sample in sorted(samples, key=lambda sample: sample.sequence)[-_MOST_SAMPLES:]:
            age = timedelta(seconds=max(0.0, min(sample.age_seconds, SAMPLE.kept.total_seconds())))
            if age >= SAMPLE.kept or not await self._repository.is_fresh(
                server_id=server.server_id, run=sample.run, sequence=max(0, min(sample.sequence, 2**62))
            ):
                continue
            start = SAMPLE.start_of(now - age)
            for row in _rows(server, sample, start, models):
                rows[start, int(str(row["kind"])), int(str(row["subject_id"]))] = row
        await self._repository.put_gauges(list(rows.values()))
        await self._repository.cover({start for start, _, _ in rows}, by_gates=False)


def _rows(
    server: Server, sample: ServerSample, start: datetime, models: Mapping[int, int]
) -> Sequence[dict[str, object]]:
    known = [use for use in sample.instances if use.instance_id in models]
    return [
        _row(GaugeKind.SERVER, server.group_id, start, server.server_id, _use(sample, restarts=None)),
        *(
            _row(GaugeKind.INSTANCE, models[use.instance_id], start, use.instance_id, _use(use, restarts=use.restarts))
            for use in known
        ),
    ]


def _row(
    kind: GaugeKind, owner: int, start: datetime, subject: int, known: dict[int, float | None]
) -> dict[str, object]:
    return {
        "kind": kind.value, "owner_id": owner, "start": start, "subject_id": subject, "figures": figures(known),
    }  # fmt: skip


def _use(sample: ServerSample | InstanceUse, *, restarts: int | None) -> dict[int, float | None]:
    return {
        UseFigure.CPU: _amount(sample.milli_cpu),
        UseFigure.RAM: _amount(sample.ram_mb),
        UseFigure.DISK: _amount(sample.disk_mb),
        UseFigure.GPU_PERCENT: _amount(sample.gpu_percent),
        UseFigure.VRAM: _amount(sample.vram_mb),
        UseFigure.RESTARTS: _amount(restarts),
        UseFigure.MOST_RAM: _amount(sample.ram_mb),
    }


def _amount(value: int | None) -> float | None:
    return None if value is None else float(max(0, min(value, _MOST)))
