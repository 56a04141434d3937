"""Changes of users by a superadmin or an operator. Each ends the user's sessions, which have outdated rights."""

from collections.abc import Collection

from accountsadmin.features.audit.schemas import SecurityEvent
from accountsadmin.features.audit.service import AuditLog
from accountsadmin.features.sessions.service import SessionService
from accountsadmin.features.users.errors import OwnAccessKept
from accountsadmin.features.users.service import UserService
from mlplace_contracts.enums import SUPERADMIN_PERMISSION


class UserAdministration:
    def __init__(self, *, users: UserService, sessions: SessionService, audit: AuditLog) -> None:
        self._users = users
        self._sessions = sessions
        self._audit = audit

    async def grant(
        self, *, user_id: int, permissions: Collection[str], internal: bool | None, actor: int | None
    ) -> str | None:
        """Replaces the list of permissions. Returns a new session's id if the actor changed their own.

        `actor` is None for the operator of the installation, whom no login names.
        """
        own = user_id == actor
        if own and SUPERADMIN_PERMISSION not in permissions:
            raise OwnAccessKept
        user = await self._users.set_permissions(user_id=user_id, permissions=permissions, internal=internal)
        await self._audit.record(
            SecurityEvent.PERMISSIONS_CHANGED,
            actor=actor,
            user=user_id,
            details={"permissions": " ".join(user.permissions), "internal": str(user.internal).lower()},
        )
        await self._sessions.end_all(user_id=user_id, actor=actor)
        return await self._sessions.open(user_id=user_id) if own else None

    async def block(self, *, user_id: int, actor: int) -> None:
        if user_id == actor:
            raise OwnAccessKept
        await self._users.set_active(user_id=user_id, active=False)
        await self._audit.record(SecurityEvent.USER_BLOCKED, actor=actor, user=user_id)
        await self._sessions.end_all(user_id=user_id, actor=actor)

    async def unblock(self, *, user_id: int, actor: int) -> None:
        await self._users.set_active(user_id=user_id, active=True)
        await self._audit.record(SecurityEvent.USER_UNBLOCKED, actor=actor, user=user_id)
