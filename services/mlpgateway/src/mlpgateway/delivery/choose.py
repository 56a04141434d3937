"""Fourth stage: choose among the instances that are connected. `queue` holds the calls that wait for one."""

import random
from collections.abc import Collection
from typing import Protocol

from mlpgateway.call.context import CallContext
from mlpgateway.call.plan import Plan
from mlpgateway.call.transport import InstanceLink, InstanceLinks
from mlpgateway.delivery.circuit_breaker import Breakers


class Chooser(Protocol):
    async def choose(self, context: CallContext, *, but: Collection[InstanceLink] = ()) -> InstanceLink:
        """Returns an instance that accepts requests and is not in `but`.

        Raises NoActiveInstances, and the errors in which a wait can end.
        """
        ...

    def at_once(self, plan: Plan, *, but: Collection[InstanceLink] = ()) -> InstanceLink | None:
        """Returns what `choose` returns if it need not wait and an instance of this gate gets the call. None otherwise.

        A returned slot must be used or released.
        """
        ...

    def queues_here(self, context: CallContext) -> bool:
        """False when another gate has the queue of the model."""
        ...

    def spare(self, context: CallContext, *, but: Collection[InstanceLink]) -> InstanceLink | None:
        """Returns an instance that is free right now; None when there is none."""
        ...


class Elsewhere(Protocol):
    """Instances that other gates reach."""

    async def route(self, model_id: int, *, but: Collection[InstanceLink]) -> InstanceLink | None: ...

    def reaches(self, model_id: int) -> bool:
        """Returns whether another gate has an instance of the model, as far as this gate knows."""
        ...

    def route_now(self, model_id: int, *, but: Collection[InstanceLink]) -> InstanceLink | None:
        """Like `route`, but does not wait for gates that have not reported their instances yet."""
        ...

    def owner(self, model_id: int, *, here: bool) -> InstanceLink | None:
        """Returns the link to the gate that queues the model's calls; None when this gate does.

        `here`: this gate itself has an instance of the model.
        """
        ...


def least_active(
    links: InstanceLinks, model_id: int, but: Collection[InstanceLink] = (), breakers: Breakers | None = None
) -> InstanceLink | None:
    """Returns the instance with the fewest requests in progress on this gate, a random one of several.

    An instance with an open breaker is chosen only when there is no other.
    """
    if breakers is None or not breakers.any:
        return _least(links.of_model(model_id), but)
    found = links.of_model(model_id)
    link = _least([link for link in found if breakers.allows(link)], but) or _least(found, but)
    if link is not None:
        breakers.chosen(link)
    return link


def _least(links: Collection[InstanceLink], but: Collection[InstanceLink]) -> InstanceLink | None:
    best: list[InstanceLink] = []
    fewest = 0
    for link in links:
        if not link.accepts_requests or link in but:
            continue
        active = link.active_requests
        if not best or active < fewest:
            best, fewest = [link], active
        elif active == fewest:
            best.append(link)
    if not best:
        return None
    return best[0] if len(best) == 1 else random.choice(best)  # noqa: S311  spreads load, keeps no secret
