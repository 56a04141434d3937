from typing import Annotated

from fastapi import Depends

from accountsadmin.features.accounts.dependencies import accounts_of
from accountsadmin.features.audit.dependencies import audit_of
from accountsadmin.features.invitations.repository import InvitationRepository
from accountsadmin.features.invitations.service import InvitationService
from accountsadmin.features.memberships.dependencies import memberships_of
from accountsadmin.features.users.dependencies import users_of
from accountsadmin.unit_of_work import WorkDep


def invitations_of(work: WorkDep) -> InvitationService:
    return InvitationService(
        repository=InvitationRepository(work.session),
        audit=audit_of(work),
        clock=work.clock,
        users=users_of(work),
        accounts=accounts_of(work),
        memberships=memberships_of(work),
        confirmed_only=work.resources.mailer is not None,
    )


InvitationsDep = Annotated[InvitationService, Depends(invitations_of)]
