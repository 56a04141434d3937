"""Tests notices between processes over the database."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress

import pytest
import sqlalchemy as sa

from mlplace_runtime.db.database import Database
from mlplace_runtime.db.notices import Notices
from mlplace_testing.waiting import eventually

CHANNEL = "mlplace_test"


@asynccontextmanager
async def listening(database: Database) -> AsyncGenerator[tuple[Notices, list[str], "asyncio.Task[None]"]]:
    notices, heard = Notices(database, CHANNEL), list[str]()
    notices.watch(heard.append)
    task = asyncio.create_task(notices.run())
    await asyncio.wait_for(notices.listening.wait(), 60)
    yield notices, heard, task
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)


async def hears(heard: list[str], word: str) -> None:
    async def probe() -> bool:
        return word in heard

    await eventually(probe)


class TestNotices:
    async def test_a_notice_reaches_all_processes_on_commit(self, database: Database) -> None:
        async with listening(database) as (notices, own, _), listening(database) as (_, others, _):
            async with database.transaction() as session:
                await notices.say(session, "done")
            await hears(own, "done")
            await hears(others, "done")

    async def test_a_rolled_back_notice_is_never_delivered(self, database: Database) -> None:
        async with listening(database) as (notices, heard, _):
            with suppress(ZeroDivisionError):
                async with database.transaction() as session:
                    await notices.say(session, "lost")
                    raise ZeroDivisionError
            async with database.transaction() as session:
                await notices.say(session, "kept")
            await hears(heard, "kept")
            assert "lost" not in heard

    async def test_a_new_listener_gets_an_empty_notice_first(self, database: Database) -> None:
        async with listening(database) as (_, heard, _):
            assert heard == [""]

    @pytest.mark.own_database
    async def test_a_lost_connection_raises(self, database: Database) -> None:
        others = "datname = current_database() AND pid <> pg_backend_pid()"
        kill = f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE {others}"
        async with listening(database) as (notices, _, task):
            async with database.transaction() as session:
                await session.execute(sa.text(kill))
            await asyncio.wait({task}, timeout=60)
            assert task.done()
            assert not notices.listening.is_set()
            assert isinstance(task.exception(), ConnectionError)

    async def test_the_sending_process_gets_it_without_listening(self, database: Database) -> None:
        notices, heard = Notices(database, CHANNEL), list[str]()
        notices.watch(heard.append)
        async with database.transaction() as session:
            await notices.say(session, "own")
            assert heard == []
        assert heard == ["own"]

    async def test_a_long_notice_is_refused(self, database: Database) -> None:
        with pytest.raises(ValueError, match="longer than 4000 bytes"):
            async with database.transaction() as session:
                await Notices(database, CHANNEL).say(session, "x" * 5000)
