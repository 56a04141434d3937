import structlog

from mlpbilling.features.ledger.dependencies import ledger_of
from mlpbilling.features.ledger.repository import LedgerRepository
from mlpbilling.state import BillingState
from mlplace_kit.errors import DomainError

log = structlog.get_logger(__name__)

_BATCH = 500


async def pay_debts(state: BillingState) -> None:
    """Pass on money that came in without doing so by itself: many debts, or one that came up at the same moment.

    One transaction for each payer and currency; a payer whose debts cannot be paid does not hold up the others.
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
