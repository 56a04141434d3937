"""Fourth stage: the instance. Another way of choosing (waiting for one, waking one) takes this one's place."""

import random
from collections.abc import Collection
from typing import Protocol

from mlpgateway.proxy.errors import NoActiveInstances
from mlpgateway.proxy.transport import InstanceLink, InstanceLinks
from mlplace_contracts.events import ModelChanged


class Chooser(Protocol):
    async def choose(self, model: ModelChanged, *, but: Collection[InstanceLink]) -> InstanceLink:
        """An instance that accepts requests, none of `but`. Raises NoActiveInstances."""
        ...


class Elsewhere(Protocol):
    """Instances that other gates reach."""

    async def route(self, model_id: int, *, but: Collection[InstanceLink]) -> InstanceLink | None: ...


class LeastActive:
    """An instance on this gate, else on another."""

    def __init__(self, links: InstanceLinks, elsewhere: Elsewhere | None = None) -> None:
        self._links = links
        self._elsewhere = elsewhere

    async def choose(self, model: ModelChanged, *, but: Collection[InstanceLink]) -> InstanceLink:
        link = least_active(self._links, model.model_id, but)
        if link is None and self._elsewhere is not None:
            link = await self._elsewhere.route(model.model_id, but=but)
        if link is None:
            raise NoActiveInstances
        return link


def least_active(links: InstanceLinks, model_id: int, but: Collection[InstanceLink] = ()) -> InstanceLink | None:
    """The instance with the fewest requests in progress on this gate; among equals a random one."""
    best: list[InstanceLink] = []
    fewest = 0
    for link in links.of_model(model_id):
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
