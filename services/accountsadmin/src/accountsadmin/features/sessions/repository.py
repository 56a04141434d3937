from collections.abc import Sequence
from datetime import datetime

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncSession

from accountsadmin.features.sessions.tables import SessionRow


class SessionRepository:
    def __init__(self, session: AsyncSession) -> None:
        self._session = session

    async def add(self, row: SessionRow) -> None:
        self._session.add(row)
        await self._session.flush()

    async def live(self, token_hash: str, now: datetime) -> SessionRow | None:
        statement = sa.select(SessionRow).where(SessionRow.token_hash == token_hash, *_live(now))
        return await self._session.scalar(statement)

    async def live_of_user(self, user_id: int, now: datetime) -> Sequence[SessionRow]:
        statement = sa.select(SessionRow).where(SessionRow.user_id == user_id, *_live(now))
        return (await self._session.scalars(statement.order_by(SessionRow.last_seen_at.desc(), SessionRow.id))).all()

    async def touch(self, session_id: int, *, last_seen_at: datetime, expires_at: datetime) -> None:
        statement = sa.update(SessionRow).where(SessionRow.id == session_id)
        await self._session.execute(statement.values(last_seen_at=last_seen_at, expires_at=expires_at))

    async def revoke(
        self,
        *,
        now: datetime,
        user_id: int | None = None,
        session_id: int | None = None,
        token_hash: str | None = None,
        except_hash: str | None = None,
    ) -> Sequence[SessionRow]:
        """Ends the live sessions that match all given filters; without any filter, none."""
        conditions = [
            *([SessionRow.user_id == user_id] if user_id is not None else []),
            *([SessionRow.id == session_id] if session_id is not None else []),
            *([SessionRow.token_hash == token_hash] if token_hash is not None else []),
        ]
        if not conditions:
            return ()
        if except_hash is not None:
            conditions.append(SessionRow.token_hash != except_hash)
        statement = sa.update(SessionRow).where(*conditions, *_live(now)).values(revoked_at=now)
        return (await self._session.scalars(statement.returning(SessionRow))).all()

    async def delete_ended(self, before: datetime) -> None:
        ended = sa.or_(SessionRow.expires_at < before, SessionRow.revoked_at < before)
        await self._session.execute(sa.delete(SessionRow).where(ended))


def _live(now: datetime) -> tuple[sa.ColumnElement[bool], sa.ColumnElement[bool]]:
    return SessionRow.revoked_at.is_(None), SessionRow.expires_at > now
