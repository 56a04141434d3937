"""SQL of requests to the team."""

from collections.abc import Sequence
from datetime import datetime, timedelta

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncSession

from mlpcore.features.team_requests.schemas import MailState, TeamRequestState
from mlpcore.features.team_requests.tables import TeamRequest
from mlplace_runtime.db.claims import DueRows

_LOCK = 0x7465_616D
_MAILS = DueRows(
    TeamRequest,
    key=TeamRequest.request_id,
    due=TeamRequest.mail_due_at,
    waiting=TeamRequest.mail_state == MailState.WAITING.value,
    attempts=TeamRequest.mail_attempts,
)


class TeamRequestRepository:
    def __init__(self, session: AsyncSession) -> None:
        self._session = session

    async def add(self, request: TeamRequest) -> None:
        self._session.add(request)
        await self._session.flush()

    async def count_from(self, *, address_hash: str, since: datetime) -> int:
        """Counts the requests of the address, and locks the address until the transaction ends."""
        await self._session.execute(sa.select(sa.func.pg_advisory_xact_lock(_LOCK, sa.func.hashtext(address_hash))))
        statement = sa.select(sa.func.count()).where(
            TeamRequest.address_hash == address_hash, TeamRequest.created_at > since
        )
        return await self._session.scalar(statement) or 0

    async def page(
        self, *, state: TeamRequestState | None, offset: int, limit: int, descending: bool
    ) -> tuple[Sequence[TeamRequest], int]:
        """Returns a page of the requests in this state, or of all, and their total."""
        wanted = sa.true() if state is None else TeamRequest.state == state.value
        order = TeamRequest.request_id.desc() if descending else TeamRequest.request_id.asc()
        rows = await self._session.scalars(
            sa.select(TeamRequest).where(wanted).order_by(order).offset(offset).limit(limit)
        )
        total = await self._session.scalar(sa.select(sa.func.count()).select_from(TeamRequest).where(wanted))
        return rows.all(), total or 0

    async def find(self, request_id: int) -> TeamRequest | None:
        return await self._session.get(TeamRequest, request_id)

    async def locked(self, request_id: int) -> TeamRequest | None:
        """Returns the request, locked until the transaction ends."""
        return await self._session.get(TeamRequest, request_id, with_for_update=True)

    async def claim_mail(self, *, now: datetime, lease: timedelta) -> TeamRequest | None:
        """Claims a request whose mail is due for `lease`, and counts the attempt. Returns None when none is due."""
        claimed = await _MAILS.claim(self._session, now=now, lease=lease, limit=1)
        return claimed[0] if claimed else None

    async def note_mail(self, claimed: TeamRequest, *, state: MailState, due_at: datetime, error: str | None) -> None:
        """Stores the result of an attempt, unless its claim is lost."""
        values = {"mail_state": state.value, "mail_due_at": due_at, "mail_error": error}
        mine = TeamRequest.request_id == claimed.request_id
        await _MAILS.apply(self._session, claimed.mail_due_at, mine, values=values)
