"""What gates and agents report of many instances."""

import uuid
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Final

from mlplace_contracts.events import CallsSampled, InstanceSample, encode_event
from mlplace_contracts.internal.hosting import InstanceUse, ServerSample
from mlplace_runtime.bus.port import Record

STEP: Final = timedelta(seconds=10)
_ENTRIES: Final = 500  # as many as a gate puts into one report
_AGENT: Final = uuid.UUID(int=1)


def reports(
    gates: Sequence[uuid.UUID], instances: Sequence[tuple[int, int]], *, sequence: int, until: datetime
) -> list[Record]:
    """Returns the reports of all gates for the last 10 s. `instances`: model and id; each gate has served each."""
    found: list[Record] = []
    for gate in gates:
        for part, first in enumerate(range(0, len(instances), _ENTRIES)):
            event = CallsSampled(
                reporter=gate,
                sequence=sequence * 1_000 + part,
                started_at=until - STEP,
                ended_at=until,
                instances=tuple(_calls(*entry) for entry in instances[first : first + _ENTRIES]),
                callers=(),
            )
            value = encode_event(event, event_id=uuid.uuid4(), occurred_at=until, trace_parent=None)
            found.append(Record(event.topic.name, event.key, value))
    return found


def _calls(model_id: int, instance_id: int) -> InstanceSample:
    """Eight calls, of which two waited."""
    return InstanceSample(
        model_id=model_id, instance_id=instance_id, answered=8, failed=0, refused=0, reconnects=0, active_ms=400,
        waiting_ms=20, timed=8, time_ms=400, min_ms=31, max_ms=88, waited=2, wait_ms=20, max_wait_ms=12,
        time_buckets=(19, 21, 22, 25), time_counts=(1, 3, 3, 1), wait_buckets=(12, 14), wait_counts=(1, 1),
    )  # fmt: skip


def server_samples(instances: Mapping[int, Sequence[int]], *, sequence: int) -> list[tuple[int, bytes]]:
    """Returns a sample of each server, as an agent sends it. `instances`: ids by server."""
    return [(server_id, _server(instance_ids, sequence)) for server_id, instance_ids in instances.items()]


def _server(instance_ids: Sequence[int], sequence: int) -> bytes:
    uses = [InstanceUse(instance_id=number, milli_cpu=70, ram_mb=200, disk_mb=10) for number in instance_ids]
    sample = ServerSample(
        run=_AGENT, sequence=sequence, seconds=10, age_seconds=1, milli_cpu=7_000, ram_mb=20_000, disk_mb=1_000,
        instances=tuple(uses),
    )  # fmt: skip
    return sample.model_dump_json().encode()
