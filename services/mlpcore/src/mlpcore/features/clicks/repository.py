"""SQL of usage events."""

from collections.abc import Mapping, Sequence
from datetime import datetime

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncSession

from mlpcore.features.clicks.tables import Click

_SHOWN = 10_000


class ClickRepository:
    def __init__(self, session: AsyncSession) -> None:
        self._session = session

    async def add(self, rows: Sequence[Mapping[str, object]]) -> None:
        await self._session.execute(sa.insert(Click), list(rows))

    async def count_from(self, *, address_hash: str, since: datetime) -> int:
        statement = sa.select(sa.func.count()).where(Click.address_hash == address_hash, Click.received_at > since)
        return await self._session.scalar(statement) or 0

    async def of_account(self, *, account_id: int, start: datetime, end: datetime) -> Sequence[Click]:
        return await self._newest(Click.account_id == account_id, start, end)

    async def of_model(self, *, model_id: int, start: datetime, end: datetime) -> Sequence[Click]:
        """Returns events on the model's pages, of visitors of all accounts."""
        return await self._newest(sa.and_(Click.entity_type == "model", Click.entity_id == model_id), start, end)

    async def _newest(self, which: sa.ColumnElement[bool], start: datetime, end: datetime) -> Sequence[Click]:
        """Returns up to 10,000 events, the newest first."""
        statement = (
            sa.select(Click)
            .where(which, Click.created_at >= start, Click.created_at <= end)
            .order_by(Click.created_at.desc(), Click.click_id.desc())
            .limit(_SHOWN)
        )
        return (await self._session.scalars(statement)).all()

    async def forget(self, *, before: datetime) -> None:
        await self._session.execute(
            sa.delete(Click).where(Click.received_at < before), execution_options={"synchronize_session": False}
        )
