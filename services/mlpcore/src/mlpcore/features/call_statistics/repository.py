"""SQL of call statistics."""

from collections import defaultdict
from collections.abc import Collection, Mapping
from datetime import date

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql
from sqlalchemy.ext.asyncio import AsyncSession

from mlpcore.features.call_statistics.histogram import Counted
from mlpcore.features.call_statistics.tables import ModelCallDay

Key = tuple[int, date, int]
"""Model, day, bucket."""


class CallStatisticsRepository:
    def __init__(self, session: AsyncSession) -> None:
        self._session = session

    async def add(self, counts: Mapping[Key, int]) -> None:
        """Adds to the counts. Locks rows in the order of their keys: concurrent additions cannot deadlock."""
        if not counts:
            return
        rows = [
            {"model_id": model_id, "day": day, "bucket": bucket, "calls": calls}
            for (model_id, day, bucket), calls in sorted(counts.items())
        ]
        statement = postgresql.insert(ModelCallDay).values(rows)
        statement = statement.on_conflict_do_update(
            index_elements=["model_id", "day", "bucket"],
            set_={"calls": ModelCallDay.calls + statement.excluded.calls},
        )
        await self._session.execute(statement)

    async def of_models(self, model_ids: Collection[int], *, since: date) -> Mapping[int, Counted]:
        """Returns the counts from that day on. Models without calls are absent."""
        if not model_ids:
            return {}
        statement = (
            sa.select(ModelCallDay.model_id, ModelCallDay.bucket, sa.func.sum(ModelCallDay.calls))
            .where(ModelCallDay.model_id.in_(model_ids), ModelCallDay.day >= since)
            .group_by(ModelCallDay.model_id, ModelCallDay.bucket)
        )
        found: defaultdict[int, dict[int, int]] = defaultdict(dict)
        for model_id, bucket, calls in await self._session.execute(statement):
            found[model_id][bucket] = int(calls)
        return {model_id: Counted(buckets) for model_id, buckets in found.items()}

    async def forget(self, *, before: date) -> None:
        await self._session.execute(
            sa.delete(ModelCallDay).where(ModelCallDay.day < before), execution_options={"synchronize_session": False}
        )
