"""A provider that the platform calls, as it will call Kubernetes. What it calls is in memory."""

from collections.abc import Collection

import httpx

from mlpcore.features.instances.launching.orders import Order
from mlpcore.features.instances.lifecycle.runs import Run as SeenRun
from mlpcore.features.instances.lifecycle.seen import Seen, SeenInstance
from mlpcore.features.providers.dependencies import turn_of
from mlpcore.features.providers.port import Capability, Provider
from mlpcore.features.resource_groups.tables import ResourceGroup
from mlpcore.features.servers.reports import ServerReport
from mlpcore.features.servers.repository import ServerRepository
from mlpcore.features.servers.tables import Server
from mlpcore.state import CoreState
from mlplace_testing.world import World

from .machine import DISK_MB, MILLI_CPU, RAM_MB, Machine, Run, Site, Work


class CalledProvider(Provider):
    def __init__(self, machine: Machine, capabilities: frozenset[Capability]) -> None:
        self._machine = machine
        self._capabilities = capabilities

    @property
    def capabilities(self) -> frozenset[Capability]:
        return self._capabilities

    async def capacity(self) -> ServerReport:
        return ServerReport(
            agent_version=None,
            milli_cpu=MILLI_CPU,
            ram_mb=RAM_MB,
            disk_mb=DISK_MB,
            gpus=[],
            used={},
            gpu_models=[],
            runs_containers=True,
            programs=[],
        )

    async def look(self) -> Seen:
        return Seen(instances={number: _seen(run) for number, run in self._machine.runs.items()})

    async def start(self, order: Order) -> None:
        known = self._machine.runs.get(order.instance_id)
        if not order.complete or (known is not None and known.work.generation == order.generation):
            return
        self._machine.forget([order.instance_id])
        self._machine.start(_work(order))

    async def stop(self, order: Order) -> None:
        self._machine.end(order.instance_id, order.generation)

    async def sweep(self, instance_ids: Collection[int]) -> None:
        self._machine.forget(instance_ids)


class CalledSite(Site):
    """Its server is in a group of a type that no provider of the platform has."""

    def __init__(self, server: Server, machine: Machine, state: CoreState) -> None:
        super().__init__(server.server_id, machine)
        self._account_id = server.account_id
        self._state = state

    @classmethod
    async def opened(cls, client: httpx.AsyncClient, world: World, state: CoreState) -> "CalledSite":
        now = state.clock.now()
        async with state.database.transaction() as session:
            group = ResourceGroup(
                account_id=world.acme.account_id, name="cluster", is_default=True, access="PRIVATE",
                resource_group_type="KUBERNETES", enabled_eviction=False, enabled_auto_scaling=False, extras={},
                created_at=now,
            )  # fmt: skip
            session.add(group)
            await session.flush()
            server = Server(
                account_id=group.account_id, group_id=group.group_id, name="node", tariffication_price=0,
                raw_configuration="", extras={}, created_at=now,
            )  # fmt: skip
            session.add(server)
            await session.flush()
            return cls(server, Machine(state.clock), state)

    async def turn(self, *, interrupted: bool = False) -> None:
        provider = CalledProvider(self.machine, self.capabilities)
        capacity, seen = await provider.capacity(), await provider.look()
        async with self._state.database.transaction() as session:
            server = await ServerRepository(session).of_account(
                account_id=self._account_id, server_id=self.server_id, lock=True
            )
            assert server is not None
            decision = await turn_of(session, self._state).decide(
                server, capacity=capacity, seen=seen, capabilities=provider.capabilities
            )
        self.ordered = {each.instance_id: _work(each) for each in decision.wanted.orders if not each.stop}
        if not interrupted:
            await provider.reconcile(decision.wanted, seen)


def _work(order: Order) -> Work:
    return Work(
        order.instance_id,
        order.generation,
        order.image,
        frozenset({**order.launch.platform, **order.launch.service}.items()),
        order.room.memory_bytes,
        tuple(mount.image for mount in order.mounts),
    )


def _seen(run: Run) -> SeenInstance:
    shown = SeenRun(
        phase=run.phase,
        restart_count=run.restart_count,
        started_at=run.started_at,
        finished_at=run.finished_at,
        exit_code=run.exit_code,
        exit_reason=None,
        exit_message=None,
        http=None,
    )
    return SeenInstance(instance_id=run.work.instance_id, generation=run.work.generation, run=shown)
