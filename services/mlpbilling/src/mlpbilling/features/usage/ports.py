"""What reports need of other features."""

from collections.abc import Collection
from typing import Protocol


class KnownNames(Protocol):
    """Those that are not known are missing from the answers."""

    async def account_names(self, account_ids: Collection[int]) -> dict[int, str]: ...

    async def model_names(self, model_ids: Collection[int]) -> dict[int, str]: ...
