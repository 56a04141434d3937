"""What a container uses, as the engine counts it."""

import docker.errors
import requests.exceptions
from docker.models.containers import Container
from pydantic import BaseModel, ValidationError

from mlplace_agent.runtimes.port import RunUse


class _Cpu(BaseModel):
    total_usage: int


class _CpuStats(BaseModel):
    cpu_usage: _Cpu


class _Memory(BaseModel):
    """`stats`: details of the kernel. Pages of files that were not used lately do not count: they can be dropped."""

    usage: int | None = None
    stats: dict[str, int] = {}

    @property
    def held(self) -> int | None:
        if self.usage is None:
            return None
        return max(0, self.usage - self.stats.get("inactive_file", self.stats.get("total_inactive_file", 0)))


class _Stats(BaseModel):
    cpu_stats: _CpuStats
    memory_stats: _Memory = _Memory()


def use_of_container(container: Container) -> RunUse | None:
    """Asks the engine once. Returns None if it does not answer, or if the container has ended."""
    api = container.client.api if container.client is not None else None
    if api is None:
        return None
    try:
        told = api.stats(str(container.id), stream=False, one_shot=True)  # pyright: ignore[reportUnknownVariableType, reportUnknownMemberType]  # the SDK's types lack it
        stats = _Stats.model_validate(told)
    except (docker.errors.DockerException, requests.exceptions.RequestException, ValidationError):
        return None
    return RunUse(stats.cpu_stats.cpu_usage.total_usage, stats.memory_stats.held)
