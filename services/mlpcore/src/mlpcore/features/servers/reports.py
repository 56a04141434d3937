"""What the agents of servers report, after validation."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerReport:
    """What the agent of a server reports, with values that fit the columns of the server."""

    agent_version: str | None
    milli_cpu: int
    ram_mb: int
    disk_mb: int
    gpus: Sequence[Mapping[str, object]]
    used: Mapping[str, object]
    gpu_models: Sequence[str]
    runs_containers: bool
    programs: Sequence[str]
