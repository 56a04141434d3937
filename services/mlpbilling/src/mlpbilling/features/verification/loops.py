import structlog
from sqlalchemy.ext.asyncio import AsyncSession

from mlpbilling import metrics
from mlpbilling.features.verification.repository import Verification, VerificationRepository

log = structlog.get_logger(__name__)


async def verify_and_report(session: AsyncSession) -> Verification:
    """Verifies the ledger, sets the metrics and logs errors."""
    found = await VerificationRepository(session).verify()
    metrics.BALANCE_DRIFT.set(len(found.drifts))
    metrics.UNBALANCED.set(found.unbalanced_transactions)
    for currency, total in found.sums.items():
        metrics.LEDGER_SUM.labels(currency=currency).set(total)
    for currency, debts in found.debts.items():
        metrics.UNCOLLECTED.labels(currency=currency).set(debts.uncollected_nano)
        metrics.PAYABLE.labels(currency=currency).set(debts.payable_nano)
    for kind, count in found.unexplained.items():
        metrics.UNEXPLAINED.labels(kind=kind).set(count)
    if not found.sound:
        log.error(
            "ledger_verification_failed",
            drifts=len(found.drifts),
            unbalanced=found.unbalanced_transactions,
            unexplained=found.unexplained,
        )
    return found
