"""Orders for a load generator and its outcomes, as JSON on one line each."""

from collections.abc import Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Order:
    """A closed loop: each of `concurrency` callers sends its next request when the last one is answered.

    `kind` is `http` (HTTP/1.1, keep-alive, no pipelining; `paths` are used in turn), `sse` (the same, with answers of
    `frames` numbered events) or `gate` (gRPC; `body` is the serialised request). `pids` are the measured processes,
    whose processor time is read at both ends of the window. Times are in seconds.
    """

    kind: str
    port: int
    body: str
    concurrency: int
    seconds: float
    warm_up: float
    pids: Sequence[int]
    paths: Sequence[str] = ("/",)
    method: str = "POST"
    headers: dict[str, str] = field(default_factory=dict[str, str])
    frames: int = 0


@dataclass(slots=True)
class Outcome:
    """Result of one window. `own_cpu_seconds` are the load generator's; `refusal` is the first wrong answer.

    For streams, a latency is the time to the first event. `merged` counts events in the same HTTP chunk as the one
    before; `gaps_us` are the longest pauses between two events of each finished stream.
    """

    requests: int = 0
    errors: int = 0
    seconds: float = 0.0
    cpu_seconds: float = 0.0
    own_cpu_seconds: float = 0.0
    latencies_us: list[int] = field(default_factory=list[int])
    refusal: str = ""
    frames: int = 0
    merged: int = 0
    gaps_us: list[int] = field(default_factory=list[int])
