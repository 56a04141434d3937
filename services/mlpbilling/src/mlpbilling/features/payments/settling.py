"""Applies a provider's report to an attempt and to the ledger, in one transaction for callbacks and look-ups alike."""

import uuid
from dataclasses import dataclass
from enum import StrEnum

import structlog
from sqlalchemy.ext.asyncio import AsyncSession

from mlpbilling.features.payments.repository import Notice, PaymentRepository
from mlpbilling.features.payments.states import AttemptState, transition
from mlpbilling.features.payments.tables import PaymentAttempt
from mlpbilling.features.refills.dependencies import refills_of
from mlpbilling.features.refills.orders import RefillOrder, RefillSource, payment_key
from mlpbilling.metrics import PAYMENT_MISMATCHES, PAYMENTS
from mlpbilling.payment_provider import Outcome, Report
from mlpbilling.state import BillingState
from mlplace_kit.money import Currency

log = structlog.get_logger(__name__)


class ReportSource(StrEnum):
    CALLBACK = "CALLBACK"
    LOOK_UP = "LOOK_UP"


class PaymentVerdict(StrEnum):
    """UNKNOWN: this provider has no such attempt."""

    APPLIED = "APPLIED"
    REPEATED = "REPEATED"
    MISMATCH = "MISMATCH"
    UNKNOWN = "UNKNOWN"


@dataclass(frozen=True, slots=True)
class PaymentSettlement:
    state: BillingState
    provider: str

    async def settle(self, session: AsyncSession, report: Report, source: ReportSource) -> PaymentVerdict:
        """Credits the ledger once, whatever the number and order of reports. The caller commits."""
        repository = PaymentRepository(session)
        attempt = await self._attempt(repository, report)
        if attempt is None:
            return PaymentVerdict.UNKNOWN
        verdict = await self._apply(session, repository, attempt, report)
        if verdict is not PaymentVerdict.REPEATED or source is ReportSource.CALLBACK:
            now = self.state.clock.now()
            await repository.note(Notice(now, self.provider, source, attempt.attempt_id, report, verdict))
        return verdict

    async def _attempt(self, repository: PaymentRepository, report: Report) -> PaymentAttempt | None:
        try:
            attempt = await repository.lock(uuid.UUID(report.order_id))
        except ValueError:
            return None
        return attempt if attempt and attempt.provider == self.provider else None

    async def _apply(
        self, session: AsyncSession, repository: PaymentRepository, attempt: PaymentAttempt, report: Report
    ) -> PaymentVerdict:
        if not _fits(attempt, report):
            PAYMENT_MISMATCHES.labels(self.provider).inc()
            log.error("payment_mismatch", attempt=str(attempt.attempt_id), payment=report.payment_id)
            return PaymentVerdict.MISMATCH
        current = AttemptState(attempt.state)
        wanted = transition(current, report.outcome)
        if wanted is current:
            return PaymentVerdict.REPEATED
        attempt.state, attempt.payment_id = wanted, report.payment_id
        if wanted is not AttemptState.PENDING:
            self._end(attempt, report.outcome)
        await repository.store(attempt)
        if wanted is AttemptState.SUCCEEDED:
            await refills_of(session, self.state).refill(order=_order(attempt), refill_id=attempt.refill_id)
        return PaymentVerdict.APPLIED

    def _end(self, attempt: PaymentAttempt, outcome: Outcome) -> None:
        attempt.reason = None if outcome is Outcome.PAID else outcome
        attempt.settled_at = self.state.clock.now()
        if outcome is Outcome.PAID:
            attempt.next_check_at = None
        PAYMENTS.labels(self.provider, attempt.state).inc()


def _fits(attempt: PaymentAttempt, report: Report) -> bool:
    same_payment = attempt.payment_id in {None, report.payment_id}
    return same_payment and (attempt.amount_nano, attempt.currency) == (report.amount_nano, report.currency)


def _order(attempt: PaymentAttempt) -> RefillOrder:
    return RefillOrder(
        account_id=attempt.account_id,
        source=RefillSource.CARD,
        currency=Currency(attempt.currency),
        amount_nano=attempt.amount_nano,
        user_id=attempt.user_id,
        comment=f"{attempt.provider} {attempt.payment_id}",
        idempotency_key=payment_key(attempt.attempt_id),
    )
