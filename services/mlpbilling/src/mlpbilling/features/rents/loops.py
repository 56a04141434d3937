import structlog

from mlpbilling.features.rents.dependencies import rents_of
from mlpbilling.features.rents.repository import RentRepository
from mlpbilling.state import BillingState
from mlplace_kit.errors import DomainError

log = structlog.get_logger(__name__)

_BATCH = 500


async def charge_rents(state: BillingState) -> None:
    """Charges periods that have begun, one transaction per rent, so that a failure does not delay the others."""
    async with state.database.transaction() as session:
        due = await RentRepository(session).due(now=state.clock.now(), limit=_BATCH)
    for rent_id in due:
        try:
            async with state.database.transaction() as session:
                await rents_of(session, state).charge_due(rent_id=rent_id)
        except DomainError:
            log.exception("rent_not_charged", rent=rent_id)
