"""What a key has spent, for buckets that the shared store does not know: a new limit, or a store that lost its data."""

from datetime import datetime
from typing import Protocol

from mlplace_contracts.internal.billing import KeySpending, KeySpendingRequest
from mlplace_kit.errors import Unavailable
from mlplace_runtime.internal_client import InternalClient, RemoteRefusalError


class History(Protocol):
    async def spent(self, request: KeySpendingRequest) -> int:
        """Nano-units that are charged already; usage on its way is missing. Raises Unavailable."""
        ...


class RemoteHistory:
    """Satisfies History: usage in mlpbilling is the truth of what was spent."""

    def __init__(self, internal: InternalClient) -> None:
        self._internal = internal

    async def spent(self, request: KeySpendingRequest) -> int:
        try:
            found = await self._internal.post("mlpbilling", "/usage/key-spending", request, KeySpending)
        except RemoteRefusalError as refusal:
            raise Unavailable from refusal
        return found.spent_nano


def counts_from(since: datetime, now: datetime, period_seconds: float | None) -> datetime:
    """Of a limit that refills, what was spent a period ago is there again."""
    if period_seconds is None:
        return since
    return max(since, datetime.fromtimestamp(now.timestamp() - period_seconds, tz=now.tzinfo))
