from typing import Annotated

from fastapi import Depends

from accountsadmin.features.accounts.repository import AccountRepository
from accountsadmin.features.accounts.service import AccountService
from accountsadmin.features.audit.dependencies import audit_of
from accountsadmin.unit_of_work import WorkDep


def accounts_of(work: WorkDep) -> AccountService:
    repository = AccountRepository(work.session)
    return AccountService(repository=repository, outbox=work.outbox, audit=audit_of(work), clock=work.clock)


AccountsDep = Annotated[AccountService, Depends(accounts_of)]
