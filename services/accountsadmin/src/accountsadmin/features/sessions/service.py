from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from accountsadmin.features.audit.schemas import SecurityEvent
from accountsadmin.features.audit.service import AuditLog
from accountsadmin.features.sessions.repository import SessionRepository
from accountsadmin.features.sessions.schemas import SessionData
from accountsadmin.features.sessions.tables import SessionRow
from accountsadmin.origin import Origin
from mlplace_contracts.events import SessionRevoked
from mlplace_kit.clock import Clock
from mlplace_kit.credentials import KeyedHasher
from mlplace_kit.errors import NotFound
from mlplace_kit.ids import random_alphanumeric
from mlplace_runtime.db.outbox import Publisher

_SECRET_LENGTH = 43  # 256 bits
_TOUCH_EVERY = timedelta(minutes=5)
_KEEP_ENDED = timedelta(days=30)


@dataclass(frozen=True, slots=True)
class SessionTerms:
    """A session ends `idle` after its last use, and in any case `lifetime` after sign-in."""

    idle: timedelta
    lifetime: timedelta


@dataclass(frozen=True, slots=True)
class LiveSession:
    token_hash: str
    user_id: int
    expires_at: datetime


class SessionService:
    def __init__(
        self,
        *,
        repository: SessionRepository,
        outbox: Publisher,
        audit: AuditLog,
        clock: Clock,
        hasher: KeyedHasher,
        origin: Origin,
        terms: SessionTerms,
    ) -> None:
        self._repository = repository
        self._outbox = outbox
        self._audit = audit
        self._clock = clock
        self._hasher = hasher
        self._origin = origin
        self._terms = terms

    async def open(self, *, user_id: int) -> str:
        """Opens a session and returns its id, which is only for the browser's cookie."""
        secret = random_alphanumeric(_SECRET_LENGTH)
        now = self._clock.now()
        row = SessionRow(
            token_hash=self._hasher.digest(secret),
            user_id=user_id,
            created_at=now,
            last_seen_at=now,
            expires_at=now + min(self._terms.idle, self._terms.lifetime),
            address=self._origin.address,
            user_agent=self._origin.user_agent,
        )
        await self._repository.add(row)
        return secret

    async def resolve(self, *, secret: str) -> LiveSession | None:
        """Returns the live session with this id and extends it; the extension is stored at most every five minutes."""
        now = self._clock.now()
        row = await self._repository.live(self._hasher.digest(secret), now)
        if row is None:
            return None
        expires_at = row.expires_at
        if now - row.last_seen_at >= _TOUCH_EVERY:
            expires_at = min(now + self._terms.idle, row.created_at + self._terms.lifetime)
            await self._repository.touch(row.id, last_seen_at=now, expires_at=expires_at)
        return LiveSession(row.token_hash, row.user_id, expires_at)

    async def list_of(self, *, user_id: int, current_hash: str | None) -> list[SessionData]:
        return [
            SessionData(
                id=row.id,
                created_at=row.created_at,
                last_seen_at=row.last_seen_at,
                expires_at=row.expires_at,
                address=row.address,
                user_agent=row.user_agent,
                current=row.token_hash == current_hash,
            )
            for row in await self._repository.live_of_user(user_id, self._clock.now())
        ]

    async def sign_out(self, *, secret: str) -> None:
        """Ends the session with this id if it is live."""
        ended = await self._repository.revoke(now=self._clock.now(), token_hash=self._hasher.digest(secret))
        await self._announce(ended)
        for row in ended:
            await self._audit.record(SecurityEvent.SIGNED_OUT, actor=row.user_id, user=row.user_id)

    async def end_one(self, *, user_id: int, session_id: int) -> None:
        """Raises NotFound for another user's session and for an ended one."""
        ended = await self._repository.revoke(now=self._clock.now(), user_id=user_id, session_id=session_id)
        if not ended:
            raise NotFound(entity="session")
        await self._record_end(ended, actor=user_id)

    async def end_all(self, *, user_id: int, actor: int | None, except_hash: str | None = None) -> None:
        ended = await self._repository.revoke(now=self._clock.now(), user_id=user_id, except_hash=except_hash)
        await self._record_end(ended, actor=actor)

    async def forget_ended(self) -> None:
        """Deletes sessions that ended a month ago."""
        await self._repository.delete_ended(self._clock.now() - _KEEP_ENDED)

    async def _record_end(self, ended: Sequence[SessionRow], *, actor: int | None) -> None:
        await self._announce(ended)
        for row in ended:
            await self._audit.record(
                SecurityEvent.SESSION_REVOKED, actor=actor, user=row.user_id, details={"sessionId": str(row.id)}
            )

    async def _announce(self, ended: Sequence[SessionRow]) -> None:
        now = self._clock.now()
        await self._outbox.add(
            *(SessionRevoked(session_hash=row.token_hash, user_id=row.user_id, revoked_at=now) for row in ended)
        )
