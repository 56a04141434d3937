"""What the history needs from other features."""

from collections.abc import Sequence
from typing import Protocol

from mlpbilling.features.payments.tables import PaymentAttempt
from mlpbilling.features.refills.schemas import RefillHistoryRow


class Refills(Protocol):
    async def history(self, *, account_id: int) -> list[RefillHistoryRow]: ...


class UnfinishedPayments(Protocol):
    async def unfinished(self, *, account_id: int, limit: int) -> Sequence[PaymentAttempt]: ...
