"""How the collaborators of one transaction are put together."""

from sqlalchemy.ext.asyncio import AsyncSession

from mlpbilling.features.charges.service import ChargeService
from mlpbilling.features.ledger.repository import LedgerRepository
from mlpbilling.features.ledger.service import Ledger
from mlpbilling.features.reservations.repository import ReservationRepository
from mlpbilling.features.reservations.service import ReservationService
from mlpbilling.features.usage.repository import UsageRepository
from mlpbilling.state import BillingState
from mlplace_kit.clock import Clock
from mlplace_runtime.db.outbox import Outbox


def ledger_of(session: AsyncSession, clock: Clock) -> Ledger:
    return Ledger(LedgerRepository(session), Outbox(session, clock), clock)


def reservations_of(session: AsyncSession, state: BillingState) -> ReservationService:
    ledger = ledger_of(session, state.clock)
    return ReservationService(ledger, ReservationRepository(session), state.settings, state.clock)


def charges_of(session: AsyncSession, state: BillingState) -> ChargeService:
    return ChargeService(
        ledger_of(session, state.clock),
        reservations_of(session, state),
        UsageRepository(session),
        state.settings.commission_basis_points,
    )
