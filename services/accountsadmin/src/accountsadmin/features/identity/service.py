from accountsadmin.features.accounts.service import AccountService
from accountsadmin.features.limits.service import LimitsService
from accountsadmin.features.memberships.service import MembershipService
from accountsadmin.features.sessions.service import SessionService
from accountsadmin.features.users.service import UserService
from mlplace_contracts.internal.identity import SessionIdentity, SessionMembership


class IdentityService:
    """Resolves session ids for all services."""

    def __init__(
        self,
        *,
        sessions: SessionService,
        users: UserService,
        accounts: AccountService,
        memberships: MembershipService,
        limits: LimitsService,
    ) -> None:
        self._sessions = sessions
        self._users = users
        self._accounts = accounts
        self._memberships = memberships
        self._limits = limits

    async def resolve(self, *, secret: str) -> SessionIdentity | None:
        """Returns the identity, without closed accounts; None for a dead or unknown session and for a blocked user."""
        session = await self._sessions.resolve(secret=secret)
        user = await self._users.find(user_id=session.user_id) if session else None
        if session is None or user is None or not user.active:
            return None
        roles = await self._memberships.of_user(user_id=user.id)
        accounts = [entry for entry in await self._accounts.by_ids(account_ids=list(roles)) if entry.active]
        return SessionIdentity(
            session_hash=session.token_hash,
            user_id=user.id,
            login=user.login,
            permissions=user.permissions,
            internal=user.internal,
            memberships=tuple(
                SessionMembership(
                    account_id=entry.account_id, account_name=entry.short_name, roles=roles[entry.account_id]
                )
                for entry in accounts
            ),
            features=await self._limits.features(account_ids=[entry.account_id for entry in accounts]),
            expires_at=session.expires_at,
        )
