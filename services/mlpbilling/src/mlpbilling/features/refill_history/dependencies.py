from typing import Annotated

from fastapi import Depends

from mlpbilling.features.payments.repository import PaymentRepository
from mlpbilling.features.refill_history.service import RefillHistory
from mlpbilling.features.refills.dependencies import refills_of
from mlpbilling.state import StateDep
from mlplace_runtime.web.dependencies import SessionDep


def refill_history(session: SessionDep, state: StateDep) -> RefillHistory:
    return RefillHistory(refills_of(session, state), PaymentRepository(session))


RefillHistoryDep = Annotated[RefillHistory, Depends(refill_history)]
