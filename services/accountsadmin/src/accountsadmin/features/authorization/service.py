"""Sign-up, sign-in, sign-out and change of the password.

Each uses several transactions: passwords are hashed outside of them, and a failed attempt is recorded even though the
request fails.
"""

from dataclasses import dataclass
from datetime import timedelta

from accountsadmin.features.accounts.dependencies import accounts_of
from accountsadmin.features.audit.dependencies import audit_of
from accountsadmin.features.audit.schemas import SecurityEvent
from accountsadmin.features.authorization.errors import InvalidCredentials
from accountsadmin.features.authorization.schemas import (
    ChangePasswordInput,
    LoginInput,
    RegisterInput,
    SignedInData,
)
from accountsadmin.features.devices.dependencies import devices_of
from accountsadmin.features.domains.dependencies import domains_of
from accountsadmin.features.memberships.dependencies import memberships_of
from accountsadmin.features.sessions.dependencies import sessions_of
from accountsadmin.features.throttle.dependencies import throttle_of
from accountsadmin.features.throttle.errors import TooManyAttempts
from accountsadmin.features.users.dependencies import users_of
from accountsadmin.features.users.service import UserEntry
from accountsadmin.logins import normal_login
from accountsadmin.origin import Origin
from accountsadmin.passwords import Asker, Passwords, PasswordVerdict, require_unlike_login
from accountsadmin.signed_in import CurrentUser
from accountsadmin.unit_of_work import OpenWork, UnitOfWork
from mlplace_contracts.enums import Role
from mlplace_kit.errors import Conflict, ValidationFailed
from mlplace_kit.violations import broken


@dataclass(frozen=True, slots=True)
class Browser:
    """A browser before authentication: its origin, and the session, account and device in its cookies, if any."""

    origin: Origin
    session: str | None
    account: int | None
    device: str | None = None


@dataclass(frozen=True, slots=True)
class NewSession:
    """`secret` and `device` are only for the cookies."""

    secret: str
    device: str
    data: SignedInData


class Authorization:
    def __init__(self, *, open_work: OpenWork, passwords: Passwords) -> None:
        self._open_work = open_work
        self._passwords = passwords

    async def sign_in(self, *, wanted: LoginInput, browser: Browser) -> NewSession:
        """Raises TooManyAttempts, InvalidCredentials, and ValidationFailed for a redirect to a foreign site."""
        login = normal_login(wanted.login)
        async with self._open_work(browser.origin) as work:
            redirect = await domains_of(work).checked_redirect(wanted.redirect_url)
            user = await users_of(work).find_by_login(login=login)
            device = await devices_of(work).find(secret=browser.device, user_id=user.id if user else None)
            wait = await throttle_of(work).admit_sign_in(login=login, device=device)
        _refuse_if(wait)
        verdict = await self._passwords.verify(
            wanted.password.get_secret_value(),
            user.password_hash if user else None,
            asker=Asker(f"device:{device}", known=True) if device else Asker(browser.origin.network),
        )
        async with self._open_work(browser.origin) as work:
            session = await _admit(work, user, verdict, browser, redirect, device)
            if session is None:
                user_id = user.id if user else None
                await audit_of(work).record(SecurityEvent.SIGN_IN_FAILED, user=user_id, login=login)
        if session is None:
            raise InvalidCredentials
        return session

    async def register(self, *, wanted: RegisterInput, browser: Browser) -> NewSession:
        """Raises TooManyAttempts, LoginTaken, AccountNameTaken, ValidationFailed."""
        require_unlike_login(wanted.password, wanted.login, path="password")
        async with self._open_work(browser.origin) as work:
            redirect = await domains_of(work).checked_redirect(wanted.redirect_url)
            wait = await throttle_of(work).admit_registration()
        _refuse_if(wait)
        password_hash = await self._passwords.hash(
            wanted.password.get_secret_value(), asker=Asker(browser.origin.network)
        )
        async with self._open_work(browser.origin) as work:
            user = await users_of(work).create(
                login=wanted.login, password_hash=password_hash, language=wanted.language
            )
            account = await accounts_of(work).create(
                short_name=wanted.account_name,
                display_name=wanted.display_name,
                owner_user_id=user.id,
                email=user.login,
                language=wanted.language,
            )
            await memberships_of(work).ensure_roles(
                account_id=account.account_id, user_id=user.id, roles=[Role.OWNER], actor=user.id
            )
            await audit_of(work).record(SecurityEvent.SIGNED_UP, actor=user.id, user=user.id, login=user.login)
            return await _open_session(work, user, browser, redirect)

    async def sign_out(self, *, browser: Browser) -> None:
        if browser.session:
            async with self._open_work(browser.origin) as work:
                await sessions_of(work).sign_out(secret=browser.session)

    async def change_password(self, *, user: CurrentUser, wanted: ChangePasswordInput, origin: Origin) -> str:
        """Changes the password and ends all sessions. Returns a new session's id.

        Raises TooManyAttempts, ValidationFailed, and Conflict if the password was changed meanwhile.
        """
        require_unlike_login(wanted.new_password, user.login, path="newPassword")
        async with self._open_work(origin) as work:
            wait = await throttle_of(work).admit_check(user_id=user.user_id, login=user.login)
            entry = await users_of(work).find(user_id=user.user_id)
        _refuse_if(wait)
        old_hash = entry.password_hash if entry else None
        asker = Asker(f"user:{user.user_id}", known=True)
        verdict = await self._passwords.verify(wanted.current_password.get_secret_value(), old_hash, asker=asker)
        if not verdict.matches or old_hash is None:
            raise ValidationFailed({"currentPassword": broken("current_password")})  # pragma: allowlist secret
        new_hash = await self._passwords.hash(wanted.new_password.get_secret_value(), asker=asker)
        async with self._open_work(origin) as work:
            if not await users_of(work).set_password(user_id=user.user_id, old_hash=old_hash, new_hash=new_hash):
                raise Conflict
            await throttle_of(work).forgive_check(user_id=user.user_id)
            await audit_of(work).record(SecurityEvent.PASSWORD_CHANGED, actor=user.user_id, user=user.user_id)
            await sessions_of(work).end_all(user_id=user.user_id, actor=user.user_id)
            return await sessions_of(work).open(user_id=user.user_id)


def _refuse_if(wait: timedelta | None) -> None:
    if wait:
        raise TooManyAttempts(wait)


async def _admit(
    work: UnitOfWork,
    user: UserEntry | None,
    verdict: PasswordVerdict,
    browser: Browser,
    redirect: str | None,
    device: int | None,
) -> NewSession | None:
    """Opens a session. Returns None unless the password was right and is still valid."""
    if user is None or not verdict.matches:
        return None
    if not await users_of(work).confirm(user_id=user.id, password_hash=user.password_hash):
        return None
    await throttle_of(work).forgive_sign_in(login=user.login, device=device)
    if verdict.upgraded:
        await users_of(work).set_password(user_id=user.id, old_hash=user.password_hash, new_hash=verdict.upgraded)
    return await _open_session(work, user, browser, redirect)


async def _open_session(work: UnitOfWork, user: UserEntry, browser: Browser, redirect: str | None) -> NewSession:
    """Opens a session under a new id and ends the browser's former one, whose id somebody else may have planted."""
    if browser.session:
        await sessions_of(work).sign_out(secret=browser.session)
    secret = await sessions_of(work).open(user_id=user.id)
    await audit_of(work).record(SecurityEvent.SIGNED_IN, actor=user.id, user=user.id, login=user.login)
    account_id = await _selected(work, user.id, browser.account)
    device = await devices_of(work).remember(secret=browser.device, user_id=user.id)
    return NewSession(
        secret, device, SignedInData(user_id=user.id, login=user.login, account_id=account_id, redirect_url=redirect)
    )


async def _selected(work: UnitOfWork, user_id: int, named: int | None) -> int | None:
    """Returns the previously selected account if the user may use it, or else the user's only account."""
    roles = await memberships_of(work).of_user(user_id=user_id)
    usable = [entry.account_id for entry in await accounts_of(work).by_ids(account_ids=list(roles)) if entry.active]
    if named in usable:
        return named
    return usable[0] if len(usable) == 1 else None
