from typing import Annotated

from fastapi import Depends

from accountsadmin.features.accounts.dependencies import accounts_of
from accountsadmin.features.identity.service import IdentityService
from accountsadmin.features.limits.dependencies import limits_of
from accountsadmin.features.memberships.dependencies import memberships_of
from accountsadmin.features.sessions.dependencies import sessions_of
from accountsadmin.features.users.dependencies import users_of
from accountsadmin.unit_of_work import WorkDep


def identity_of(work: WorkDep) -> IdentityService:
    return IdentityService(
        sessions=sessions_of(work),
        users=users_of(work),
        accounts=accounts_of(work),
        memberships=memberships_of(work),
        limits=limits_of(work),
    )


IdentityDep = Annotated[IdentityService, Depends(identity_of)]
