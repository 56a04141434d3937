"""Reports of gates, as tests make them."""

import uuid
from datetime import datetime, timedelta

from mlplace_contracts.events import CallerSample, CallsSampled, InstanceSample


def sample(model_id: int, **values: object) -> InstanceSample:
    nothing: dict[str, object] = dict.fromkeys(InstanceSample.model_fields, 0)
    empty = dict.fromkeys(("time_buckets", "time_counts", "wait_buckets", "wait_counts"), ())
    return InstanceSample.model_validate({**nothing, **empty, "model_id": model_id, "instance_id": 5, **values})


class Gate:
    """Reports of one process of a gate."""

    def __init__(self) -> None:
        self._reporter = uuid.uuid4()
        self._sequence = 0

    def report(
        self, ended_at: datetime, *samples: InstanceSample, callers: tuple[CallerSample, ...] = (), seconds: float = 10
    ) -> CallsSampled:
        self._sequence += 1
        return CallsSampled(
            reporter=self._reporter,
            sequence=self._sequence,
            started_at=ended_at - timedelta(seconds=seconds),
            ended_at=ended_at,
            instances=samples,
            callers=callers,
        )
