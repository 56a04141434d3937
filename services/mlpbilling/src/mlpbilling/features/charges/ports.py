"""What charges need of other features."""

import uuid
from collections.abc import Collection, Mapping, Sequence
from typing import Protocol

from mlpbilling.features.usage.rows import UsageRow


class ChargedUsage(Protocol):
    async def known(self, usage_ids: Collection[uuid.UUID]) -> set[uuid.UUID]:
        """Those of the ids that were charged before."""
        ...

    async def add(self, rows: Sequence[UsageRow]) -> None: ...


class MaxPrices(Protocol):
    default_nano: int

    async def known(self, model_ids: Collection[int]) -> Mapping[int, int]:
        """What a call of each model may cost at most. Models that nobody knows here yet are missing."""
        ...
