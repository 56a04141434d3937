"""What gates count of calls, in intervals of some seconds."""

import uuid
from typing import ClassVar

from pydantic import BaseModel, ConfigDict

from mlplace_contracts.events.base import Event, Moment
from mlplace_contracts.topics import SAMPLES, Topic


class InstanceSample(BaseModel):
    """Calls of a model at one instance in the interval. `instance_id` 0: calls without an instance.

    `answered`, `failed` (the service is at fault) and `refused` count calls that ended in the interval. `reconnects`:
    streams that the instance opened again. `active_ms` and `waiting_ms` add up the time that all calls spent in the
    interval, at an instance and before they had one: divided by the interval they are averages.

    `timed` of the answered calls have a time that says something about the service: the sum, least and largest in
    milliseconds. `waited` calls had to wait; the same of their waits. A histogram is two lists of equal length: numbers
    of buckets (bucket n holds times above 1.2^(n-1) ms up to 1.2^n ms) and how many times are in each.
    """

    model_config = ConfigDict(frozen=True, extra="ignore")

    model_id: int
    instance_id: int
    answered: int
    failed: int
    refused: int
    reconnects: int
    active_ms: int
    waiting_ms: int
    timed: int
    time_ms: int
    min_ms: int
    max_ms: int
    waited: int
    wait_ms: int
    max_wait_ms: int
    time_buckets: tuple[int, ...]
    time_counts: tuple[int, ...]
    wait_buckets: tuple[int, ...]
    wait_counts: tuple[int, ...]


class CallerSample(BaseModel):
    """Calls that an account made in the interval. `exceeded` of them were refused by its limit of calls per second."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    account_id: int
    calls: int
    exceeded: int


class CallsSampled(Event):
    """The calls that one gate counted from `started_at` to `ended_at`. What did not occur is not named.

    `reporter` names the process of the gate, and `sequence` its report: a report counts once, however often it arrives.
    A large report is split; its parts have sequences of their own and the same interval.
    """

    type_name: ClassVar[str] = "mlpgateway.calls_sampled.v1"
    topic: ClassVar[Topic] = SAMPLES

    reporter: uuid.UUID
    sequence: int
    started_at: Moment
    ended_at: Moment
    instances: tuple[InstanceSample, ...]
    callers: tuple[CallerSample, ...]

    @property
    def key(self) -> str:
        return str(self.reporter)
