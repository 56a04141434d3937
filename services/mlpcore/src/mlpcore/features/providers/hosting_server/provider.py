"""A server of somebody who runs our agent there. The agent asks, since the platform cannot reach it.

Its heartbeat is the look; the answer carries out what was decided.
"""

from collections.abc import Collection

from mlpcore.features.instances.launching.orders import Order, ServerOrders
from mlpcore.features.instances.lifecycle.seen import Seen
from mlpcore.features.providers.hosting_server.answers import desired
from mlpcore.features.providers.hosting_server.capacity import report_of
from mlpcore.features.providers.hosting_server.reports import seen_of
from mlpcore.features.providers.port import Capability, Provider
from mlpcore.features.servers.reports import ServerReport
from mlplace_contracts.internal.hosting import DesiredInstance, DesiredState, Heartbeat


class HostingServer(Provider):
    def __init__(self, heartbeat: Heartbeat, *, trusted: bool) -> None:
        """`trusted`: a server of the platform's own account sent the heartbeat."""
        self._heartbeat = heartbeat
        self._trusted = trusted
        self._desired: list[DesiredInstance] = []
        self._kept: Collection[int] = ()

    @property
    def capabilities(self) -> frozenset[Capability]:
        """Agents of earlier releases lack them."""
        told = {Capability.KEEPS: self._heartbeat.knows_kept, Capability.MOUNTS: self._heartbeat.knows_mounts}
        return frozenset(capability for capability, can in told.items() if can)

    async def capacity(self) -> ServerReport:
        return report_of(self._heartbeat)

    async def look(self) -> Seen:
        return seen_of(self._heartbeat, trusted=self._trusted)

    async def start(self, order: Order) -> None:
        self._desired.append(desired(order))

    async def stop(self, order: Order) -> None:
        self._desired.append(desired(order))

    async def sweep(self, instance_ids: Collection[int]) -> None:
        """The agent ends what the answer does not name."""

    async def reconcile(self, wanted: ServerOrders, seen: Seen) -> None:
        self._kept = wanted.kept
        await super().reconcile(wanted, seen)

    def answer(self, *, heartbeat_seconds: float) -> DesiredState:
        return DesiredState(
            instances=tuple(self._desired), kept=tuple(sorted(self._kept)), heartbeat_seconds=heartbeat_seconds
        )
