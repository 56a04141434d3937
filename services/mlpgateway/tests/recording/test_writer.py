"""Usage is durable before the answer leaves, or the call failed."""

import asyncio
import uuid

import pytest
import sqlalchemy as sa

from mlpgateway.gate.ports import Connection, InstanceEntry
from mlpgateway.proxy.errors import UsageNotRecorded
from mlplace_contracts.events import InstanceConnected, InstanceLost
from mlplace_runtime.db.messaging import outbox
from mlplace_testing.events import published
from mlplace_testing.waiting import eventually


async def break_outbox(world, *, broken: bool) -> None:
    """The service may not write to its outbox while it is broken."""
    names = ("outbox", "outbox_away") if broken else ("outbox_away", "outbox")
    async with world.owner.begin() as connection:
        await connection.execute(sa.text(f"ALTER TABLE {names[0]} RENAME TO {names[1]}"))


@pytest.fixture
async def breakable(world):
    """A world whose outbox a test can take away."""
    from sqlalchemy.ext.asyncio import create_async_engine

    url = sa.make_url(world.parts.database.url).set(username="mlpgateway_owner")
    world.owner = create_async_engine(url, poolclass=sa.NullPool)
    yield world
    await world.owner.dispose()


class TestFailure:
    async def test_a_call_that_cannot_be_recorded_fails_and_costs_nothing(self, breakable, kit) -> None:
        world = breakable
        world.know(kit.model_changed(billing=kit.CALLS))
        world.instance()
        key = world.key()
        await break_outbox(world, broken=True)
        answer = await world.predict(key)
        assert (answer.status_code, answer.json()["code"]) == (503, "mlp.gate.usage_not_recorded")
        assert '"text"' not in answer.text
        await break_outbox(world, broken=False)

        async def status() -> int:
            return (await world.predict(key)).status_code

        await eventually(status, until=lambda code: code == 200)
        assert len(await world.usage()) == 1
        await world.parts.leases.release_all()
        assert world.billing.available(kit.DEMO) == world.billing.money[kit.DEMO] - 10

    async def test_a_stream_ends_in_an_error_line_instead_of_its_last_part(self, breakable, kit) -> None:
        world = breakable
        world.instance(kit.says("1", "2"))
        await break_outbox(world, broken=True)
        answer = await world.predict(world.key(), '{"data": "5"}', "predict-with-config-v2-stream")
        first, last = answer.text.splitlines()
        assert (first, '"mlp.gate.usage_not_recorded"' in last) == ("1", True)

    async def test_more_than_can_wait_is_refused_at_once(self, open_world) -> None:
        async with open_world(write=False) as world:
            event = InstanceLost(
                instance_id=1, model_id=1, account_id=1, gate="g", stream_id=uuid.uuid4(), reason="",
                occurred_at=world.parts.connections._clock.now(),
            )  # fmt: skip
            for _ in range(20_000):
                world.parts.writer.add(event)
            with pytest.raises(UsageNotRecorded):
                world.parts.writer.add(event)


class TestEnd:
    async def test_nobody_waits_for_a_writer_that_has_ended(self, open_world, kit) -> None:
        async with open_world(write=False) as world:
            world.instance()
            writer = asyncio.create_task(world.parts.writer.run())
            await asyncio.sleep(0)
            writer.cancel()
            await asyncio.gather(writer, return_exceptions=True)
            answer = await world.predict(world.key())
            assert answer.json()["code"] == "mlp.gate.usage_not_recorded"


class TestGroups:
    async def test_all_rows_of_a_group_are_there_in_order(self, world, kit) -> None:
        world.instance()
        key = world.key()
        await asyncio.gather(*(world.predict({**key, "Z-requestId": f"r{n}"}) for n in range(150)))
        usages = await world.usage()
        assert sorted(usage.request_id for usage in usages) == sorted(f"r{n}" for n in range(150))
        assert len({usage.usage_id for usage in usages}) == 150
        async with world.parts.database.transaction() as session:
            keys = set((await session.execute(sa.select(outbox.c.topic, outbox.c.key))).all())
        assert keys == {("mlpgateway.usage", str(kit.DEMO))}


class TestConnections:
    async def test_are_recorded_in_order_even_over_an_outage(self, breakable) -> None:
        world = breakable
        recorder = world.parts.connections
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
        opened = await published(world.parts.database, InstanceConnected)
        closed = await published(world.parts.database, InstanceLost)
        assert [event.stream_id for event in opened] == [one.stream_id for one in connections]
        assert [event.stream_id for event in closed] == [one.stream_id for one in connections]


def connection(number: int) -> Connection:
    entry = InstanceEntry(number, 500, 1, "ner", accepts_connections=True)
    return Connection(uuid.uuid4(), entry, "gate:1", "box", 2, "", None)
