"""Asks the provider about payments without callback until they are settled or long expired."""

from datetime import datetime, timedelta

import structlog

from mlpbilling.features.payments.repository import DUE, PaymentRepository
from mlpbilling.features.payments.settling import PaymentSettlement, ReportSource
from mlpbilling.features.payments.states import AttemptState, expire
from mlpbilling.features.payments.tables import PaymentAttempt
from mlpbilling.metrics import PAYMENTS
from mlpbilling.payment_provider import PaymentProvider, ProviderUnavailableError
from mlpbilling.state import BillingState
from mlplace_kit.errors import DomainError
from mlplace_runtime.backoff import Backoff

log = structlog.get_logger(__name__)

_BATCH = 50
_MAX_DOUBLINGS = 6
_LATE = timedelta(days=1)
"""Time after its expiry in which a payment may still turn out to be paid."""


async def check_due_payments(state: BillingState, provider: PaymentProvider) -> None:
    if await state.database.polling.finds(DUE, now=state.clock.now()):
        await check_payments(state, provider)


async def check_payments(state: BillingState, provider: PaymentProvider) -> None:
    """Checks the attempts that are due. An attempt that cannot be settled does not delay the others."""
    for attempt in await _claim(state):
        try:
            await _check(state, provider, attempt)
        except ProviderUnavailableError:
            log.warning("payment_provider_unreachable", provider=provider.name)
        except DomainError:
            log.exception("payment_not_settled", attempt=str(attempt.attempt_id))


async def _claim(state: BillingState) -> list[PaymentAttempt]:
    """Claims due attempts. It stores the next check first, so that another process continues if this one dies."""
    now = state.clock.now()
    async with state.database.transaction() as session:
        repository = PaymentRepository(session)
        due = list(await repository.claim_due(now=now, limit=_BATCH))
        for attempt in due:
            attempt.next_check_at = _next_check(attempt, now, state.settings.payment_check_seconds)
            attempt.checks += 1
            await repository.store(attempt)
    return due


def _next_check(attempt: PaymentAttempt, now: datetime, first_seconds: float) -> datetime | None:
    """Checks ever more rarely, at the attempt's expiry in any case, and for a day after it."""
    pauses = Backoff(first=first_seconds, longest=first_seconds * 2**_MAX_DOUBLINGS)
    later = now + timedelta(seconds=pauses.seconds(attempt.checks + 1))
    if now < attempt.expires_at:
        return min(later, attempt.expires_at)
    return later if later < attempt.expires_at + _LATE else None


async def _check(state: BillingState, provider: PaymentProvider, attempt: PaymentAttempt) -> None:
    report = await provider.look_up(attempt.payment_id) if attempt.payment_id else None
    async with state.database.transaction() as session:
        if report:
            await PaymentSettlement(state, provider.name).settle(session, report, ReportSource.LOOK_UP)
        await _expire(state, PaymentRepository(session), attempt)


async def _expire(state: BillingState, repository: PaymentRepository, claimed: PaymentAttempt) -> None:
    now = state.clock.now()
    if now < claimed.expires_at:
        return
    attempt = await repository.lock(claimed.attempt_id)
    if attempt is None or (wanted := expire(AttemptState(attempt.state))) == attempt.state:
        return
    attempt.state, attempt.settled_at = wanted, now
    PAYMENTS.labels(attempt.provider, wanted).inc()
    await repository.store(attempt)
