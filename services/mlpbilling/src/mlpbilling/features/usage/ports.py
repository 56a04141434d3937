"""What reports need from other features."""

from collections.abc import Collection
from typing import Protocol


class KnownNames(Protocol):
    """Names of accounts and models. Unknown ones are missing in the results."""

    async def account_names(self, account_ids: Collection[int]) -> dict[int, str]: ...

    async def model_names(self, model_ids: Collection[int]) -> dict[int, str]: ...
