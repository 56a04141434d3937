from datetime import UTC, datetime

import pytest
import sqlalchemy as sa
from sqlalchemy.exc import DBAPIError

from mlplace_runtime.db.database import Database
from mlplace_runtime.db.messaging import outbox
from mlplace_runtime.db.polling import ONE, moment
from mlplace_runtime.failures import is_of_the_database
from mlplace_testing.waiting import eventually

_MADE = sa.select(ONE).where(outbox.c.topic.in_(["a", "b"]), outbox.c.created_at <= moment("now")).limit(ONE)
_BROKEN = sa.select(ONE).select_from(sa.table("nowhere"))
_NOW = datetime(2030, 1, 1, tzinfo=UTC)


async def _write(database: Database, topic: str) -> None:
    async with database.transaction() as session:
        await session.execute(sa.insert(outbox).values(topic=topic, key="k", value=b"", created_at=_NOW))


class TestFinds:
    async def test_only_rows_that_match_the_lists_and_the_given_moment(self, database: Database) -> None:
        finds = database.polling.finds
        await _write(database, "c")
        assert not await finds(_MADE, now=_NOW)
        await _write(database, "b")
        assert not await finds(_MADE, now=_NOW.replace(year=2029))
        assert await finds(_MADE, now=_NOW)

    async def test_what_was_not_committed_is_not_found(self, database: Database) -> None:
        async with database.transaction() as session:
            await session.execute(sa.insert(outbox).values(topic="a", key="k", value=b"", created_at=_NOW))
            assert not await database.polling.finds(_MADE, now=_NOW)

    async def test_a_broken_query_is_not_an_outage_and_the_next_one_gets_a_new_connection(
        self, database: Database
    ) -> None:
        with pytest.raises(DBAPIError) as refused:
            await database.polling.finds(_BROKEN)
        assert not is_of_the_database(refused.value)
        assert not await database.polling.finds(_MADE, now=_NOW)

    async def test_after_its_connection_was_ended_it_asks_over_a_new_one(self, database: Database) -> None:
        assert not await database.polling.finds(_MADE, now=_NOW)
        other_sessions = "pid <> pg_backend_pid() AND datname = current_database() AND usename = current_user"
        async with database.transaction() as session:
            await session.execute(
                sa.text(f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE {other_sessions}")
            )
        await _write(database, "a")

        async def found() -> bool:
            try:
                return await database.polling.finds(_MADE, now=_NOW)
            except (DBAPIError, OSError):
                return False

        await eventually(found)
