"""What charges need of other features."""

import uuid
from collections.abc import Collection, Sequence
from typing import Protocol

from mlpbilling.features.usage.rows import UsageRow


class ChargedUsage(Protocol):
    async def known(self, usage_ids: Collection[uuid.UUID]) -> set[uuid.UUID]:
        """Those of the ids that were charged before."""
        ...

    async def add(self, rows: Sequence[UsageRow]) -> None: ...
