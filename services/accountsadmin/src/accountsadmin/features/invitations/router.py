from typing import Annotated

from fastapi import APIRouter, BackgroundTasks, Depends, Path, Query, Response

from accountsadmin.features.domains.dependencies import DomainsDep
from accountsadmin.features.invitations.dependencies import InvitationsDep
from accountsadmin.features.invitations.schemas import AccountInvitation, InvitationInput, SentInvitation
from accountsadmin.features.recovery.dependencies import RecoveryDep
from accountsadmin.features.throttle.dependencies import ThrottleDep
from accountsadmin.paths import Id
from accountsadmin.signed_in import SignedInUser
from mlplace_contracts.enums import KeyPermission, Role
from mlplace_runtime.web.policy import Access, Member

router = APIRouter(prefix="/api/accountsadmin/c/account-invitation", tags=["invitations"])
owner_router = APIRouter(prefix="/api/accountsadmin/account/{account}/invitation", tags=["invitations"])

OwnerDep = Annotated[Access, Depends(Member(KeyPermission.WRITE, role=Role.OWNER, keys=False))]


@router.get("/get-by-user")
async def get_invitations_by_user(
    user: SignedInUser,
    invitations: InvitationsDep,
    user_id: Annotated[Id | None, Query(alias="userId")] = None,
) -> list[AccountInvitation]:
    wanted = user_id or user.user_id
    user.may_read_about(wanted)
    return await invitations.pending_for(user_id=wanted)


@router.post("/{id}/accept", response_class=Response)
async def accept_invitation(
    user: SignedInUser, invitations: InvitationsDep, invitation_id: Annotated[Id, Path(alias="id")]
) -> None:
    await invitations.accept(invitation_id=invitation_id, user_id=user.user_id, login=user.login)


@router.post("/{id}/decline", response_class=Response)
async def decline_invitation(
    user: SignedInUser, invitations: InvitationsDep, invitation_id: Annotated[Id, Path(alias="id")]
) -> None:
    await invitations.decline(invitation_id=invitation_id, user_id=user.user_id, login=user.login)


@owner_router.post("")
async def invite_to_account(
    access: OwnerDep,
    throttle: ThrottleDep,
    invitations: InvitationsDep,
    domains: DomainsDep,
    recovery: RecoveryDep,
    tasks: BackgroundTasks,
    body: InvitationInput,
) -> SentInvitation:
    """Invites by e-mail address. Sends a mail if the installation sends mail."""
    account_id = access.account.account_id
    await throttle.require_invitation(account_id=account_id, email=body.email)
    sent = await invitations.invite(
        account_id=account_id, email=body.email, roles=body.roles, actor=access.principal.user_id
    )
    platform_url = await domains.platform_url()
    mail = await invitations.mail_about(account_id=account_id, email=body.email, platform_url=platform_url)
    recovery.send_later(mail, tasks)
    return sent


@owner_router.get("")
async def list_sent_invitations(access: OwnerDep, invitations: InvitationsDep) -> list[SentInvitation]:
    return await invitations.sent_by(account_id=access.account.account_id)


@owner_router.delete("/{id}", response_class=Response)
async def withdraw_invitation(
    access: OwnerDep, invitations: InvitationsDep, invitation_id: Annotated[Id, Path(alias="id")]
) -> None:
    await invitations.withdraw(
        invitation_id=invitation_id, account_id=access.account.account_id, actor=access.principal.user_id
    )
