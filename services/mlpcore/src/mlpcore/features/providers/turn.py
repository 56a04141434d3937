"""The platform's part of each turn of a provider: what was seen changes the instances, then it says what should run.

This is the only place where a server's instances and those of the platform are compared. It makes no calls.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from mlpcore.features.instances.launching.orders import Orders, ServerOrders
from mlpcore.features.instances.lifecycle.gpu_comparison import GpuComparison
from mlpcore.features.instances.lifecycle.observing import Observing
from mlpcore.features.instances.lifecycle.refused import RefusedInstances
from mlpcore.features.instances.lifecycle.seen import Seen
from mlpcore.features.instances.placements import OnServer
from mlpcore.features.instances.states import InstanceState
from mlpcore.features.instances.tables import Instance
from mlpcore.features.providers.port import Capability
from mlpcore.features.servers.reports import ServerReport
from mlpcore.features.servers.tables import Server
from mlplace_contracts.internal.hosting import ServerSample
from mlplace_kit.clock import Clock


class ReportedServers(Protocol):
    async def store_heartbeat(self, server: Server, *, now: datetime, report: ServerReport) -> None:
        """Stores what the server has, and that it was heard now."""
        ...


class ServerInstances(Protocol):
    async def lock_of_server(self, *, account_id: int, server_id: int) -> Sequence[Instance]:
        """Locks and returns the instances of any account on a server of this account."""
        ...


class MeasuredServers(Protocol):
    async def store(self, server: Server, samples: Sequence[ServerSample], instances: Sequence[Instance]) -> None:
        """Stores the samples of the server and of these instances that were not stored before."""
        ...


@dataclass(frozen=True, slots=True)
class Decision:
    """`freed`: an instance has left the server in this turn, so others may get its room at once."""

    wanted: ServerOrders
    freed: bool


class Turn:
    def __init__(
        self,
        *,
        servers: ReportedServers,
        instances: ServerInstances,
        observing: Observing,
        samples: MeasuredServers,
        refused: RefusedInstances,
        gpus: GpuComparison,
        orders: Orders,
        clock: Clock,
    ) -> None:
        self._servers = servers
        self._instances = instances
        self._observing = observing
        self._samples = samples
        self._refused = refused
        self._gpus = gpus
        self._orders = orders
        self._clock = clock

    async def decide(
        self, server: Server, *, capacity: ServerReport, seen: Seen, capabilities: frozenset[Capability]
    ) -> Decision:
        """Stores what was seen of the server, which the caller has locked, and returns what should run there.

        Ignores what was seen of instances that are elsewhere.
        """
        heard_before = server.last_heartbeat_at
        await self._servers.store_heartbeat(server, now=self._clock.now(), report=capacity)
        instances = await self._instances.lock_of_server(account_id=server.account_id, server_id=server.server_id)
        connected = await self._observing.apply(instances, seen, heard_before=heard_before)
        if seen.samples:
            await self._samples.store(server, seen.samples, instances)
        await self._refused.leave(server, instances)
        await self._gpus.compare(server, instances, seen.instances)
        here = [i for i in instances if i.state != InstanceState.DELETED and isinstance(i.placement, OnServer)]
        wanted = await self._orders.of_server(
            server,
            here,
            seen=seen.instances,
            connected=frozenset(connected),
            keeping=Capability.KEEPS in capabilities,
            mounting=Capability.MOUNTS in capabilities,
        )
        return Decision(wanted, freed=len(here) < len(instances))
