from sqlalchemy.ext.asyncio import AsyncSession

from mlpbilling.features.charges.service import ChargeService
from mlpbilling.features.directory.prices import PublishedPrices
from mlpbilling.features.directory.repository import DirectoryRepository
from mlpbilling.features.ledger.dependencies import ledger_of
from mlpbilling.features.reservations.dependencies import reservations_of
from mlpbilling.features.usage.repository import UsageRepository
from mlpbilling.state import BillingState


def charges_of(session: AsyncSession, state: BillingState) -> ChargeService:
    return ChargeService(
        ledger_of(session, state.clock),
        reservations_of(session, state),
        UsageRepository(session),
        PublishedPrices(DirectoryRepository(session), state.settings.default_max_price_nano),
        state.settings.commission_basis_points,
    )
