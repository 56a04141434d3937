"""Test doubles of what talks to mlpcore about instances: an agent, and a gate that publishes events."""

import uuid
from dataclasses import dataclass

import httpx

from mlplace_contracts.events import InstanceConnected, InstanceLost
from mlplace_contracts.internal.hosting import (
    DesiredInstance,
    DesiredState,
    Enrolled,
    Heartbeat,
    LogChunk,
    ReportedInstance,
    ReportedPhase,
    ServerCapacity,
)
from mlplace_kit.clock import Clock

CAPACITY = ServerCapacity(milli_cpu=2000, ram_mb=4000, disk_mb=10_000)


def report(instance_id: int, phase: ReportedPhase, *, generation: int = 2, **values: object) -> ReportedInstance:
    return ReportedInstance.model_validate(
        {"instance_id": instance_id, "generation": generation, "phase": phase, **values}
    )


@dataclass
class AgentTwin:
    """`runs_containers` and `programs`: what it says that it can run; by default nothing, like an older agent."""

    client: httpx.AsyncClient
    enrolled: Enrolled
    capacity: ServerCapacity = CAPACITY
    runs_containers: bool | None = None
    programs: tuple[str, ...] = ()

    async def post(self, body: str | bytes, *, secret: str | None = None, **query: object) -> httpx.Response:
        """Sends a raw heartbeat. `query` overrides `account` and `serverId`."""
        given = {"account": self.enrolled.account_id, "serverId": self.enrolled.server_id, **query}
        headers = {"Authorization": f"Bearer {secret or self.enrolled.secret}", "Content-Type": "application/json"}
        parameters = {name: str(value) for name, value in given.items()}
        return await self.client.post("/api/mlpcore/server-heartbeat", params=parameters, content=body, headers=headers)

    async def beat(self, *instances: ReportedInstance, logs: tuple[LogChunk, ...] = ()) -> dict[int, DesiredInstance]:
        """Sends a heartbeat. Returns the instances that the platform wants to run here, by id."""
        desired = await self.state(*instances, logs=logs, knows_kept=False)
        return {instance.instance_id: instance for instance in desired.instances}

    async def state(
        self,
        *instances: ReportedInstance,
        logs: tuple[LogChunk, ...] = (),
        knows_kept: bool = True,
        knows_mounts: bool = True,
    ) -> DesiredState:
        """Sends a heartbeat like an agent of this release."""
        heartbeat = Heartbeat(
            agent_version="1",
            capacity=self.capacity,
            instances=instances,
            logs=logs,
            knows_kept=knows_kept,
            knows_mounts=knows_mounts,
            runs_containers=self.runs_containers,
            programs=self.programs,
        )
        answer = await self.post(heartbeat.model_dump_json())
        assert answer.status_code == 200, answer.text
        return DesiredState.model_validate_json(answer.content)


class GateTwin:
    """Creates the events of one gate for instances of one model."""

    def __init__(self, *, account_id: int, model_id: int, clock: Clock, gate: str = "gate:1") -> None:
        self._account_id = account_id
        self._model_id = model_id
        self._clock = clock
        self._gate = gate

    def connected(self, instance_id: int, **values: object) -> InstanceConnected:
        given: dict[str, object] = {
            "instance_id": instance_id,
            "model_id": self._model_id,
            "account_id": self._account_id,
            "gate": self._gate,
            "stream_id": uuid.uuid4(),
            "occurred_at": self._clock.now(),
            "hostname": "pod-1",
            "sdk_version": 2,
            "image_name": "acme/greeting:1",
            "descriptor_json": None,
        }
        return InstanceConnected.model_validate({**given, **values})

    def lost(self, stream: InstanceConnected) -> InstanceLost:
        return InstanceLost(
            instance_id=stream.instance_id,
            model_id=stream.model_id,
            account_id=stream.account_id,
            gate=stream.gate,
            stream_id=stream.stream_id,
            occurred_at=self._clock.now(),
            reason="closed",
        )
