from collections.abc import Sequence
from dataclasses import dataclass

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncSession

from accountsadmin.features.audit.tables import AuditEvent
from mlplace_kit.pagination import PageRequest


@dataclass(frozen=True, slots=True)
class AuditFilter:
    """Filters of the audit log; None matches everything."""

    user_id: int | None = None
    account_id: int | None = None
    kind: str | None = None


class AuditRepository:
    def __init__(self, session: AsyncSession) -> None:
        self._session = session

    async def append(self, values: dict[str, object]) -> None:
        await self._session.execute(sa.insert(AuditEvent).values(values))

    async def page(self, wanted: AuditFilter, request: PageRequest) -> tuple[Sequence[AuditEvent], int]:
        conditions = [
            column == value
            for column, value in (
                (AuditEvent.user_id, wanted.user_id),
                (AuditEvent.account_id, wanted.account_id),
                (AuditEvent.kind, wanted.kind),
            )
            if value is not None
        ]
        order = AuditEvent.id.desc() if request.descending else AuditEvent.id.asc()
        rows = sa.select(AuditEvent).where(*conditions).order_by(order).limit(request.size).offset(request.offset)
        total = sa.select(sa.func.count()).select_from(AuditEvent).where(*conditions)
        return (await self._session.scalars(rows)).all(), (await self._session.execute(total)).scalar_one()
