"""Group commit to the outbox: in order, and durable when it says so."""

import asyncio
import uuid

import pytest
import sqlalchemy as sa

from mlpgateway.call.ports import ConnectedInstance, InstanceEntry
from mlpgateway.errors.calls import UsageNotRecorded
from mlplace_contracts.events import InstanceConnected, InstanceLost
from mlplace_testing.events import published


async def break_outbox(world, *, broken: bool) -> None:
    """Revokes the service's permission to write to its outbox, or grants it again."""
    names = ("outbox", "outbox_away") if broken else ("outbox_away", "outbox")
    async with world.owner.begin() as connection:
        await connection.execute(sa.text(f"ALTER TABLE {names[0]} RENAME TO {names[1]}"))


@pytest.fixture
async def breakable(world):
    """A world whose outbox a test can break."""
    from sqlalchemy.ext.asyncio import create_async_engine

    url = sa.make_url(world.components.database.url).set(username="mlpgateway_owner")
    world.owner = create_async_engine(url, poolclass=sa.NullPool)
    yield world
    await world.owner.dispose()


class TestFailure:
    async def test_event_is_refused_at_once_when_too_many_wait(self, open_world) -> None:
        async with open_world(write=False) as world:
            for _ in range(20_000):
                world.components.writer.add(lost(world))
            with pytest.raises(UsageNotRecorded):
                world.components.writer.add(lost(world))


class TestEnd:
    async def test_nobody_waits_for_a_stopped_writer(self, open_world) -> None:
        async with open_world(write=False) as world:
            waiting = world.components.writer.add(lost(world))
            writer = asyncio.create_task(world.components.writer.run())
            await asyncio.sleep(0)
            writer.cancel()
            await asyncio.gather(writer, return_exceptions=True)
            with pytest.raises(UsageNotRecorded):
                await waiting
            with pytest.raises(UsageNotRecorded):
                world.components.writer.add(lost(world))


class TestGroups:
    async def test_all_rows_of_a_batch_are_stored_in_order(self, world) -> None:
        events = [lost(world, number) for number in range(150)]
        await asyncio.gather(*(world.components.writer.add(event) for event in events))
        found = await published(world.components.database, InstanceLost)
        assert [event.instance_id for event in found] == list(range(150))


class TestConnections:
    @pytest.mark.own_database
    async def test_connections_are_recorded_in_order_despite_an_outage(self, breakable) -> None:
        world = breakable
        recorder = world.components.connections
        connections = [connection(number) for number in range(5)]
        await break_outbox(world, broken=True)
        task = asyncio.create_task(recorder.run())
        for one in connections:
            recorder.connected(one)
            recorder.lost(one, reason="closed")
        await recorder.flush(0.3)
        await break_outbox(world, broken=False)
        await recorder.flush(10)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        opened = await published(world.components.database, InstanceConnected)
        closed = await published(world.components.database, InstanceLost)
        assert [event.stream_id for event in opened] == [one.stream_id for one in connections]
        assert [event.stream_id for event in closed] == [one.stream_id for one in connections]


def lost(world, number: int = 1) -> InstanceLost:
    return InstanceLost(
        instance_id=number, model_id=1, account_id=1, gate="g", stream_id=uuid.uuid4(), reason="",
        occurred_at=world.components.connections._clock.now(),
    )  # fmt: skip


def connection(number: int) -> ConnectedInstance:
    entry = InstanceEntry(number, 500, 1, "ner", accepts_connections=True)
    return ConnectedInstance(uuid.uuid4(), entry, "gate:1", "box", 2, "", None)
