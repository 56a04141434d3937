from collections.abc import Collection

from accountsadmin.features.accounts.service import AccountService
from accountsadmin.features.audit.schemas import SecurityEvent
from accountsadmin.features.audit.service import AuditLog
from accountsadmin.features.memberships.errors import OwnerKept
from accountsadmin.features.memberships.repository import MembershipRepository
from accountsadmin.features.memberships.schemas import MemberData
from accountsadmin.features.memberships.tables import Membership
from accountsadmin.features.users.service import UserService
from mlplace_contracts.enums import Role
from mlplace_contracts.events import MembershipChanged
from mlplace_kit.clock import Clock
from mlplace_kit.errors import NotFound
from mlplace_kit.names import PathRef
from mlplace_runtime.db.outbox import Publisher


class MembershipService:
    def __init__(
        self,
        *,
        repository: MembershipRepository,
        outbox: Publisher,
        audit: AuditLog,
        clock: Clock,
        users: UserService,
        accounts: AccountService,
    ) -> None:
        self._repository = repository
        self._outbox = outbox
        self._audit = audit
        self._clock = clock
        self._users = users
        self._accounts = accounts

    async def of_user(self, *, user_id: int) -> dict[int, tuple[Role, ...]]:
        """Returns the user's roles in each account, sorted by account."""
        return {row.account_id: _roles(row) for row in await self._repository.of_user(user_id)}

    async def members(self, *, account_id: int) -> list[MemberData]:
        rows = await self._repository.of_account(account_id)
        logins = await self._users.logins(user_ids=[row.user_id for row in rows])
        return [_member(row, logins) for row in rows]

    async def is_member(self, *, account_id: int, user_id: int) -> bool:
        return await self._repository.get(account_id, user_id) is not None

    async def ensure_roles(self, *, account_id: int, user_id: int, roles: Collection[Role], actor: int | None) -> None:
        """Adds the roles that the user does not have yet."""
        current = await self._repository.get(account_id, user_id)
        if current and set(roles) <= set(_roles(current)):
            return
        wanted = sorted(role.value for role in roles)
        await self._announce(await self._repository.add_roles(account_id, user_id, wanted, self._clock.now()), actor)

    async def set_roles(
        self, *, account_id: int, user_id: int, roles: Collection[Role], actor: int | None
    ) -> MemberData:
        """Raises NotFound if the user is not a member, OwnerKept if the account would lose its owner."""
        row = await self._replace(account_id, user_id, roles, actor)
        return _member(row, await self._users.logins(user_ids=[user_id]))

    async def end(self, *, account_id: int, user_id: int, actor: int | None) -> None:
        """Raises NotFound and OwnerKept like `set_roles`."""
        await self._replace(account_id, user_id, (), actor)

    async def _replace(self, account_id: int, user_id: int, roles: Collection[Role], actor: int | None) -> Membership:
        account = await self._accounts.find(ref=PathRef(id=account_id, name=None))
        if account and account.owner_user_id == user_id and Role.OWNER not in roles:
            raise OwnerKept
        row = await self._repository.replace_roles(account_id, user_id, sorted({role.value for role in roles}))
        if row is None:
            raise NotFound(entity="member")
        await self._announce(row, actor)
        return row

    async def _announce(self, row: Membership, actor: int | None) -> None:
        logins = await self._users.logins(user_ids=[row.user_id])
        await self._outbox.add(
            MembershipChanged(
                account_id=row.account_id,
                user_id=row.user_id,
                roles=tuple(row.roles),
                login=logins.get(row.user_id),
                version=row.version,
            )
        )
        await self._audit.record(
            SecurityEvent.MEMBERSHIP_CHANGED,
            actor=actor,
            user=row.user_id,
            account=row.account_id,
            details={"roles": " ".join(row.roles)},
        )


def _roles(row: Membership) -> tuple[Role, ...]:
    return tuple(Role(role) for role in row.roles)


def _member(row: Membership, logins: dict[int, str]) -> MemberData:
    return MemberData(user_id=row.user_id, login=logins.get(row.user_id, ""), roles=list(_roles(row)))
