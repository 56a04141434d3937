"""The inbox holds what was handled only as long as it can be delivered again: else it would grow for ever."""

import asyncio
from collections.abc import Sequence
from datetime import timedelta

import sqlalchemy as sa

from mlplace_runtime.bus.handling import Consumer
from mlplace_runtime.db.database import Database
from mlplace_runtime.db.messaging import inbox

_PAUSE_SECONDS = 3600.0
_BATCH = 10_000
_MARGIN = timedelta(days=7)


def kept_for(consumer: Consumer) -> timedelta | None:
    """None for a consumer of a compacted topic: that delivers its records for ever."""
    if any(topic.compacted for topic in consumer.topics):
        return None
    return timedelta(days=max(topic.retention_days for topic in consumer.topics)) + _MARGIN


class Forgetting:
    """Deletes notes of events that their topic does not hold any more. Times are the database's own."""

    def __init__(self, consumers: Sequence[Consumer], database: Database) -> None:
        self._kept = {consumer.name: kept for consumer in consumers if (kept := kept_for(consumer))}
        self._database = database

    async def run(self) -> None:
        """Until cancelled."""
        while True:
            for consumer, kept in self._kept.items():
                while await self._batch(consumer, kept) == _BATCH:
                    pass
            await asyncio.sleep(_PAUSE_SECONDS)

    async def _batch(self, consumer: str, kept: timedelta) -> int:
        """Few enough rows that nothing waits for the locks. Returns how many there were."""
        old = (
            sa.select(inbox.c.event_id)
            .where(inbox.c.consumer == consumer, inbox.c.processed_at < sa.func.now() - kept)
            .limit(_BATCH)
        )
        async with self._database.transaction() as session:
            statement = sa.delete(inbox).where(inbox.c.consumer == consumer, inbox.c.event_id.in_(old))
            return len((await session.execute(statement.returning(inbox.c.event_id))).all())
