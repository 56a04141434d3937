"""SQL of requests that were counted elsewhere."""

from collections.abc import Collection, Mapping, Sequence
from datetime import date

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql
from sqlalchemy.ext.asyncio import AsyncSession

from mlpcore.features.metrics.tables import REQUESTS

Key = tuple[date, int, int, str, bool]
"""Day, model, caller, type, success."""


class RequestRepository:
    def __init__(self, session: AsyncSession) -> None:
        self._session = session

    async def add(self, counts: Mapping[Key, int]) -> None:
        """Adds to the counts. Locks rows in the order of their keys."""
        if not counts:
            return
        rows = [
            {"day": key[0], "model_id": key[1], "caller_account_id": key[2], "request_type": key[3],
             "is_success": key[4], "count": count}
            for key, count in sorted(counts.items())
        ]  # fmt: skip
        insert = postgresql.insert(REQUESTS).values(rows)
        statement = insert.on_conflict_do_update(
            index_elements=["day", "model_id", "caller_account_id", "request_type", "is_success"],
            set_={"count": REQUESTS.c["count"] + insert.excluded["count"]},
        )
        await self._session.execute(statement)

    async def sums(
        self, model_ids: Sequence[int], *, since: date, until: date, types: Collection[str]
    ) -> Mapping[int, tuple[int, int]]:
        """Returns answered and failed requests by model. `until`: the first day that does not count."""
        total = sa.func.sum(REQUESTS.c["count"])
        zero = sa.literal(0)
        statement = (
            sa.select(
                REQUESTS.c.model_id,
                sa.func.coalesce(total.filter(REQUESTS.c.is_success), zero),
                sa.func.coalesce(total.filter(~REQUESTS.c.is_success), zero),
            )
            .where(
                REQUESTS.c.model_id == sa.any_(sa.literal(list(model_ids), postgresql.ARRAY(sa.BigInteger))),
                REQUESTS.c.day >= since,
                REQUESTS.c.day < until,
                REQUESTS.c.request_type.in_(types),
            )
            .group_by(REQUESTS.c.model_id)
        )
        return {row[0]: (int(row[1]), int(row[2])) for row in await self._session.execute(statement)}
