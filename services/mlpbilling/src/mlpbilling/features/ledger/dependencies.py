from sqlalchemy.ext.asyncio import AsyncSession

from mlpbilling.features.ledger.repository import LedgerRepository
from mlpbilling.features.ledger.service import Ledger
from mlplace_kit.clock import Clock
from mlplace_runtime.db.outbox import Outbox


def ledger_of(session: AsyncSession, clock: Clock) -> Ledger:
    return Ledger(LedgerRepository(session), Outbox(session, clock), clock)
