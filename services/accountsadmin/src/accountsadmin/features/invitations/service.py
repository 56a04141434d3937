from collections.abc import Collection

from accountsadmin.features.accounts.service import AccountService
from accountsadmin.features.audit.schemas import SecurityEvent
from accountsadmin.features.audit.service import AuditLog
from accountsadmin.features.invitations.errors import AlreadyInvited, AlreadyMember, EmailNotConfirmed, InvitationClosed
from accountsadmin.features.invitations.mails import invitation_mail
from accountsadmin.features.invitations.repository import InvitationRepository
from accountsadmin.features.invitations.schemas import AccountInvitation, SentInvitation
from accountsadmin.features.invitations.tables import Invitation, InvitationStatus
from accountsadmin.features.memberships.service import MembershipService
from accountsadmin.features.users.service import UserService
from mlplace_contracts.enums import Role
from mlplace_kit.clock import Clock
from mlplace_kit.errors import NotFound
from mlplace_runtime.mail import Mail


class InvitationService:
    def __init__(
        self,
        *,
        repository: InvitationRepository,
        audit: AuditLog,
        clock: Clock,
        users: UserService,
        accounts: AccountService,
        memberships: MembershipService,
        confirmed_only: bool,
    ) -> None:
        """With `confirmed_only`, users must confirm their e-mail address before they accept."""
        self._repository = repository
        self._audit = audit
        self._clock = clock
        self._users = users
        self._accounts = accounts
        self._memberships = memberships
        self._confirmed_only = confirmed_only

    async def invite(
        self, *, account_id: int, email: str, roles: Collection[Role], actor: int | None
    ) -> SentInvitation:
        """Raises AlreadyMember and AlreadyInvited."""
        user = await self._users.find_by_login(login=email)
        if user and await self._memberships.is_member(account_id=account_id, user_id=user.id):
            raise AlreadyMember
        invitation = await self._repository.add(
            account_id=account_id,
            email=email,
            roles=sorted({role.value for role in roles}),
            created_by=actor,
            now=self._clock.now(),
        )
        if invitation is None:
            raise AlreadyInvited
        await self._record(SecurityEvent.INVITATION_CREATED, invitation, actor)
        return SentInvitation.model_validate(invitation)

    async def mail_about(self, *, account_id: int, email: str, platform_url: str) -> Mail:
        """Writes the mail in the invited user's language, or in the account's if the user is unknown."""
        account = await self._accounts.details(account_id=account_id)
        user = await self._users.find_by_login(login=email)
        return invitation_mail(
            email=email,
            account=account.display_name,
            language=user.language if user else account.language,
            platform_url=platform_url,
        )

    async def sent_by(self, *, account_id: int) -> list[SentInvitation]:
        return [SentInvitation.model_validate(row) for row in await self._repository.pending_of(account_id)]

    async def pending_for(self, *, user_id: int) -> list[AccountInvitation]:
        """Raises NotFound if there is no such user."""
        user = await self._users.find(user_id=user_id)
        if user is None:
            raise NotFound(entity="user")
        rows = await self._repository.pending_for(user.login)
        accounts = await self._accounts.by_ids(account_ids=[row.account_id for row in rows])
        names = {account.account_id: account.display_name for account in accounts if account.active}
        return [
            AccountInvitation(
                id=row.id, account_id=row.account_id, account_name=names[row.account_id], created_at=row.created_at
            )
            for row in rows
            if row.account_id in names
        ]

    async def accept(self, *, invitation_id: int, user_id: int, login: str) -> None:
        """Raises EmailNotConfirmed, NotFound, InvitationClosed."""
        user = await self._users.find(user_id=user_id)
        if self._confirmed_only and not (user and user.email_confirmed):
            raise EmailNotConfirmed
        invitation = await self._answer(invitation_id, login, InvitationStatus.ACCEPTED)
        await self._record(SecurityEvent.INVITATION_ACCEPTED, invitation, user_id)
        await self._memberships.ensure_roles(
            account_id=invitation.account_id,
            user_id=user_id,
            roles=[Role(role) for role in invitation.roles],
            actor=user_id,
        )

    async def decline(self, *, invitation_id: int, user_id: int, login: str) -> None:
        invitation = await self._answer(invitation_id, login, InvitationStatus.DECLINED)
        await self._record(SecurityEvent.INVITATION_DECLINED, invitation, user_id)

    async def withdraw(self, *, invitation_id: int, account_id: int, actor: int | None) -> None:
        found = await self._repository.of_account(invitation_id, account_id)
        invitation = await self._close(found, InvitationStatus.WITHDRAWN)
        await self._record(SecurityEvent.INVITATION_WITHDRAWN, invitation, actor)

    async def _answer(self, invitation_id: int, login: str, status: InvitationStatus) -> Invitation:
        """Raises NotFound for an invitation of somebody else, InvitationClosed for an answered one."""
        return await self._close(await self._repository.for_email(invitation_id, login), status)

    async def _close(self, invitation: Invitation | None, status: InvitationStatus) -> Invitation:
        if invitation is None:
            raise NotFound(entity="invitation")
        if not await self._repository.close(invitation.id, status, self._clock.now()):
            raise InvitationClosed
        return invitation

    async def _record(self, kind: SecurityEvent, invitation: Invitation, actor: int | None) -> None:
        await self._audit.record(
            kind,
            actor=actor,
            account=invitation.account_id,
            login=invitation.email,
            details={"invitationId": str(invitation.id), "roles": " ".join(invitation.roles)},
        )
