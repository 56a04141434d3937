from mlpbilling.features.payments.states import OPEN, AttemptState
from mlpbilling.features.payments.tables import PaymentAttempt
from mlpbilling.features.refill_history.ports import Refills, UnfinishedPayments
from mlpbilling.features.refills.orders import RefillSource
from mlpbilling.features.refills.schemas import RefillHistoryRow
from mlplace_kit.money import shown

LIMIT = 1000


class RefillHistory:
    """Refills and card payments that have not become refills; both take ids from the same sequence."""

    def __init__(self, refills: Refills, payments: UnfinishedPayments) -> None:
        self._refills = refills
        self._payments = payments

    async def of(self, *, account_id: int) -> list[RefillHistoryRow]:
        done = await self._refills.history(account_id=account_id)
        others = await self._payments.unfinished(account_id=account_id, limit=LIMIT)
        rows = [*done, *(_row(attempt) for attempt in others)]
        return sorted(rows, key=lambda row: row.id, reverse=True)[:LIMIT]


def _row(attempt: PaymentAttempt) -> RefillHistoryRow:
    state = AttemptState(attempt.state)
    return RefillHistoryRow(
        id=attempt.refill_id,
        created_at=attempt.created_at,
        source=RefillSource.CARD,
        currency=attempt.currency,
        amount_currency=shown(attempt.amount_nano),
        status="PENDING" if state in OPEN else state.value,
        user_id=attempt.user_id,
    )
