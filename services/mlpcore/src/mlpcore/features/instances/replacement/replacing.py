"""Replaces instances, whatever the cause: starts the successor, hands over when it serves, ends the predecessor."""

from collections.abc import Sequence

from mlpcore.features.instances.errors import InstanceLimitExceeded, ResourceLimitExceeded
from mlpcore.features.instances.lifecycle.transitions import Lifecycle
from mlpcore.features.instances.placements import Unplaced
from mlpcore.features.instances.replacement.exchange_repository import ExchangeRepository
from mlpcore.features.instances.replacement.handover import Cause, Serving, replaced
from mlpcore.features.instances.repository import ConnectionRepository, InstanceRepository
from mlpcore.features.instances.scheduling.convergence import Convergence
from mlpcore.features.instances.states import LEAVING, InstanceState
from mlpcore.features.instances.tables import Instance
from mlpcore.features.models.tables import Model
from mlpcore.features.placement.reasons import message_of

_REASONS = {
    Cause.CONFIGURATION: "The instance is replaced by a new one",
    Cause.SERVER: "The instance's server is being removed",
}


class _NoPlaceError(Exception):
    """No server has room for another instance."""


class Replacing:
    """`Convergence` makes the successors, since predecessors do not count as requested instances: those on a server
    that goes by themselves, and one at a time of those with an old configuration (`HostingRequest.surge`).
    """

    def __init__(
        self,
        exchanges: ExchangeRepository,
        instances: InstanceRepository,
        connections: ConnectionRepository,
        convergence: Convergence,
        lifecycle: Lifecycle,
    ) -> None:
        self._exchanges = exchanges
        self._instances = instances
        self._connections = connections
        self._convergence = convergence
        self._lifecycle = lifecycle

    async def start_beside(self, model: Model, predecessor_id: int) -> int | None:
        """Starts a successor for the new configuration and returns its id.

        Starts nothing and returns None where servers or limits leave no room for both: the predecessor has to end
        first, and its events say so.
        """
        account_id, model_id = model.account_id, model.model_id
        try:
            async with self._exchanges.attempt():
                return await self._surge(model)
        except (InstanceLimitExceeded, ResourceLimitExceeded, _NoPlaceError) as lack:
            why = str(lack)
        # Read here: the end of the attempt expires what was read before it.
        for instance in await self._instances.by_ids(
            account_id=account_id, model_id=model_id, instance_ids=[predecessor_id]
        ):
            await self._lifecycle.stops_first(instance, why=why)
        return None

    async def _surge(self, model: Model) -> int:
        """Raises _NoPlaceError with the reason, InstanceLimitExceeded, ResourceLimitExceeded."""
        request = await self._convergence.lock(model)
        before = {instance.instance_id for instance in await self._convergence.active(model)}
        request.surge = 1
        await self._convergence.converge(model, request, replacing=True)
        fresh = [each for each in await self._convergence.active(model) if each.instance_id not in before]
        if not fresh:
            raise _NoPlaceError("no other instance is created")
        if isinstance(fresh[0].placement, Unplaced):
            raise _NoPlaceError(message_of(fresh[0].waiting_details) or fresh[0].waiting_reason)
        return fresh[0].instance_id

    async def hand_over(
        self,
        predecessors: Sequence[Instance],
        successors: Sequence[Instance],
        *,
        wanted: int,
        cause: Cause,
        no_room: bool = False,
    ) -> Sequence[Instance]:
        """Ends the predecessors that are not needed to have `wanted` instances serve, and returns them.

        `no_room`: no successor could start beside them. The caller holds the lock of `Convergence.lock`, and all these
        instances.
        """
        serving = await self._serving([*predecessors, *successors])
        ending = replaced(
            [serving[each.instance_id] for each in predecessors],
            [serving[each.instance_id] for each in successors],
            wanted=wanted,
            cause=cause,
            no_room=no_room,
        )
        gone = [each for each in predecessors if each.instance_id in ending]
        for instance in gone:
            await self._lifecycle.remove(instance, force=False, reason=_REASONS[cause])
        return gone

    async def takes_over(self, successor: Instance, predecessor: Instance | None) -> bool:
        """Whether the successor serves wherever the predecessor does, if that one still takes calls."""
        if predecessor is None or InstanceState(predecessor.state) in LEAVING:
            return successor.state == InstanceState.STARTED
        serving = await self._serving([successor, predecessor])
        return serving[successor.instance_id].takes_over(serving[predecessor.instance_id])

    async def end_surge(self, model: Model) -> None:
        """Takes back what `start_beside` has set. What is missing then waits until the predecessor leaves its room."""
        request = await self._convergence.lock(model)
        request.surge = 0
        await self._convergence.converge(model, request, create="in any case")

    async def _serving(self, instances: Sequence[Instance]) -> dict[int, Serving]:
        gates = await self._connections.connected_gates([each.instance_id for each in instances])
        return {
            each.instance_id: Serving(
                each.instance_id, each.state == InstanceState.STARTED, gates.get(each.instance_id, frozenset())
            )
            for each in instances
        }
