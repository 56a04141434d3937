import structlog

from mlpbilling.features.ledger.dependencies import ledger_of
from mlpbilling.features.ledger.repository import PAYABLE, LedgerRepository
from mlpbilling.state import BillingState
from mlplace_kit.errors import DomainError

log = structlog.get_logger(__name__)

_BATCH = 500


async def check_debts(state: BillingState) -> None:
    if await state.database.polling.finds(PAYABLE):
        await pay_debts(state)


async def pay_debts(state: BillingState) -> None:
    """Pays debts that were not paid when money came in: too many at once, or debts that arose at the same moment.

    Uses one transaction per payer and currency, so that one payer's failure does not delay the others.
    """
    last = 0
    while True:
        async with state.database.transaction() as session:
            places = await LedgerRepository(session).payable(after=last, limit=_BATCH)
        for account_id, currency in places:
            try:
                async with state.database.transaction() as session:
                    await ledger_of(session, state.clock).pay_debts(account_id=account_id, currency=currency)
            except DomainError:
                log.exception("debts_not_paid", payer=account_id, currency=currency.value)
        if len(places) < _BATCH:
            return
        last = places[-1][0]
