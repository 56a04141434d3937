"""The answer of `/health/ready`, by which load balancers decide whether to send requests here.

| status        | HTTP | meaning |
|---------------|------|---------|
| `ok`          | 200  | everything works |
| `degraded`    | 200  | requests are answered; `missing` says what is late or left out |
| `unavailable` | 503  | requests cannot be answered; `missing` says why |

Orchestrators, the edge and compose look at the HTTP status only. A service therefore stays available while only the
event bus is unreachable: it has its own data, its events wait in the outbox, and removing all services at once would
help nobody. Without its database a service is unavailable, except the gateway. The gateway is unavailable until its
read models know keys and models, and while it cannot record calls.

A service that has just started waits for the events that it missed, as long as the bus can deliver them.
"""

from dataclasses import dataclass
from typing import Literal

from mlplace_runtime.service import Runtime

_SERVED = 200
_NOT_SERVED = 503


@dataclass(frozen=True, slots=True)
class Health:
    """`missing` maps each part to its problem, for people to read."""

    status: Literal["ok", "degraded", "unavailable"]
    missing: dict[str, str]

    @property
    def http_status(self) -> int:
        return _NOT_SERVED if self.status == "unavailable" else _SERVED


async def health_of(runtime: Runtime) -> Health:
    """Asks the database, for two seconds at most; the rest is already known."""
    needed, late, behind = dict(runtime.ready()), dict(runtime.late()), dict(runtime.behind())
    if not await runtime.database.answers():
        (needed if runtime.database_needed else behind)["database"] = "does not answer"
    trouble = runtime.bus.trouble() if runtime.bus else None
    if trouble:
        behind["events"] = trouble
        behind |= late
    elif late:
        needed |= late
    if needed:
        return Health("unavailable", {**behind, **needed})
    return Health("degraded" if behind else "ok", behind)
