"""A hosting server whose agent speaks the real protocol and runs nothing: it writes down what it would run."""

import httpx

from mlpcore.features.providers.port import Capability
from mlpcore.state import CoreState
from mlplace_contracts.internal.hosting import DesiredInstance, Enrolled, ReportedInstance, ServerCapacity
from mlplace_testing.agents import AgentTwin
from mlplace_testing.world import World

from .machine import DISK_MB, MILLI_CPU, RAM_MB, Machine, Run, Site, Work


class HostingSite(Site):
    def __init__(self, agent: AgentTwin, machine: Machine) -> None:
        super().__init__(agent.enrolled.server_id, machine)
        self._agent = agent

    @classmethod
    async def opened(cls, client: httpx.AsyncClient, world: World, state: CoreState) -> "HostingSite":
        body = {"groupName": "default", "serverName": "local"}
        made = await client.post("/internal/mlpcore/bootstrap/server", json=body, headers=world.internal)
        token = {"token": made.json()["enrolmentToken"]}
        enrolled = await client.post("/api/mlpcore/hosting-server/enroll", json=token)
        capacity = ServerCapacity(milli_cpu=MILLI_CPU, ram_mb=RAM_MB, disk_mb=DISK_MB)
        agent = AgentTwin(client, Enrolled.model_validate_json(enrolled.content), capacity)
        return cls(agent, Machine(state.clock))

    async def turn(self, *, interrupted: bool = False) -> None:
        answer = await self._agent.state(
            *map(_report, self.machine.runs.values()),
            knows_kept=Capability.KEEPS in self.capabilities,
            knows_mounts=Capability.MOUNTS in self.capabilities,
        )
        self.ordered = {each.instance_id: _work(each) for each in answer.instances if not each.stop}
        if interrupted:
            return
        named = {each.instance_id for each in answer.instances} | set(answer.kept)
        self.machine.forget(self.machine.runs.keys() - named)
        for each in answer.instances:
            self._apply(each)

    def _apply(self, desired: DesiredInstance) -> None:
        known = self.machine.runs.get(desired.instance_id)
        if desired.stop:
            self.machine.end(desired.instance_id, desired.generation)
        elif known is None or known.work.generation < desired.generation:
            self.machine.forget([desired.instance_id])
            self.machine.start(_work(desired))


def _work(desired: DesiredInstance) -> Work:
    return Work(
        desired.instance_id,
        desired.generation,
        desired.image,
        frozenset({**desired.platform_env, **desired.service_env}.items()),
        desired.memory_bytes,
        tuple(mount.image for mount in desired.data_mounts),
    )


def _report(run: Run) -> ReportedInstance:
    return ReportedInstance(
        instance_id=run.work.instance_id,
        generation=run.work.generation,
        phase=run.phase,
        started_at=run.started_at,
        finished_at=run.finished_at,
        exit_code=run.exit_code,
        restart_count=run.restart_count,
    )
