"""Chooses the runtime of an image: a process if the configuration names a program for it, else Docker if enabled."""

from mlplace_agent.config import AgentConfig
from mlplace_agent.gpus.inventory import GpuInventory
from mlplace_agent.identity import FORMER_CONTAINERS
from mlplace_agent.runtimes.port import RefusedError, Run, Runtime, StartFailedError
from mlplace_agent.runtimes.process import ProcessRuntime
from mlplace_contracts.internal.hosting import MOST_PROGRAMS, DesiredInstance


class ChosenRuntime(Runtime):
    """Starts no instance whose GPUs this machine does not have."""

    def __init__(self, config: AgentConfig, *, agent_id: str, server_id: int, gpus: GpuInventory | None = None) -> None:
        self._gpus = gpus
        if len(config.programs) <= MOST_PROGRAMS:  # else the platform would take those that it is not told for unknown
            self.runs_containers, self.programs = config.docker.enabled, tuple(sorted(config.programs))
        self._programs = frozenset(config.programs)
        advertised = config.advertised_host
        self._processes = ProcessRuntime(config.programs, config.state_dir, advertised=advertised)
        self._containers: Runtime | None = None
        if config.docker.enabled:
            # Its client takes a quarter of the agent's start to load.
            from mlplace_agent.runtimes.container_leftovers import FormerContainers
            from mlplace_agent.runtimes.containers import DockerRuntime

            former = FormerContainers(config.state_dir / FORMER_CONTAINERS, server_id=server_id)
            self._containers = DockerRuntime(config.docker, agent_id=agent_id, former=former, advertised=advertised)

    async def start(self, instance: DesiredInstance) -> Run:
        missing = self._gpus.missing(instance.gpu_ids) if self._gpus is not None else instance.gpu_ids
        if missing:
            raise StartFailedError("GpuUnavailable", f"this server has no GPU {', '.join(missing)}")
        if instance.image in self._programs:
            return await self._processes.start(instance)
        if self._containers is not None:
            return await self._containers.start(instance)
        text = "this server has no program for the image"
        rest = ", and runs no containers: use a server with Docker, or run the instance yourself as an external one"
        raise RefusedError(f"{text} {instance.image}{rest}", without_address=text + rest)

    async def remove_leftovers(self) -> int:
        removed = await self._processes.remove_leftovers()
        return removed + (await self._containers.remove_leftovers() if self._containers else 0)

    async def sweep(self) -> int:
        return await self._containers.sweep() if self._containers is not None else 0

    async def close(self) -> None:
        await self._processes.close()
        if self._containers is not None:
            await self._containers.close()
