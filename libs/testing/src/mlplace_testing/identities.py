"""Test doubles of the identity sources: users with sessions, and API keys."""

from collections.abc import Iterable, Sequence
from datetime import timedelta
from itertools import count

from mlplace_contracts.enums import SUPERADMIN_PERMISSION, Feature, KeyPermission, Role
from mlplace_contracts.internal.identity import AccountEntry, KeyIdentity, SessionIdentity, SessionMembership
from mlplace_kit.clock import Clock
from mlplace_kit.credentials import KeyedHasher, new_credential
from mlplace_kit.names import PathRef
from mlplace_runtime.auth.authenticator import API_KEY_HEADER, INTERNAL_HEADER, Authenticator, CookieNames

INTERNAL_TOKEN = "internal token for tests"


class Identities:
    """Implements SessionSource, KeySource and AccountDirectory."""

    def __init__(self, hasher: KeyedHasher, clock: Clock) -> None:
        self._hasher = hasher
        self._clock = clock
        self._sessions: dict[str, SessionIdentity] = {}
        self._keys: dict[str, KeyIdentity] = {}
        self._accounts: dict[int, AccountEntry] = {}
        self._numbers = count(1)

    async def session(self, secret: str) -> SessionIdentity | None:
        return self._sessions.get(secret)

    async def key(self, secret: str) -> KeyIdentity | None:
        return self._keys.get(secret)

    async def find(self, ref: PathRef) -> AccountEntry | None:
        if ref.id is not None:
            return self._accounts.get(ref.id)
        return next((entry for entry in self._accounts.values() if entry.short_name == ref.name), None)

    @property
    def authenticator(self) -> Authenticator:
        return Authenticator(sessions=self, keys=self, cookies=CookieNames(secure=False), internal_token=INTERNAL_TOKEN)

    def account(self, account_id: int, name: str, *, owner_user_id: int = 1) -> AccountEntry:
        entry = AccountEntry(
            account_id=account_id, short_name=name, display_name=name, owner_user_id=owner_user_id, active=True
        )
        self._accounts[account_id] = entry
        return entry

    def user(
        self,
        *accounts: AccountEntry,
        role: Role = Role.OWNER,
        features: Iterable[Feature] = (),
        superadmin: bool = False,
        internal: bool = False,
    ) -> dict[str, str]:
        """Creates a signed-in member of the accounts. Returns request headers; the first account is selected."""
        number = next(self._numbers)
        secret = f"session-{number}"
        names = tuple(feature.value for feature in features)
        self._sessions[secret] = SessionIdentity(
            session_hash=self._hasher.digest(secret),
            user_id=number,
            login=f"user{number}@example.org",
            permissions=(SUPERADMIN_PERMISSION,) if superadmin else (),
            internal=internal,
            memberships=tuple(
                SessionMembership(account_id=a.account_id, account_name=a.short_name, roles=(role,)) for a in accounts
            ),
            features={a.account_id: names for a in accounts},
            expires_at=self._clock.now() + timedelta(days=1),
        )
        cookie = f"SESSION_ID={secret}"
        if accounts:
            cookie += f"; SELECTED_ACCOUNT={accounts[0].account_id}"
        return {"Cookie": cookie}

    def api_key(
        self,
        account: AccountEntry,
        *,
        permissions: Sequence[KeyPermission] = tuple(KeyPermission),
        allowed_models: tuple[int, ...] | None = None,
        features: Iterable[Feature] = (),
    ) -> dict[str, str]:
        """Creates a live key of the account. Returns request headers."""
        number = next(self._numbers)
        secret = new_credential(account_id=account.account_id, object_id=number).text
        self._keys[secret] = KeyIdentity(
            key_id=number,
            account_id=account.account_id,
            account_name=account.short_name,
            name=f"key {number}",
            permissions=tuple(permissions),
            allowed_models=allowed_models,
            features=tuple(feature.value for feature in features),
            expires_at=None,
        )
        return {API_KEY_HEADER: secret}

    def revoke_all(self) -> None:
        self._sessions.clear()
        self._keys.clear()

    @property
    def internal(self) -> dict[str, str]:
        """Request headers of another service of the platform."""
        return {INTERNAL_HEADER: INTERNAL_TOKEN}
