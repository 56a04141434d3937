"""The principal: an anonymous visitor, a user with a session, an API key, or another service of the platform."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from mlplace_contracts.enums import SUPERADMIN_PERMISSION, Feature, KeyPermission, Role
from mlplace_contracts.internal.identity import KeyIdentity, SessionIdentity
from mlplace_kit.names import PathRef

ALL_KEY_PERMISSIONS = frozenset(KeyPermission)
_BY_ROLE: Mapping[Role, frozenset[KeyPermission]] = {
    Role.OWNER: ALL_KEY_PERMISSIONS,
    Role.DEVELOPER: ALL_KEY_PERMISSIONS,
    Role.USER: frozenset({KeyPermission.PREDICT, KeyPermission.READ}),
}


class PrincipalKind(StrEnum):
    ANONYMOUS = "anonymous"
    USER = "user"
    KEY = "key"
    SERVICE = "service"


@dataclass(frozen=True, slots=True)
class AccountGrant:
    """What the principal may do in one account."""

    account_id: int
    account_name: str
    roles: frozenset[Role]
    permissions: frozenset[KeyPermission]
    features: frozenset[str]

    def has(self, feature: Feature) -> bool:
        return feature.value in self.features


@dataclass(frozen=True, slots=True)
class Principal:
    """`selected` is the account that the principal acts for when the path names none."""

    kind: PrincipalKind
    grants: Mapping[int, AccountGrant] = field(default_factory=dict[int, AccountGrant])
    selected: AccountGrant | None = None
    user_id: int | None = None
    login: str | None = None
    user_permissions: frozenset[str] = frozenset()
    internal: bool = False
    session_hash: str | None = None
    key_id: int | None = None
    key_name: str | None = None
    allowed_models: frozenset[int] | None = None

    @property
    def superadmin(self) -> bool:
        """Whether a user with a session has the superadmin permission, compared case-insensitively as specified."""
        return self.kind is PrincipalKind.USER and SUPERADMIN_PERMISSION in self.user_permissions

    @property
    def author(self) -> str:
        """The login of the person, or the name of the API key, as shown of who changed an object."""
        return self.login or f"API key {self.key_name}"

    def grant_for(self, ref: PathRef) -> AccountGrant | None:
        """Returns the grant for the account in a path; None both for a foreign account and for a missing one."""
        if ref.id is not None:
            return self.grants.get(ref.id)
        return next((grant for grant in self.grants.values() if grant.account_name == ref.name), None)


ANONYMOUS = Principal(PrincipalKind.ANONYMOUS)
SERVICE = Principal(PrincipalKind.SERVICE)


def from_session(identity: SessionIdentity, selected_account: int | None) -> Principal:
    """Builds a principal. `selected_account` is untrusted: it only counts if the user is a member of that account."""
    grants = {
        membership.account_id: AccountGrant(
            account_id=membership.account_id,
            account_name=membership.account_name,
            roles=frozenset(membership.roles),
            permissions=frozenset[KeyPermission]().union(*(_BY_ROLE[role] for role in membership.roles)),
            features=_lower(identity.features.get(membership.account_id, ())),
        )
        for membership in identity.memberships
    }
    return Principal(
        PrincipalKind.USER,
        grants=grants,
        selected=grants.get(selected_account) if selected_account is not None else None,
        user_id=identity.user_id,
        login=identity.login,
        user_permissions=frozenset(permission.upper() for permission in identity.permissions),
        internal=identity.internal,
        session_hash=identity.session_hash,
    )


def from_key(identity: KeyIdentity) -> Principal:
    grant = AccountGrant(
        account_id=identity.account_id,
        account_name=identity.account_name,
        roles=frozenset(),
        permissions=frozenset(identity.permissions),
        features=_lower(identity.features),
    )
    return Principal(
        PrincipalKind.KEY,
        grants={identity.account_id: grant},
        selected=grant,
        key_id=identity.key_id,
        key_name=identity.name,
        allowed_models=frozenset(identity.allowed_models) if identity.allowed_models is not None else None,
    )


def _lower(features: Iterable[str]) -> frozenset[str]:
    """Feature names are case-insensitive."""
    return frozenset(name.lower() for name in features)
