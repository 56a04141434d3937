"""Creates users that an installation has from its start, such as the demo's."""

from accountsadmin.features.accounts.dependencies import accounts_of
from accountsadmin.features.audit.dependencies import audit_of
from accountsadmin.features.audit.schemas import SecurityEvent
from accountsadmin.features.memberships.dependencies import memberships_of
from accountsadmin.features.sessions.dependencies import sessions_of
from accountsadmin.features.users.dependencies import users_of
from accountsadmin.features.users.service import UserEntry
from accountsadmin.languages import DEFAULT_LANGUAGE
from accountsadmin.logins import normal_login
from accountsadmin.origin import PLATFORM
from accountsadmin.passwords import OWN, Passwords
from accountsadmin.unit_of_work import OpenWork, UnitOfWork
from mlplace_contracts.enums import Role
from mlplace_contracts.internal.identity import EnsuredUser, EnsureUser, ReplacePassword
from mlplace_kit.errors import ValidationFailed
from mlplace_kit.names import is_account_name
from mlplace_kit.violations import broken


class Bootstrap:
    def __init__(self, *, open_work: OpenWork, passwords: Passwords) -> None:
        self._open_work = open_work
        self._passwords = passwords

    async def ensure_user(self, *, wanted: EnsureUser) -> EnsuredUser:
        """Creates what is missing and changes nothing else. Concurrent calls return the same ids."""
        if not is_account_name(wanted.account_name):
            raise ValidationFailed({"account_name": broken("account_name", message="is not a valid short name")})
        login = normal_login(wanted.login)
        async with self._open_work(PLATFORM) as work:
            known = await users_of(work).find_by_login(login=login)
        password_hash = known.password_hash if known else await self._passwords.hash(wanted.password, asker=OWN)
        async with self._open_work(PLATFORM) as work:
            user = await _user(work, wanted, login, password_hash)
            account_id = await _account(work, wanted, user)
            await memberships_of(work).ensure_roles(
                account_id=account_id, user_id=user.id, roles=wanted.roles, actor=None
            )
        return EnsuredUser(user_id=user.id, account_id=account_id)

    async def replace_password(self, *, wanted: ReplacePassword) -> bool:
        """Replaces the password and ends all sessions. Returns False if the user is unknown or `known` is wrong."""
        async with self._open_work(PLATFORM) as work:
            user = await users_of(work).find_by_login(login=normal_login(wanted.login))
        if user is None or not (await self._passwords.verify(wanted.known, user.password_hash, asker=OWN)).matches:
            return False
        new_hash = await self._passwords.hash(wanted.password, asker=OWN)
        async with self._open_work(PLATFORM) as work:
            if not await users_of(work).set_password(user_id=user.id, old_hash=user.password_hash, new_hash=new_hash):
                return False
            await audit_of(work).record(SecurityEvent.PASSWORD_RESET, user=user.id, login=user.login)
            await sessions_of(work).end_all(user_id=user.id, actor=None)
        return True


async def _user(work: UnitOfWork, wanted: EnsureUser, login: str, password_hash: str) -> UserEntry:
    user = await users_of(work).ensure(
        login=login,
        password_hash=password_hash,
        language=DEFAULT_LANGUAGE,
        permissions=wanted.permissions,
        internal=wanted.internal,
    )
    missing = set(wanted.permissions) - set(user.permissions)
    if not missing:
        return user
    permissions = {*user.permissions, *missing}
    return await users_of(work).set_permissions(user_id=user.id, permissions=permissions, internal=None)


async def _account(work: UnitOfWork, wanted: EnsureUser, user: UserEntry) -> int:
    account = await accounts_of(work).ensure(
        short_name=wanted.account_name,
        display_name=wanted.display_name,
        owner_user_id=user.id,
        email=user.login,
        language=DEFAULT_LANGUAGE,
    )
    if account.owner_user_id == user.id:
        await memberships_of(work).ensure_roles(
            account_id=account.account_id, user_id=user.id, roles=[Role.OWNER], actor=None
        )
    return account.account_id
