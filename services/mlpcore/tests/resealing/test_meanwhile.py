"""Values that others write, hold or seal again meanwhile."""

import asyncio
from typing import Any

import httpx
import pytest
import sqlalchemy as sa

from mlpcore.features.secrets.sealing import SECRETS
from mlpcore.features.secrets.tables import Secret
from mlpcore.state import CoreState
from mlplace_runtime.db.database import Database
from mlplace_runtime.process.resealing import OLD_ARE_LEFT
from mlplace_runtime.secrets import Vault
from mlplace_testing.sealed import WatchedColumn
from mlplace_testing.world import World

from .conftest import CAN_BE_EMPTIED, OLD, opened, post, reseal, seal_many


class TestMeanwhile:
    async def test_value_that_a_user_replaced_after_it_was_read_is_kept(
        self, client: httpx.AsyncClient, world: World, state: CoreState
    ) -> None:
        made = await post(client, world, "/secret", name="LLM", value="first")
        around = WatchedColumn(SECRETS)

        async def user_replaces() -> None:
            around.before = None
            await post(client, world, f"/secret/{made['secretId']}", value="second")

        around.before = user_replaces
        status, said = await reseal(state, around)
        assert (status, said[0]) == (0, "secrets: 1 values, 1 encrypted again")
        assert await opened(state.database) == ["second"]

    async def test_value_that_a_user_replaces_after_it_was_locked_is_kept(
        self, client: httpx.AsyncClient, world: World, state: CoreState
    ) -> None:
        made = await post(client, world, "/secret", name="LLM", value="first")
        around = WatchedColumn(SECRETS)
        waiting: list[asyncio.Task[Any]] = []

        async def user_begins() -> None:
            around.after = None
            waiting.append(asyncio.create_task(post(client, world, f"/secret/{made['secretId']}", value="second")))
            await _is_blocked(state.database)

        around.after = user_begins
        await reseal(state, around)
        await waiting[0]
        await reseal(state)
        assert await opened(state.database) == ["second"]

    async def test_value_that_a_transaction_holds_is_sealed_when_it_ends(self, state: CoreState) -> None:
        await seal_many(state.database, 3)
        around, free = WatchedColumn(SECRETS), asyncio.Event()

        async def let_it_end() -> None:
            if around.locks == 2:
                free.set()
                await holding

        async def hold(held: asyncio.Event) -> None:
            async with state.database.transaction() as session:
                row = (await session.scalars(sa.select(Secret).where(Secret.name == "n1").with_for_update())).one()
                SECRETS.write(row, "another", Vault(OLD))
                await session.flush()
                held.set()
                await free.wait()

        held = asyncio.Event()
        holding = asyncio.create_task(hold(held))
        await held.wait()
        around.after = let_it_end
        status, said = await reseal(state, around)
        assert (status, said[0]) == (0, "secrets: 3 values, 3 encrypted again")
        assert await opened(state.database) == ["canary-0", "another", "canary-2"]

    async def test_value_that_stays_locked_is_told_and_the_key_is_kept(self, state: CoreState) -> None:
        await seal_many(state.database, 2)
        async with state.database.transaction() as session:
            await session.execute(sa.select(Secret.secret_id).where(Secret.name == "n0").with_for_update())
            status, said = await reseal(state, SECRETS, pause=0)
        assert status == OLD_ARE_LEFT
        assert said[:2] == [
            "secrets: 2 values, 1 encrypted again",
            "secrets that are still encrypted with a previous key: 1",
        ]
        assert CAN_BE_EMPTIED not in said

    async def test_two_commands_share_the_values(self, state: CoreState) -> None:
        await seal_many(state.database, 250)
        (first, one), (second, other) = await asyncio.gather(reseal(state, SECRETS), reseal(state, SECRETS))
        assert (first, second) == (0, 0)
        assert sum(int(said[0].split()[3]) for said in (one, other)) == 250
        assert await opened(state.database) == [f"canary-{place}" for place in range(250)]

    async def test_value_that_another_command_sealed_after_it_was_read_is_not_sealed_again(
        self, state: CoreState
    ) -> None:
        await seal_many(state.database, 2)
        around = WatchedColumn(SECRETS)

        async def other_command() -> None:
            assert (await reseal(state, SECRETS))[1][0] == "secrets: 2 values, 2 encrypted again"

        around.before = other_command
        status, said = await reseal(state, around)
        assert (status, said[0]) == (0, "secrets: 2 values, 0 encrypted again")

    async def test_interrupted_command_is_completed_by_the_next(self, state: CoreState) -> None:
        await seal_many(state.database, 250)
        around = WatchedColumn(SECRETS)

        async def fail_later() -> None:
            if around.locks == 2:
                raise ConnectionError("the database is away")

        around.after = fail_later
        with pytest.raises(ConnectionError):
            await reseal(state, around)
        status, said = await reseal(state, SECRETS)
        assert (status, said[0]) == (0, "secrets: 250 values, 150 encrypted again")
        assert await opened(state.database) == [f"canary-{place}" for place in range(250)]


async def _is_blocked(database: Database) -> None:
    """Waits until a transaction waits for a lock."""
    mine = "wait_event_type = 'Lock' AND datname = current_database()"
    waits = sa.text(f"SELECT count(*) FROM pg_stat_activity WHERE {mine}")
    async with asyncio.timeout(60):
        while True:
            async with database.transaction() as session:
                if await session.scalar(waits):
                    return
            await asyncio.sleep(0.02)
