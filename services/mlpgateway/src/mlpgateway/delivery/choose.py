"""Fourth stage: the instance. Here is the choice among those that are there; `waiting` has what waits for one."""

import random
from collections.abc import Collection
from typing import Protocol

from mlpgateway.call.context import CallContext
from mlpgateway.call.transport import InstanceLink, InstanceLinks
from mlpgateway.delivery.circuit_breaker import Breakers


class Chooser(Protocol):
    async def choose(self, context: CallContext, *, but: Collection[InstanceLink] = ()) -> InstanceLink:
        """An instance that accepts requests, none of `but`. Raises NoActiveInstances, and what waiting may end in."""
        ...

    def queues_here(self, context: CallContext) -> bool:
        """False when another gate has the queue of the model."""
        ...

    def spare(self, context: CallContext, *, but: Collection[InstanceLink]) -> InstanceLink | None:
        """One that is there and free, without waiting."""
        ...


class Elsewhere(Protocol):
    """Instances that other gates reach."""

    async def route(self, model_id: int, *, but: Collection[InstanceLink]) -> InstanceLink | None: ...

    def reaches(self, model_id: int) -> bool:
        """Whether another gate has an instance of the model, as far as it is known now."""
        ...

    def route_now(self, model_id: int, *, but: Collection[InstanceLink]) -> InstanceLink | None:
        """As `route`, without waiting for gates that have not told yet what they have."""
        ...

    def owner(self, model_id: int, *, here: bool) -> InstanceLink | None:
        """The way to the one gate that queues the calls of the model; None when that is this one.

        `here`: this gate has an instance itself.
        """
        ...


def least_active(
    links: InstanceLinks, model_id: int, but: Collection[InstanceLink] = (), breakers: Breakers | None = None
) -> InstanceLink | None:
    """The instance with the fewest requests in progress on this gate; among equals a random one.

    Those with an open breaker come last.
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
