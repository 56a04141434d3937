"""Handles the events of gates: opened and ended streams of instances, started gates, changed membership."""

from collections.abc import Sequence

from sqlalchemy.ext.asyncio import AsyncSession

from mlpcore.features.instances.dependencies import lifecycle_of
from mlpcore.features.instances.lifecycle.transitions import Lifecycle
from mlpcore.features.instances.repository import ConnectionRepository, InstanceRepository
from mlpcore.features.instances.states import LEAVING, InstanceState
from mlpcore.features.instances.tables import Instance
from mlpcore.state import CoreState
from mlplace_contracts.events import Event, GateMembersChanged, GateStarted, InstanceConnected, InstanceLost
from mlplace_contracts.topics import CONNECTIONS
from mlplace_runtime.bus.consumer import Consumer

_MAX_TEXT = 255


def connections_consumer(state: CoreState) -> Consumer:
    async def handle(session: AsyncSession, events: Sequence[Event]) -> None:
        await ConnectionEvents(
            InstanceRepository(session), ConnectionRepository(session), lifecycle_of(session, state.clock)
        ).apply(events)

    return Consumer(
        name="mlpcore.connections",
        topics=(CONNECTIONS,),
        types=(InstanceConnected, InstanceLost, GateStarted, GateMembersChanged),
        handle=handle,
    )


class ConnectionEvents:
    def __init__(self, instances: InstanceRepository, connections: ConnectionRepository, lifecycle: Lifecycle) -> None:
        self._instances = instances
        self._connections = connections
        self._lifecycle = lifecycle

    async def apply(self, events: Sequence[Event]) -> None:
        """Applies the events in order. Locks all their instances first, in the order of ids."""
        named = {e.instance_id for e in events if isinstance(e, InstanceConnected | InstanceLost)}
        known = dict(await self._instances.lock_many(sorted(named)))
        for event in events:
            match event:
                case InstanceConnected():
                    await self._connected(known.get(event.instance_id), event)
                case InstanceLost():
                    await self._lost(known.get(event.instance_id), event)
                case GateStarted():
                    await self._started(known, event)
                case GateMembersChanged():
                    await self._members(known, event)
                case _:
                    pass

    async def _connected(self, instance: Instance | None, event: InstanceConnected) -> None:
        if instance is None or (instance.account_id, instance.model_id) != (event.account_id, event.model_id):
            return
        counts = await self._connections.opened(
            {
                "instance_id": event.instance_id,
                "gate": event.gate,
                "stream_id": event.stream_id,
                "occurred_at": event.occurred_at,
            }
        )
        if counts and InstanceState(instance.state) not in LEAVING:
            instance.hostname = event.hostname[:_MAX_TEXT].replace("\0", "") or instance.hostname
            instance.sdk_version = event.sdk_version
            instance.built_in_image_name = event.image_name[: 2 * _MAX_TEXT].replace("\0", "") or None
            await self._settle(instance)

    async def _lost(self, instance: Instance | None, event: InstanceLost) -> None:
        ended = await self._connections.closed(
            instance_id=event.instance_id, gate=event.gate, stream_id=event.stream_id
        )
        if ended and instance is not None:
            self._lifecycle.lost(instance, event.reason)
            await self._settle(instance)

    async def _started(self, known: dict[int, Instance], event: GateStarted) -> None:
        """Ends the streams of the gate's previous process, which may have died without reporting them."""
        ended = await self._connections.forget(gate=event.gate, before=event.occurred_at)
        known.update(await self._instances.lock_many([i for i in ended if i not in known]))
        for instance_id in ended:
            self._lifecycle.lost(known[instance_id], "the gate was restarted")
            await self._settle(known[instance_id])

    async def _members(self, known: dict[int, Instance], event: GateMembersChanged) -> None:
        """Stops counting streams of gates that left, and counts those of gates that joined, in whichever order the
        events arrive.
        """
        before = await self._connections.members()
        if not await self._connections.set_members(event.members, event.occurred_at):
            return
        touched = await self._connections.instances_at(sorted({*before} ^ {*event.members}))
        known.update(await self._instances.lock_many([i for i in touched if i not in known]))
        for instance_id in touched:
            await self._settle(known[instance_id])

    async def _settle(self, instance: Instance) -> None:
        gates = await self._connections.connected_gates([instance.instance_id])
        await self._lifecycle.settle(instance, connected=bool(gates))
