"""SQL of activity."""

from collections.abc import Collection, Mapping
from datetime import datetime, timedelta

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.ext.asyncio import AsyncSession

from mlpcore.features.activity.tables import AccountActivity, ModelActivity

_AT_ONCE = timedelta(0)


class ActivityRepository:
    def __init__(self, session: AsyncSession) -> None:
        self._session = session

    async def note_models(self, moments: Mapping[int, datetime], *, coarse: timedelta = _AT_ONCE) -> None:
        """Stores when models were used. Time never goes back; steps up to `coarse` are left out."""
        await self._note(ModelActivity, "model_id", moments, coarse)

    async def note_accounts(self, moments: Mapping[int, datetime], *, coarse: timedelta = _AT_ONCE) -> None:
        """Stores when accounts were active. Time never goes back; steps up to `coarse` are left out."""
        await self._note(AccountActivity, "account_id", moments, coarse)

    async def of_accounts(self, account_ids: Collection[int]) -> Mapping[int, datetime]:
        """Returns the last activity. Accounts without any are absent."""
        statement = sa.select(AccountActivity.account_id, AccountActivity.last_activity_at).where(
            AccountActivity.account_id.in_(account_ids)
        )
        return {row[0]: row[1] for row in (await self._session.execute(statement)).all()}

    async def _note(
        self,
        table: type[ModelActivity | AccountActivity],
        key: str,
        moments: Mapping[int, datetime],
        coarse: timedelta,
    ) -> None:
        """Locks rows in the order of their keys: concurrent batches cannot deadlock."""
        if not moments:
            return
        ids = sorted(moments)
        rows = sa.select(  # two parameters, however many rows: a report may name more models than a statement takes
            sa.func.unnest(sa.literal(ids, ARRAY(sa.BigInteger))),
            sa.func.unnest(sa.literal([moments[number] for number in ids], ARRAY(sa.DateTime(timezone=True)))),
        )
        insert = postgresql.insert(table).from_select([key, "last_activity_at"], rows)
        statement = insert.on_conflict_do_update(
            index_elements=[key],
            set_={"last_activity_at": insert.excluded.last_activity_at},
            where=table.last_activity_at + coarse < insert.excluded.last_activity_at,
        )
        await self._session.execute(statement)
