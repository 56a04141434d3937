from typing import Annotated

from fastapi import Depends
from sqlalchemy.ext.asyncio import AsyncSession

from mlpbilling.features.directory.repository import DirectoryRepository
from mlpbilling.features.ledger.dependencies import ledger_of
from mlpbilling.features.refills.repository import RefillRepository
from mlpbilling.features.refills.service import RefillService
from mlpbilling.state import BillingState, StateDep
from mlplace_runtime.db.outbox import Outbox
from mlplace_runtime.web.dependencies import SessionDep


def refills_of(session: AsyncSession, state: BillingState) -> RefillService:
    return RefillService(
        ledger_of(session, state.clock),
        RefillRepository(session),
        DirectoryRepository(session),
        Outbox(session, state.clock),
        state.clock,
    )


def refill_service(session: SessionDep, state: StateDep) -> RefillService:
    return refills_of(session, state)


RefillServiceDep = Annotated[RefillService, Depends(refill_service)]
