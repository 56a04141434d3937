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


class LeastActive:
    """The instance with the fewest requests in progress on this gate; among equals a random one."""

    def __init__(self, links: InstanceLinks) -> None:
        self._links = links

    async def choose(self, model: ModelChanged, *, but: Collection[InstanceLink]) -> InstanceLink:
        best: list[InstanceLink] = []
        fewest = 0
        for link in self._links.of_model(model.model_id):
            if not link.accepts_requests or link in but:
                continue
            active = link.active_requests
            if not best or active < fewest:
                best, fewest = [link], active
            elif active == fewest:
                best.append(link)
        if not best:
            raise NoActiveInstances
        return best[0] if len(best) == 1 else random.choice(best)  # noqa: S311  spreads load, keeps no secret
