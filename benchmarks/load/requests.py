"""What the load generator is asked for, and what it answers: one JSON text on a line each."""

from collections.abc import Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Order:
    """Closed loop: `concurrency` callers, each sends its next request when the answer to the last one is there.

    `kind` is `http` (HTTP/1.1, keep-alive, no pipelining; `paths` are taken in turn) or `gate` (gRPC, `body` is the
    serialised request). `pids` are the measured processes, whose processor time is read at both ends of the window.
    Times are in seconds.
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


@dataclass(slots=True)
class Outcome:
    """Of one window. `own_cpu_seconds` are the load generator's, `refusal` is the first answer that was not good."""

    requests: int = 0
    errors: int = 0
    seconds: float = 0.0
    cpu_seconds: float = 0.0
    own_cpu_seconds: float = 0.0
    latencies_us: list[int] = field(default_factory=list[int])
    refusal: str = ""
