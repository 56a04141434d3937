"""A key's past spending, for buckets that the shared store lacks: a new limit, or a store that lost its data."""

from datetime import datetime
from typing import Protocol

from mlplace_contracts.internal.billing import KeySpending, KeySpendingRequest
from mlplace_kit.errors import Unavailable
from mlplace_runtime.internal_client import InternalClient, RemoteRefusalError


class History(Protocol):
    async def spent(self, request: KeySpendingRequest) -> int:
        """Returns the charged amount in billionths of a currency unit, without unshipped usage. Raises Unavailable."""
        ...


class RemoteHistory:
    """Satisfies History with the usage that mlpbilling has recorded."""

    def __init__(self, internal: InternalClient) -> None:
        self._internal = internal

    async def spent(self, request: KeySpendingRequest) -> int:
        try:
            found = await self._internal.post("mlpbilling", "/usage/key-spending", request, KeySpending)
        except RemoteRefusalError as refusal:
            raise Unavailable from refusal
        return found.spent_nano


def counts_from(since: datetime, now: datetime, period_seconds: float | None) -> datetime:
    """Returns the start of the interval to count: a limit that refills has regained what was spent a period ago."""
    if period_seconds is None:
        return since
    return max(since, datetime.fromtimestamp(now.timestamp() - period_seconds, tz=now.tzinfo))
