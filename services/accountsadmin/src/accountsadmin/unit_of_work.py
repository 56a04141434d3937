"""One transaction with the services that work in it. The only place that knows how services are put together."""

from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from functools import cached_property
from typing import Annotated, TypeAlias

from fastapi import Depends, Request
from sqlalchemy.ext.asyncio import AsyncSession

from accountsadmin.cookies import Cookies
from accountsadmin.features.accounts.repository import AccountRepository
from accountsadmin.features.accounts.service import AccountService
from accountsadmin.features.audit.repository import AuditRepository
from accountsadmin.features.audit.service import AuditLog
from accountsadmin.features.devices.repository import DeviceRepository
from accountsadmin.features.devices.service import KnownDevices
from accountsadmin.features.domains.repository import DomainRepository
from accountsadmin.features.domains.service import DomainService
from accountsadmin.features.identity.service import IdentityService
from accountsadmin.features.invitations.repository import InvitationRepository
from accountsadmin.features.invitations.service import InvitationService
from accountsadmin.features.limits.repository import LimitsRepository
from accountsadmin.features.limits.service import LimitsService
from accountsadmin.features.memberships.repository import MembershipRepository
from accountsadmin.features.memberships.service import MembershipService
from accountsadmin.features.recovery.repository import MailTokenRepository
from accountsadmin.features.recovery.tokens import MailTokens
from accountsadmin.features.selection.service import AccountSelection
from accountsadmin.features.sessions.repository import SessionRepository
from accountsadmin.features.sessions.service import SessionService, SessionTerms
from accountsadmin.features.throttle.repository import AttemptsRepository
from accountsadmin.features.throttle.service import Throttle, ThrottleTerms
from accountsadmin.features.users.administration import UserAdministration
from accountsadmin.features.users.people import People
from accountsadmin.features.users.repository import UserRepository
from accountsadmin.features.users.service import UserService
from accountsadmin.origin import Origin, OriginDep
from accountsadmin.passwords import Passwords
from mlplace_kit.clock import Clock
from mlplace_kit.credentials import KeyedHasher
from mlplace_runtime.db.database import Database
from mlplace_runtime.db.outbox import Outbox
from mlplace_runtime.mail import Mailer
from mlplace_runtime.web.dependencies import SessionDep


@dataclass(frozen=True, slots=True)
class Resources:
    """What the service opened at its start. Kept at `app.state.resources`."""

    database: Database
    clock: Clock
    hasher: KeyedHasher
    passwords: Passwords
    cookies: Cookies
    mailer: Mailer | None
    public_url: str
    secure: bool
    session_terms: SessionTerms
    throttle_terms: ThrottleTerms
    device_lifetime: timedelta

    @asynccontextmanager
    async def open_work(self, origin: Origin) -> AsyncGenerator["UnitOfWork"]:
        """For work that needs several transactions, or that must commit although the request fails."""
        async with self.database.transaction() as session:
            yield UnitOfWork(session, self, origin)


class UnitOfWork:
    def __init__(self, session: AsyncSession, resources: Resources, origin: Origin) -> None:
        self._session = session
        self._resources = resources
        self._origin = origin
        self._clock = resources.clock
        self._outbox = Outbox(session, resources.clock)

    @cached_property
    def audit(self) -> AuditLog:
        return AuditLog(repository=AuditRepository(self._session), clock=self._clock, origin=self._origin)

    @cached_property
    def domains(self) -> DomainService:
        repository = DomainRepository(self._session)
        return DomainService(
            repository=repository,
            audit=self.audit,
            host=self._origin.host,
            secure=self._resources.secure,
            public_url=self._resources.public_url,
            mail_available=self._resources.mailer is not None,
        )

    @cached_property
    def throttle(self) -> Throttle:
        return Throttle(
            repository=AttemptsRepository(self._session),
            audit=self.audit,
            clock=self._clock,
            origin=self._origin,
            terms=self._resources.throttle_terms,
        )

    @cached_property
    def devices(self) -> KnownDevices:
        return KnownDevices(
            repository=DeviceRepository(self._session),
            hasher=self._resources.hasher,
            clock=self._clock,
            lifetime=self._resources.device_lifetime,
        )

    @cached_property
    def mail_tokens(self) -> MailTokens:
        repository = MailTokenRepository(self._session)
        return MailTokens(repository=repository, hasher=self._resources.hasher, clock=self._clock)

    @cached_property
    def sessions(self) -> SessionService:
        return SessionService(
            repository=SessionRepository(self._session),
            outbox=self._outbox,
            audit=self.audit,
            clock=self._clock,
            hasher=self._resources.hasher,
            origin=self._origin,
            terms=self._resources.session_terms,
        )

    @cached_property
    def users(self) -> UserService:
        return UserService(repository=UserRepository(self._session), outbox=self._outbox, clock=self._clock)

    @cached_property
    def people(self) -> People:
        return People(
            users=self.users, hasher=self._resources.hasher, mail_available=self._resources.mailer is not None
        )

    @cached_property
    def user_administration(self) -> UserAdministration:
        return UserAdministration(users=self.users, sessions=self.sessions, audit=self.audit)

    @cached_property
    def accounts(self) -> AccountService:
        repository = AccountRepository(self._session)
        return AccountService(repository=repository, outbox=self._outbox, audit=self.audit, clock=self._clock)

    @cached_property
    def limits(self) -> LimitsService:
        return LimitsService(repository=LimitsRepository(self._session))

    @cached_property
    def memberships(self) -> MembershipService:
        return MembershipService(
            repository=MembershipRepository(self._session),
            outbox=self._outbox,
            audit=self.audit,
            clock=self._clock,
            users=self.users,
            accounts=self.accounts,
        )

    @cached_property
    def invitations(self) -> InvitationService:
        return InvitationService(
            repository=InvitationRepository(self._session),
            audit=self.audit,
            clock=self._clock,
            users=self.users,
            accounts=self.accounts,
            memberships=self.memberships,
            confirmed_only=self._resources.mailer is not None,
        )

    @cached_property
    def selection(self) -> AccountSelection:
        return AccountSelection(
            domains=self.domains, users=self.users, accounts=self.accounts, memberships=self.memberships
        )

    @cached_property
    def identity(self) -> IdentityService:
        return IdentityService(
            sessions=self.sessions,
            users=self.users,
            accounts=self.accounts,
            memberships=self.memberships,
            limits=self.limits,
        )


OpenWork: TypeAlias = Callable[[Origin], AbstractAsyncContextManager[UnitOfWork]]


def resources_of(request: Request) -> Resources:
    resources = request.app.state.resources
    if not isinstance(resources, Resources):
        raise TypeError("the app was started without its resources")
    return resources


ResourcesDep = Annotated[Resources, Depends(resources_of)]


def work_of(session: SessionDep, resources: ResourcesDep, origin: OriginDep) -> UnitOfWork:
    return UnitOfWork(session, resources, origin)


WorkDep = Annotated[UnitOfWork, Depends(work_of, scope="function")]
"""The request's one transaction: committed before the answer leaves, rolled back when the request is refused."""
