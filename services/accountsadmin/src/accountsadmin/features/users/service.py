from collections.abc import Collection, Sequence
from dataclasses import dataclass

from accountsadmin.features.users.errors import LoginTaken
from accountsadmin.features.users.repository import UserRepository
from accountsadmin.features.users.schemas import UserPage, UserRecord
from accountsadmin.features.users.tables import User
from accountsadmin.languages import Language, language_of
from mlplace_contracts.events import UserChanged
from mlplace_kit.clock import Clock
from mlplace_kit.errors import NotFound, ValidationFailed
from mlplace_kit.pagination import PageRequest, Pagination
from mlplace_kit.violations import broken
from mlplace_runtime.db.outbox import Publisher


@dataclass(frozen=True, slots=True)
class UserEntry:
    """A user as other features see it. The password hash is for verification outside of transactions."""

    id: int
    login: str
    password_hash: str
    permissions: tuple[str, ...]
    internal: bool
    active: bool
    language: Language
    email_confirmed: bool


class UserService:
    def __init__(self, *, repository: UserRepository, outbox: Publisher, clock: Clock) -> None:
        self._repository = repository
        self._outbox = outbox
        self._clock = clock

    async def create(
        self,
        *,
        login: str,
        password_hash: str,
        language: Language,
        permissions: Sequence[str] = (),
        internal: bool = False,
    ) -> UserEntry:
        """Raises LoginTaken."""
        user = await self._repository.add(
            login=login,
            password_hash=password_hash,
            permissions=sorted(set(permissions)),
            internal=internal,
            language=language,
            now=self._clock.now(),
        )
        if user is None:
            raise LoginTaken
        return await self._announced(user)

    async def ensure(
        self, *, login: str, password_hash: str, language: Language, permissions: Sequence[str], internal: bool
    ) -> UserEntry:
        """Returns the user with this login, unchanged; creates it as described if it is missing."""
        try:
            return await self.create(
                login=login,
                password_hash=password_hash,
                language=language,
                permissions=permissions,
                internal=internal,
            )
        except LoginTaken:
            known = await self.find_by_login(login=login)
            if known is None:
                raise
            return known

    async def find(self, *, user_id: int) -> UserEntry | None:
        user = await self._repository.by_id(user_id)
        return _entry(user) if user else None

    async def find_by_login(self, *, login: str) -> UserEntry | None:
        user = await self._repository.by_login(login)
        return _entry(user) if user else None

    async def lock(self, *, login: str) -> UserEntry | None:
        """Returns the current user, whom nobody else changes until the commit."""
        user = await self._repository.locked_by_login(login)
        return _entry(user) if user else None

    async def lock_holders(self, *, permission: str) -> list[UserEntry]:
        """Returns the users with this permission, whom nobody else changes until the commit."""
        return [_entry(user) for user in await self._repository.locked_holders(permission)]

    async def logins(self, *, user_ids: Collection[int]) -> dict[int, str]:
        return {user.id: user.login for user in await self._repository.by_ids(user_ids)}

    async def confirm(self, *, user_id: int, password_hash: str) -> bool:
        """Returns whether the user is active and still has the verified password; locks the user until the commit.

        The password may be changed or the user blocked between verification and the new session. Both end all sessions
        and must not miss the one that is about to open.
        """
        user = await self._repository.held(user_id)
        return user is not None and user.active and user.password_hash == password_hash

    async def set_password(self, *, user_id: int, old_hash: str, new_hash: str) -> bool:
        """Returns False if the password was changed meanwhile."""
        return await self._repository.set_password(user_id, old_hash=old_hash, new_hash=new_hash)

    async def confirm_email(self, *, user_id: int) -> None:
        """Records that mail to the login arrives at the user."""
        await self._repository.confirm_email(user_id, self._clock.now())

    async def set_permissions(self, *, user_id: int, permissions: Collection[str], internal: bool | None) -> UserEntry:
        mark = {} if internal is None else {"internal": internal}
        return await self._change(user_id, permissions=sorted(set(permissions)), **mark)

    async def set_active(self, *, user_id: int, active: bool) -> UserEntry:
        return await self._change(user_id, active=active)

    async def search(self, *, name: str, request: PageRequest) -> UserPage:
        if request.sort_field not in {"id", "login"}:
            raise ValidationFailed({"sort": broken("sort", message="sort by id or login", allowed="id, login")})
        rows, total = await self._repository.search(name, request)
        return UserPage(paging=Pagination.of(request, total), records=[UserRecord.model_validate(row) for row in rows])

    async def _change(self, user_id: int, **values: object) -> UserEntry:
        user = await self._repository.change(user_id, **values)
        if user is None:
            raise NotFound(entity="user")
        return await self._announced(user)

    async def _announced(self, user: User) -> UserEntry:
        event = UserChanged(
            user_id=user.id,
            login=user.login,
            permissions=tuple(user.permissions),
            internal=user.internal,
            active=user.active,
            version=user.version,
        )
        await self._outbox.add(event)
        return _entry(user)


def _entry(user: User) -> UserEntry:
    return UserEntry(
        id=user.id,
        login=user.login,
        password_hash=user.password_hash,
        permissions=tuple(user.permissions),
        internal=user.internal,
        active=user.active,
        language=language_of(user.language),
        email_confirmed=user.email_confirmed_at is not None,
    )
