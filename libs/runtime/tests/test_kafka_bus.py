"""Tests the Kafka adapter with a real broker. One test worker runs all of them, so that one broker is enough."""

import asyncio
from collections import defaultdict
from collections.abc import AsyncGenerator, Sequence
from dataclasses import replace

import pytest
import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncSession

from mlplace_contracts.events import Event, SessionRevoked, decode
from mlplace_contracts.topics import API_KEYS, CONNECTIONS, SESSIONS, TOPICS, USAGE, Topic
from mlplace_kit.clock import ManualClock
from mlplace_runtime.bus.consumer import Consumer, ConsumerRunner, Projection
from mlplace_runtime.bus.kafka.bus import KafkaBus, KafkaSettings, KafkaUnavailableError
from mlplace_runtime.bus.kafka.client import Admin
from mlplace_runtime.bus.port import Delivered, Record, Subscription
from mlplace_runtime.db.database import Database
from mlplace_runtime.db.messaging import inbox, outbox
from mlplace_runtime.db.outbox import outbox_row
from mlplace_runtime.tasks import Loop, running
from mlplace_testing.contracts.bus import BusContract
from mlplace_testing.servers.stores import KafkaServer
from mlplace_testing.waiting import eventually

pytestmark = pytest.mark.docker


@pytest.fixture
async def bus(kafka_settings: KafkaSettings) -> AsyncGenerator[KafkaBus]:
    """A bus with the topics of these tests only: creating all topics takes most of a test's time."""
    async with KafkaBus(kafka_settings, topics=(API_KEYS, CONNECTIONS, SESSIONS, USAGE)) as opened:
        yield opened


class TestKafkaBus(BusContract):
    pass


def _record(key: str, number: int, clock: ManualClock) -> Record:
    row = outbox_row(SessionRevoked(session_hash=key, user_id=number, revoked_at=clock.now()), clock)
    value = row["value"]
    assert isinstance(value, bytes)
    return Record(SESSIONS.name, key, value)


class _Member:
    """A member of the group `recorder`. The effect of an event is a row, which shows order and repetition."""

    def __init__(self, clock: ManualClock, database: Database, bus: KafkaBus) -> None:
        self._clock = clock
        self.handled = 0
        consumer = Consumer("recorder", (SESSIONS,), (SessionRevoked,), self._handle)
        self.loop = Loop("recorder", ConsumerRunner(consumer, database, bus).run)

    async def _handle(self, session: AsyncSession, events: Sequence[Event]) -> None:
        await session.execute(sa.insert(outbox), [outbox_row(event, self._clock) for event in events])
        self.handled += len(events)


async def _effects(database: Database) -> dict[str, list[int]]:
    """Returns the numbers of each key in the order of their effects."""
    found: dict[str, list[int]] = defaultdict(list)
    async with database.transaction() as session:
        for value in (await session.execute(sa.select(outbox.c.value).order_by(outbox.c.id))).scalars():
            event = decode(value)[1]
            assert isinstance(event, SessionRevoked)
            found[event.session_hash].append(event.user_id)
    return found


async def _handled(database: Database) -> int:
    async with database.transaction() as session:
        return (await session.execute(sa.select(sa.func.count()).select_from(inbox))).scalar_one()


class _Source:
    """Publishes rounds of numbered events, one for each of twenty keys."""

    def __init__(self, bus: KafkaBus, database: Database, clock: ManualClock) -> None:
        self._bus = bus
        self._database = database
        self._clock = clock
        self.rounds = 0

    async def publish(self, rounds: int) -> None:
        numbers = range(self.rounds, self.rounds + rounds)
        records = [_record(f"k{key}", n, self._clock) for n in numbers for key in range(20)]
        await eventually(lambda: _published(self._bus, records), seconds=60)
        self.rounds += rounds

    async def all_handled(self) -> None:
        await eventually(lambda: _handled(self._database), until=lambda n: n == self.rounds * 20)


class TestRebalance:
    async def test_events_take_effect_once_and_in_order_during_rebalances(
        self, bus: KafkaBus, database: Database, clock: ManualClock
    ) -> None:
        source = _Source(bus, database, clock)
        first, second = _Member(clock, database, bus), _Member(clock, database, bus)
        async with asyncio.timeout(60):
            async with running("first", [first.loop]):
                await source.publish(20)
                await source.all_handled()
                async with running("second", [second.loop]):
                    while second.handled == 0 or source.rounds < 60:
                        await source.publish(1)
                        await eventually(lambda: _handled(database), until=lambda n: n >= (source.rounds - 5) * 20)
            async with running("third", [_Member(clock, database, bus).loop]):
                await source.publish(40)
                await source.all_handled()
        assert source.rounds * 20 >= 2_000
        assert first.handled
        assert await _effects(database) == {f"k{key}": list(range(source.rounds)) for key in range(20)}

    async def test_uncommitted_records_of_a_member_come_again(self, bus: KafkaBus, clock: ManualClock) -> None:
        await bus.publish([_record(f"k{n}", n, clock) for n in range(30)])
        first = await bus.subscribe([SESSIONS], group="moving")
        polled = await _poll(first, 30)
        second = await bus.subscribe([SESSIONS], group="moving")
        await _poll(second, 1)  # a partition has moved, so the first member has lost what it polled there
        await first.commit()
        for member in (first, second):
            await member.close()
        third = await bus.subscribe([SESSIONS], group="moving")
        again = await _poll(third, 30)
        assert sorted(d.record.key for d in again) == sorted(d.record.key for d in polled)
        await third.close()


async def _poll(subscription: Subscription, wanted: int) -> list[Delivered]:
    found: list[Delivered] = []

    async def poll() -> int:
        found.extend(await subscription.poll(max_records=1000, timeout_seconds=0.2))
        return len(found)

    await eventually(poll, until=lambda count: count >= wanted)
    return found


class TestBrokerAway:
    async def test_a_killed_broker_neither_loses_nor_doubles_events(
        self, kafka_server: KafkaServer, bus: KafkaBus, database: Database, clock: ManualClock
    ) -> None:
        source = _Source(bus, database, clock)
        async with running("test", [_Member(clock, database, bus).loop]):
            await source.publish(5)
            await source.all_handled()
            await kafka_server.kill()
            late = asyncio.create_task(source.publish(5))
            await kafka_server.start()
            await late
            await source.publish(5)
            await source.all_handled()
        assert await _effects(database) == {f"k{key}": list(range(15)) for key in range(20)}

    async def test_a_timed_out_record_never_lands_behind_newer_ones(
        self, kafka_server: KafkaServer, kafka_settings: KafkaSettings
    ) -> None:
        def numbered(*numbers: int) -> list[Record]:
            return [Record(USAGE.name, "a", str(n).encode()) for n in numbers]

        async with KafkaBus(replace(kafka_settings, publish_seconds=1.0), topics=(USAGE,)) as bus:
            await bus.ensure_topics()
            await eventually(lambda: _published(bus, numbered(0)))
            await kafka_server.freeze()
            try:
                with pytest.raises(KafkaUnavailableError):
                    await bus.publish(numbered(1, 2))
                with pytest.raises(KafkaUnavailableError):
                    await bus.publish(numbered(1, 2, 3))
            finally:
                await kafka_server.thaw()
            await eventually(lambda: _published(bus, numbered(1, 2, 3)))
            reader = await bus.subscribe([USAGE], group=None)
            found: list[int] = []
            while found[-1:] != [3]:
                found += [int(d.record.value) for d in await _poll(reader, 1)]
            # What was published before may be there several times: a slow machine takes longer than the bus waits.
            assert found[found.count(0) - 1 : found.index(3) + 1] == [0, 1, 2, 1, 2, 3]


async def _published(bus: KafkaBus, records: list[Record]) -> bool:
    try:
        await bus.publish(records)
    except KafkaUnavailableError:
        return False
    return True


class TestProjection:
    async def test_is_rebuilt_from_a_compacted_topic(self, kafka_settings: KafkaSettings, clock: ManualClock) -> None:
        topic = replace(SESSIONS, compacted=True, partitions=1)
        quick = {"segment.ms": "50", "min.cleanable.dirty.ratio": "0.01"}
        versions: dict[str, int] = {}

        def apply(event: Event) -> None:
            assert isinstance(event, SessionRevoked)
            versions[event.session_hash] = event.user_id

        async with KafkaBus(replace(kafka_settings, topic_config=quick), topics=(topic,)) as bus:
            number = 0
            reader = await bus.subscribe([topic], group=None)
            await reader.close()

            async def kept() -> int:
                """Publishes, since only closed segments are compacted, and returns the oldest remaining offset."""
                nonlocal number
                await bus.publish([_record(f"k{key}", number, clock) for key in range(4)])
                number += 1
                subscription = await bus.subscribe([topic], group=None)
                found = await _poll(subscription, 1)
                await subscription.close()
                return found[0].offset

            await eventually(kept, until=lambda offset: offset > 0)
            projection = Projection(name="p", topics=(topic,), apply=apply, bus=bus)
            async with running("test", [Loop("projection", projection.run)]), asyncio.timeout(60):
                await projection.ready.wait()
        assert versions == {f"k{key}": number - 1 for key in range(4)}


async def _partitions(settings: KafkaSettings, topics: Sequence[Topic]) -> list[int]:
    """Returns the number of partitions of each topic; brokers need a moment to report a new one."""

    async def known() -> list[int | None]:
        async with Admin(settings) as admin:
            found = await admin.partitions()
        return [found.get(settings.wire_name(topic.name)) for topic in topics]

    return [n for n in await eventually(known, until=all) if n]


class TestEnsureTopics:
    async def test_creates_every_topic_as_declared(self, kafka_settings: KafkaSettings) -> None:
        async with KafkaBus(kafka_settings) as one, KafkaBus(kafka_settings) as other:
            await asyncio.gather(one.ensure_topics(), other.ensure_topics())
        partitions = await _partitions(kafka_settings, TOPICS)
        async with Admin(kafka_settings) as admin:
            config = await admin.config(kafka_settings.wire_name(USAGE.name))
            compacted = await admin.config(kafka_settings.wire_name(API_KEYS.name))
        assert partitions == [topic.partitions for topic in TOPICS]
        assert config["cleanup.policy"] == "delete"
        assert int(config["retention.ms"]) == USAGE.retention_days * 86_400_000
        assert compacted["cleanup.policy"] == "compact"

    async def test_leaves_a_topic_with_other_partitions_unchanged(self, kafka_settings: KafkaSettings) -> None:
        for partitions in (2, 6):
            async with KafkaBus(kafka_settings, topics=(replace(API_KEYS, partitions=partitions),)) as bus:
                await bus.ensure_topics()
            assert await _partitions(kafka_settings, [API_KEYS]) == [2]

    async def test_more_replicas_than_brokers_is_an_error(self, kafka_settings: KafkaSettings) -> None:
        async with KafkaBus(replace(kafka_settings, replication_factor=3)) as bus:
            with pytest.raises(KafkaUnavailableError, match="Replication"):
                await bus.ensure_topics()
