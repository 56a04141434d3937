"""Access policies. Every route takes one of these as a dependency; the tests fail for a route without one."""

from dataclasses import dataclass
from typing import Annotated

from fastapi import Path, Request

from mlplace_contracts.enums import Feature, KeyPermission, Role
from mlplace_kit.denials import (
    AdministratorNeeded,
    FeatureMissing,
    LimitedToServices,
    PermissionMissing,
    RoleMissing,
    SessionNeeded,
)
from mlplace_kit.errors import AccountAccessDenied, AccountNotSelected, NotAuthorized
from mlplace_kit.names import PathRef, parse_ref
from mlplace_runtime.auth.principal import ALL_KEY_PERMISSIONS, AccountGrant, Principal, PrincipalKind
from mlplace_runtime.service import Runtime, runtime_of
from mlplace_runtime.web.strangers import OWN_CREDENTIAL

AccountPath = Annotated[str, Path(description="account id, or short name", max_length=64)]
_NARROWS = ", narrows"
AccountIdPath = Annotated[int, Path(description="account id", ge=1, lt=2**63)]


@dataclass(frozen=True, slots=True)
class Access:
    """A request that passed its policy. `grant` is for the account that the route is about, if there is one."""

    principal: Principal
    grant: AccountGrant | None

    @property
    def account(self) -> AccountGrant:
        """Returns the account that the route is about. Only for routes whose policy requires one."""
        if self.grant is None:
            raise AccountNotSelected
        return self.grant


class Policy:
    """Base of all policies. `describe` gives the row of the authorization matrix."""

    def describe(self) -> str:
        return type(self).__name__

    @staticmethod
    async def principal(request: Request) -> Principal:
        """Authenticates once per request."""
        known: Principal | None = request.scope.get("mlp.principal")
        if known is None:
            known = await runtime_of(request).authenticator.authenticate(request)
            request.scope["mlp.principal"] = known
        return known

    @classmethod
    async def signed_in(cls, request: Request) -> Principal:
        principal = await cls.principal(request)
        if principal.kind is PrincipalKind.ANONYMOUS:
            raise NotAuthorized
        return principal


class Public(Policy):
    """Anyone. If a key is sent, it must be valid."""

    async def __call__(self, request: Request) -> Access:
        principal = await self.principal(request)
        return Access(principal, principal.selected)


class SignedIn(Policy):
    """Anyone with a session, or with a key that has the permission; no account is needed."""

    def __init__(self, permission: KeyPermission = KeyPermission.READ) -> None:
        self._permission = permission

    def describe(self) -> str:
        return f"SignedIn({self._permission})"

    async def __call__(self, request: Request) -> Access:
        principal = await self.signed_in(request)
        if principal.kind is PrincipalKind.KEY:
            _require(principal.selected, self._permission)
        return Access(principal, principal.selected)


class SessionOnly(Policy):
    """A person with a session; keys are refused."""

    async def __call__(self, request: Request) -> Access:
        principal = await self.signed_in(request)
        if principal.kind is not PrincipalKind.USER:
            raise SessionNeeded
        return Access(principal, principal.selected)


class InSelectedAccount(Policy):
    """Acts in the selected account (session) or the key's account; the path does not name one.

    `narrows`: as in Member.
    """

    def __init__(self, permission: KeyPermission, *, narrows: bool = False) -> None:
        self._permission = permission
        self._narrows = narrows

    def describe(self) -> str:
        return f"InSelectedAccount({self._permission}{_NARROWS if self._narrows else ''})"

    async def __call__(self, request: Request) -> Access:
        principal = await self.signed_in(request)
        if principal.selected is None:
            raise AccountNotSelected
        _require(principal.selected, self._permission)
        _require_whole_account(principal, request, narrows=self._narrows)
        return Access(principal, principal.selected)


class Member(Policy):
    """A member of the path's `{account}`, or a key of it, with the permission; a superadmin in any account.

    The answer is the same for a foreign account and for a missing one.

    A key that is limited to models may only use routes whose path names a model, and those that declare `narrows`:
    they show and change nothing that belongs to other models or to the account as a whole.
    """

    def __init__(
        self,
        permission: KeyPermission,
        *,
        role: Role | None = None,
        feature: Feature | None = None,
        keys: bool = True,
        narrows: bool = False,
    ) -> None:
        self._permission = permission
        self._role = role
        self._feature = feature
        self._keys = keys
        self._narrows = narrows

    def describe(self) -> str:
        parts = [str(self._permission), *(str(p) for p in (self._role, self._feature) if p)]
        return f"Member({', '.join(parts)}{_NARROWS if self._narrows else ''}{'' if self._keys else ', session only'})"

    async def __call__(self, request: Request, account: AccountPath) -> Access:
        return await self.check(request, parse_ref(account))

    async def again(self, request: Request) -> None:
        """Raises the refusal of a request that would not be let in now. Its answer outlives the first decision."""
        request.scope.pop("mlp.principal", None)
        await self.check(request, parse_ref(request.path_params["account"]))

    async def check(self, request: Request, ref: PathRef) -> Access:
        principal = await self.signed_in(request)
        if principal.superadmin:
            return Access(principal, principal.grant_for(ref) or await _as_superadmin(runtime_of(request), ref))
        grant = principal.grant_for(ref)
        if grant is None:
            raise AccountAccessDenied
        if not self._keys and principal.kind is not PrincipalKind.USER:
            raise SessionNeeded
        _require(grant, self._permission)
        _require_whole_account(principal, request, narrows=self._narrows)
        if self._role and principal.kind is PrincipalKind.USER and not grant.roles & {self._role, Role.OWNER}:
            raise RoleMissing(role=self._role.value)
        if self._feature and not grant.has(self._feature):
            raise FeatureMissing(feature=self._feature.value)
        return Access(principal, grant)


class MemberById(Member):
    """Like Member, for paths that name the account as `{accountId}`."""

    async def __call__(self, request: Request, accountId: AccountIdPath) -> Access:  # type: ignore[override]  # noqa: N803  # the path parameter's name on the wire
        return await self.check(request, PathRef(id=accountId, name=None))


class Superadmin(Policy):
    """A session with the permission ACCOUNTS_ADMIN_WRITE."""

    async def __call__(self, request: Request) -> Access:
        principal = await self.signed_in(request)
        if not principal.superadmin:
            raise AdministratorNeeded
        return Access(principal, principal.selected)


class Internal(Policy):
    """Another service of the platform."""

    async def __call__(self, request: Request) -> Access:
        return Access(runtime_of(request).authenticator.internal(request), None)


class Scraper(Policy):
    """A program that collects metrics, with the installation's token for that, or another service of the platform."""

    async def __call__(self, request: Request) -> None:
        runtime_of(request).authenticator.scraper(request)


class OwnCredential(Policy):
    """The route itself checks a credential of another kind (an enrolment token, a server's secret), named by `why`."""

    def __init__(self, why: str) -> None:
        self._why = why

    def describe(self) -> str:
        return f"OwnCredential({self._why})"

    async def __call__(self, request: Request) -> None:
        """Checks nothing: the route limits its own body."""
        request.scope[OWN_CREDENTIAL] = True


def _require(grant: AccountGrant | None, permission: KeyPermission) -> None:
    if grant is None or permission not in grant.permissions:
        raise PermissionMissing(permission=permission.value)


def _require_whole_account(principal: Principal, request: Request, *, narrows: bool) -> None:
    """Refuses a key that is limited to models where the request may concern others of the account."""
    if principal.allowed_models is not None and not narrows and "model" not in request.path_params:
        raise LimitedToServices


async def _as_superadmin(runtime: Runtime, ref: PathRef) -> AccountGrant:
    entry = await runtime.accounts.find(ref)
    if entry is None:
        raise AccountAccessDenied
    return superadmin_grant(entry.account_id, entry.short_name)


def superadmin_grant(account_id: int, account_name: str) -> AccountGrant:
    """Returns what a superadmin may do in any account: everything."""
    return AccountGrant(
        account_id=account_id,
        account_name=account_name,
        roles=frozenset({Role.OWNER}),
        permissions=ALL_KEY_PERMISSIONS,
        features=frozenset(feature.value for feature in Feature),
    )
