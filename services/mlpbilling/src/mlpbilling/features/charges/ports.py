"""What charges need from other features."""

import uuid
from collections.abc import Collection, Mapping, Sequence
from typing import Protocol

from mlpbilling.features.usage.rows import UsageRow


class ChargedUsage(Protocol):
    async def known(self, usage_ids: Collection[uuid.UUID]) -> set[uuid.UUID]:
        """Returns those of the ids that were charged before."""
        ...

    async def add(self, rows: Sequence[UsageRow]) -> None: ...


class MaxPrices(Protocol):
    default_nano: int

    async def known(self, model_ids: Collection[int]) -> Mapping[int, int]:
        """Returns the maximal price of a call of each model. Unknown models are missing."""
        ...
