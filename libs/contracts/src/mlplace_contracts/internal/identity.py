"""Identities of callers: answers of accountsadmin (sessions) and mlpcore (keys, accounts) to the other services.

`POST /internal/accountsadmin/sessions/resolve` and `POST /internal/mlpcore/keys/resolve` take a secret in the body,
never in a path or a query, so that no access log holds it.
"""

from datetime import datetime

from pydantic import BaseModel, ConfigDict

from mlplace_contracts.enums import KeyPermission, Role
from mlplace_contracts.limits import KeyLimits


class InternalModel(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")


class ResolveSecret(InternalModel):
    secret: str


class SessionMembership(InternalModel):
    account_id: int
    account_name: str
    roles: tuple[Role, ...]


class SessionIdentity(InternalModel):
    """A live session. `features` holds the enabled features of each account, lower case."""

    session_hash: str
    user_id: int
    login: str
    permissions: tuple[str, ...]
    internal: bool
    memberships: tuple[SessionMembership, ...]
    features: dict[int, tuple[str, ...]]
    expires_at: datetime


class KeyIdentity(InternalModel):
    """A live API key. `allowed_models` None means every model that the account may call.

    `max_price_nano` is the most that one call paid by this key may cost. `allowed_origins`: see ApiKeyChanged.
    """

    key_id: int
    account_id: int
    account_name: str
    name: str
    permissions: tuple[KeyPermission, ...]
    allowed_models: tuple[int, ...] | None
    features: tuple[str, ...]
    expires_at: datetime | None
    limits: KeyLimits | None = None
    max_price_nano: int | None = None
    allowed_origins: tuple[str, ...] = ()


class AccountEntry(InternalModel):
    """`GET /internal/accountsadmin/accounts/{ref}`: an account by id or short name."""

    account_id: int
    short_name: str
    display_name: str
    owner_user_id: int
    active: bool


class EnsureUser(InternalModel):
    """`POST /internal/accountsadmin/bootstrap`: ensures that a user exists and is a member of an account.

    The call creates what is missing and adds missing roles and permissions. It changes nothing else of what exists,
    least of all a password that its owner has changed. If the short name is new, its account belongs to this user.
    """

    login: str
    password: str
    account_name: str
    display_name: str
    roles: tuple[Role, ...] = (Role.OWNER,)
    permissions: tuple[str, ...] = ()
    internal: bool = False


class ReplacePassword(InternalModel):
    """`POST /internal/accountsadmin/bootstrap/password`: replaces the password of a user if it is still the expected
    one.

    It serves for passwords that an installation assigned and that others may know. All sessions of the user end.
    """

    login: str
    known: str
    password: str


class ReplacedPassword(InternalModel):
    """False: the user does not exist, or already has another password."""

    replaced: bool


class EnsuredUser(InternalModel):
    user_id: int
    account_id: int
