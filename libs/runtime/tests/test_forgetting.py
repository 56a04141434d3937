import asyncio
import uuid
from datetime import timedelta

import pytest
import sqlalchemy as sa

from mlplace_contracts.topics import LIMITS, MODELS, SESSIONS, USAGE, Topic
from mlplace_runtime.bus.forgetting import Forgetting, kept_for
from mlplace_runtime.bus.handling import Consumer
from mlplace_runtime.db.database import Database
from mlplace_runtime.db.messaging import inbox
from mlplace_runtime.tasks import Loop, running
from mlplace_testing.waiting import eventually


async def _nothing(*_: object) -> None:
    await asyncio.sleep(0)


def _consumer(name: str, *topics: Topic) -> Consumer:
    return Consumer(name, topics, (), _nothing)


class TestKeptFor:
    @pytest.mark.parametrize(("topics", "days"), [((USAGE,), 38), ((SESSIONS, USAGE), 38)])
    def test_notes_are_kept_longer_than_the_retention_of_every_topic(
        self, topics: tuple[Topic, ...], days: int
    ) -> None:
        kept = kept_for(_consumer("c", *topics))
        assert kept is not None
        assert kept == timedelta(days=days)
        assert all(kept > timedelta(days=topic.retention_days) for topic in topics)

    def test_notes_of_a_compacted_topic_are_kept_forever(self) -> None:
        assert kept_for(_consumer("c", MODELS)) is None
        assert kept_for(_consumer("c", USAGE, LIMITS)) is None


class TestForgetting:
    async def test_only_notes_of_undeliverable_events_are_deleted(self, database: Database) -> None:
        ages = {"usage": (1, 37, 39, 400), "models": (1, 400)}
        rows = [
            {"consumer": name, "event_id": uuid.uuid4(), "processed_at": sa.func.now() - timedelta(days=days)}
            for name, all_days in ages.items()
            for days in all_days
        ]
        async with database.transaction() as session:
            for row in rows:
                await session.execute(sa.insert(inbox).values(**row))

        async def left() -> dict[str, int]:
            async with database.transaction() as session:
                counted = sa.select(inbox.c.consumer, sa.func.count()).group_by(inbox.c.consumer)
                return {row[0]: row[1] for row in await session.execute(counted)}

        consumers = [_consumer("usage", USAGE), _consumer("models", MODELS)]
        async with running("test", [Loop("inbox", Forgetting(consumers, database).run)]):
            assert await eventually(left, until=lambda rest: rest["usage"] == 2) == {"usage": 2, "models": 2}
