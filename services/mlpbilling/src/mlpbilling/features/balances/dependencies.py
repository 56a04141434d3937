from typing import Annotated

from fastapi import Depends

from mlpbilling.features.balances.service import BalanceReader
from mlpbilling.features.ledger.dependencies import ledger_of
from mlpbilling.state import StateDep
from mlplace_runtime.web.dependencies import SessionDep


def balance_reader(session: SessionDep, state: StateDep) -> BalanceReader:
    return BalanceReader(ledger_of(session, state.clock), state.settings.currency)


BalanceReaderDep = Annotated[BalanceReader, Depends(balance_reader)]
