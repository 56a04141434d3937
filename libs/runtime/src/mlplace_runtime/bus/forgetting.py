"""Deletes inbox notes once the bus can no longer deliver their events, so that the inbox does not grow forever."""

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
    """Returns how long to keep notes. None (forever) for consumers of compacted topics, which never drop records."""
    if any(topic.compacted for topic in consumer.topics):
        return None
    return timedelta(days=max(topic.retention_days for topic in consumer.topics)) + _MARGIN


class Forgetting:
    """Deletes notes of events that their topic no longer holds, by the database's clock."""

    def __init__(self, consumers: Sequence[Consumer], database: Database) -> None:
        self._kept = {consumer.name: kept for consumer in consumers if (kept := kept_for(consumer))}
        self._database = database

    async def run(self) -> None:
        """Runs until cancelled."""
        while True:
            for consumer, kept in self._kept.items():
                while await self._batch(consumer, kept) == _BATCH:
                    pass
            await asyncio.sleep(_PAUSE_SECONDS)

    async def _batch(self, consumer: str, kept: timedelta) -> int:
        """Deletes a batch small enough that nothing waits for its locks. Returns its size."""
        old = (
            sa.select(inbox.c.event_id)
            .where(inbox.c.consumer == consumer, inbox.c.processed_at < sa.func.now() - kept)
            .limit(_BATCH)
        )
        async with self._database.transaction() as session:
            statement = sa.delete(inbox).where(inbox.c.consumer == consumer, inbox.c.event_id.in_(old))
            return len((await session.execute(statement.returning(inbox.c.event_id))).all())
