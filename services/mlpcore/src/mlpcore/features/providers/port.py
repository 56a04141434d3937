"""What the platform asks of whoever runs instances on a server.

A provider acts for one server, in turns. It looks; the platform decides in a transaction what follows (`turn.py`);
the provider carries that out. No transaction is open while it looks and carries out, so one that calls an API may wait
for it then. A server whose agent asks does all three in the agent's request, and waits for nobody.

Everything may happen again: a turn that a crash interrupts is begun anew, and each method does nothing where nothing
is left to do.
"""

from abc import ABC, abstractmethod
from collections.abc import Collection
from enum import StrEnum

from mlpcore.features.instances.launching.orders import Order, ServerOrders
from mlpcore.features.instances.lifecycle.seen import Seen
from mlpcore.features.servers.reports import ServerReport


class Capability(StrEnum):
    """What not every provider can. One that lacks it is not asked for it."""

    KEEPS = "keeps what goes on"
    """Instances that go on as they were seen need no order."""
    MOUNTS = "mounts data images"
    """Without it, instances that read data images do not start."""


class Provider(ABC):
    """One server in one turn."""

    @property
    @abstractmethod
    def capabilities(self) -> frozenset[Capability]: ...

    @abstractmethod
    async def capacity(self) -> ServerReport:
        """Returns what the server has for instances, whoever uses it, and what is in use. The scheduler divides it."""

    @abstractmethod
    async def look(self) -> Seen:
        """Returns all that runs on the server, in values that fit the columns that store them.

        Raises rather than returning a part: what a look does not show is started again. Shows an instance that has
        ended by itself, too, and one that `stop` has ended as EXITED, while it is ordered.
        """

    @abstractmethod
    async def start(self, order: Order) -> None:
        """Runs the instance in the order's generation, with no more than the room of the order.

        Ends an earlier generation first: one instance never runs twice. Does nothing where this generation runs, and
        for an order that is not complete: the server had all that a start needs, and looks will show what became of it.
        Returns before the instance runs. One that ends by itself is started again, by the provider.
        """

    @abstractmethod
    async def stop(self, order: Order) -> None:
        """Ends the instance within the order's grace. Returns before it has ended; the same order comes until then.

        Looks show it as EXITED afterwards, also one that never ran here: the platform waits for that.
        """

    @abstractmethod
    async def sweep(self, instance_ids: Collection[int]) -> None:
        """Ends what runs here without an order: it was deleted, or is elsewhere. Looks do not show it afterwards."""

    async def reconcile(self, wanted: ServerOrders, seen: Seen) -> None:
        """Brings what runs in line with what should run. `seen`: the look for which that was decided."""
        for order in wanted.orders:
            await (self.stop(order) if order.stop else self.start(order))
        ordered = {order.instance_id for order in wanted.orders}
        await self.sweep(seen.instances.keys() - ordered - wanted.kept)
