"""Chooses the runtime of an image: a process if the configuration names a program for it, else Docker if enabled."""

from mlplace_agent.config import AgentConfig
from mlplace_agent.runtimes.port import RefusedError, Run, Runtime
from mlplace_agent.runtimes.process import ProcessRuntime
from mlplace_contracts.internal.hosting import DesiredInstance


class ChosenRuntime(Runtime):
    def __init__(self, config: AgentConfig, *, server_id: int) -> None:
        self._programs = frozenset(config.programs)
        advertised = config.advertised_host
        self._processes = ProcessRuntime(config.programs, config.state_dir, advertised=advertised)
        self._containers: Runtime | None = None
        if config.docker.enabled:
            # Its client takes a quarter of the agent's start to load.
            from mlplace_agent.runtimes.containers import DockerRuntime

            self._containers = DockerRuntime(config.docker, server_id=server_id, advertised=advertised)

    async def start(self, instance: DesiredInstance) -> Run:
        if instance.image in self._programs:
            return await self._processes.start(instance)
        if self._containers is not None:
            return await self._containers.start(instance)
        raise RefusedError(f"this server has no program for the image {instance.image}, and runs no containers")

    async def sweep(self) -> int:
        swept = await self._processes.sweep()
        return swept + (await self._containers.sweep() if self._containers else 0)

    async def close(self) -> None:
        if self._containers is not None:
            await self._containers.close()
