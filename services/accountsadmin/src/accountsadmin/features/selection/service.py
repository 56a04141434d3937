"""Which accounts a user may work in, by the specification's account rules."""

from collections.abc import Collection

from accountsadmin.features.accounts.service import AccountService
from accountsadmin.features.domains.service import DomainRules, DomainService
from accountsadmin.features.memberships.service import MembershipService
from accountsadmin.features.selection.schemas import AllowedAccount, UserData
from accountsadmin.features.users.service import UserService
from accountsadmin.signed_in import CurrentUser
from mlplace_contracts.enums import Role
from mlplace_kit.errors import AccountAccessDenied, AccountNotSelected, NotFound
from mlplace_runtime.auth.principal import AccountGrant


class AccountSelection:
    def __init__(
        self, *, domains: DomainService, users: UserService, accounts: AccountService, memberships: MembershipService
    ) -> None:
        self._domains = domains
        self._users = users
        self._accounts = accounts
        self._memberships = memberships

    async def authorized(self, *, user: CurrentUser, named: int | None, host: str) -> UserData:
        """`named` is the account in the cookie. Raises AccountNotSelected and AccountAccessDenied."""
        rules = await self._domains.rules_for(host=host)
        grant = user.principal.selected
        if not (user.principal.internal and rules.internal_user_ui_available):
            _require_usable(grant, named, rules)
        return _user_data(user, grant)

    async def allowed(self, *, user_id: int, host: str, product: str | None) -> list[AllowedAccount]:
        """Returns the user's accounts sorted by id. Raises NotFound if there is no such user."""
        if await self._users.find(user_id=user_id) is None:
            raise NotFound(entity="user")
        rules = await self._domains.rules_for(host=host, product=product)
        roles = await self._memberships.of_user(user_id=user_id)
        return [
            AllowedAccount(
                id=account.account_id,
                name=account.display_name,
                available_to_select=account.active and _fits(rules, roles[account.account_id]),
            )
            for account in await self._accounts.by_ids(account_ids=list(roles))
        ]

    async def require_selectable(self, *, user: CurrentUser, account_id: int, host: str) -> None:
        """Raises AccountAccessDenied alike for a missing and for a foreign account."""
        rules = await self._domains.rules_for(host=host)
        _require_usable(user.principal.grants.get(account_id), account_id, rules)


def _require_usable(grant: AccountGrant | None, named: int | None, rules: DomainRules) -> None:
    """Raises unless the account is usable. The grants contain active accounts only."""
    if grant is None:
        raise AccountAccessDenied if named is not None else AccountNotSelected
    if not _fits(rules, grant.roles):
        raise AccountAccessDenied


def _fits(rules: DomainRules, roles: Collection[Role]) -> bool:
    return Role.OWNER in roles or not rules.owner_only


def _user_data(user: CurrentUser, grant: AccountGrant | None) -> UserData:
    roles = grant.roles if grant else frozenset[Role]()
    return UserData(
        features=sorted(grant.features) if grant else [],
        permissions=sorted(user.principal.user_permissions | _implied(roles)),
        login=user.login,
        user_id=user.user_id,
        account_id=grant.account_id if grant else None,
        internal=user.principal.internal,
        account_owner=Role.OWNER in roles,
    )


def _implied(roles: Collection[Role]) -> frozenset[str]:
    """Returns role names as the permissions that clients expect: each role includes the lower ones."""
    names = frozenset({Role.USER.value}) if roles else frozenset[str]()
    return names | {Role.DEVELOPER.value} if {Role.OWNER, Role.DEVELOPER}.intersection(roles) else names
