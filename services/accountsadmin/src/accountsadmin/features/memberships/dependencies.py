from typing import Annotated

from fastapi import Depends

from accountsadmin.features.accounts.dependencies import accounts_of
from accountsadmin.features.audit.dependencies import audit_of
from accountsadmin.features.memberships.repository import MembershipRepository
from accountsadmin.features.memberships.service import MembershipService
from accountsadmin.features.users.dependencies import users_of
from accountsadmin.unit_of_work import WorkDep


def memberships_of(work: WorkDep) -> MembershipService:
    return MembershipService(
        repository=MembershipRepository(work.session),
        outbox=work.outbox,
        audit=audit_of(work),
        clock=work.clock,
        users=users_of(work),
        accounts=accounts_of(work),
    )


MembershipsDep = Annotated[MembershipService, Depends(memberships_of)]
