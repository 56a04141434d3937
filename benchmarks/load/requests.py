"""What the load generator is asked for, and what it answers: one JSON text on a line each."""

from collections.abc import Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Order:
    """Closed loop: `concurrency` callers, each sends its next request when the answer to the last one is there.

    `kind` is `http` (HTTP/1.1, keep-alive, no pipelining; `paths` are taken in turn), `sse` (the same, and each answer
    is a stream of `frames` numbered events) or `gate` (gRPC, `body` is the serialised request). `pids` are the measured
    processes, whose processor time is read at both ends of the window. Times are in seconds.
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
    """Of one window. `own_cpu_seconds` are the load generator's, `refusal` is the first answer that was not good.

    Of streams, a latency is the time to the first event. `merged` events shared a chunk of HTTP with the one before,
    `gaps_us` are the longest pauses between two events of each stream that ended.
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
