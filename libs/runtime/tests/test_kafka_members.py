"""Sends ten thousand events from an outbox through Kafka to four processes: one leaves, one joins, one is killed."""

import asyncio
import json
import os
import signal
import sys
from collections import defaultdict
from collections.abc import AsyncGenerator, Awaitable, Callable
from pathlib import Path

import pytest
import sqlalchemy as sa

from mlplace_contracts.events import SessionRevoked, decode
from mlplace_contracts.topics import SESSIONS
from mlplace_kit.clock import ManualClock
from mlplace_runtime.bus.kafka.bus import KafkaBus, KafkaSettings
from mlplace_runtime.bus.outbox_relay import OutboxRelay
from mlplace_runtime.db.database import Database
from mlplace_runtime.db.messaging import dead_letter, inbox, outbox
from mlplace_runtime.db.outbox import Outbox
from mlplace_runtime.tasks import Loop, running
from mlplace_testing.plugin import DatabaseFactory
from mlplace_testing.waiting import eventually

pytestmark = pytest.mark.docker

_EVENTS = int(os.environ.get("MLP_TEST_EVENTS", "10000"))
_KEYS = 100
_AHEAD = 5  # rounds that may be in flight while members come and go
_PROGRAM = Path(__file__).parent / "member_process.py"


class _Group:
    """Processes that share one database."""

    def __init__(self, settings: dict[str, str]) -> None:
        self._settings = settings
        self._members: dict[str, asyncio.subprocess.Process] = {}

    async def join(self, name: str, *, dies_after: int = 0) -> None:
        settings = json.dumps({**self._settings, "dies_after": dies_after})
        self._members[name] = await asyncio.create_subprocess_exec(sys.executable, _PROGRAM, name, settings)

    async def leave(self, name: str) -> None:
        self._members[name].terminate()
        async with asyncio.timeout(60):
            assert await self._members[name].wait() == 0

    def has_been_killed(self, name: str) -> bool:
        return self._members[name].returncode == -signal.SIGKILL

    async def close(self) -> None:
        for process in self._members.values():
            if process.returncode is None:
                process.kill()
                await process.wait()


@pytest.fixture
async def target(database_factory: DatabaseFactory) -> AsyncGenerator[Database]:
    made = await database_factory("runtime", Path(__file__).parent / "migrations")
    opened = Database(made.service_url, application_name="target")
    yield opened
    await opened.close()


@pytest.fixture
async def group(target: Database, kafka_settings: KafkaSettings) -> AsyncGenerator[_Group]:
    opened = _Group(
        {
            "database_url": target.url,
            "server": kafka_settings.servers[0],
            "topic_prefix": kafka_settings.topic_prefix,
        }
    )
    yield opened
    await opened.close()


class _Source:
    """Publishes rounds of numbered events, one for each key, each round in one transaction."""

    def __init__(self, database: Database, target: Database, clock: ManualClock) -> None:
        self._database = database
        self._target = target
        self._clock = clock
        self.rounds = 0

    async def publish(self) -> None:
        now = self._clock.now()
        events = [SessionRevoked(session_hash=f"k{key}", user_id=self.rounds, revoked_at=now) for key in range(_KEYS)]
        async with self._database.transaction() as session:
            await Outbox(session, self._clock).add(*events)
        self.rounds += 1

    async def publish_until(self, condition: Callable[[], Awaitable[bool]], *, at_least: int = 0) -> None:
        """Stays only a few rounds ahead, so that the awaited event happens during the stream."""
        async with asyncio.timeout(180):
            while self.rounds * _KEYS < at_least or not await condition():
                await self.publish()
                await self.handled(ahead=_AHEAD)

    async def handled(self, *, ahead: int = 0) -> None:
        wanted = (self.rounds - ahead) * _KEYS
        await eventually(lambda: _count(self._target, inbox), until=lambda count: count >= wanted, seconds=90)


async def _handled_by(target: Database) -> dict[str, int]:
    query = sa.select(outbox.c.topic, sa.func.count()).group_by(outbox.c.topic)
    async with target.transaction() as session:
        return {row[0]: row[1] for row in await session.execute(query)}


async def _count(database: Database, table: sa.Table) -> int:
    async with database.transaction() as session:
        return (await session.execute(sa.select(sa.func.count()).select_from(table))).scalar_one()


async def _effects(target: Database) -> dict[str, list[int]]:
    """Returns the numbers of each key in the order of their effects."""
    found: dict[str, list[int]] = defaultdict(list)
    async with target.transaction() as session:
        for value in (await session.execute(sa.select(outbox.c.value).order_by(outbox.c.id))).scalars():
            event = decode(value)[1]
            assert isinstance(event, SessionRevoked)
            found[event.session_hash].append(event.user_id)
    return found


class TestFourMembers:
    @pytest.mark.timeout(400)  # four more processes, and a session that has to time out
    async def test_events_take_effect_once_and_in_order_when_members_join_leave_or_die(
        self, database: Database, target: Database, group: _Group, kafka_settings: KafkaSettings, clock: ManualClock
    ) -> None:
        def took_part(*names: str) -> Callable[[], Awaitable[bool]]:
            async def condition() -> bool:
                return set(names) <= set(await _handled_by(target))

            return condition

        async def killed() -> bool:
            return group.has_been_killed("dies")

        source = _Source(database, target, clock)
        async with KafkaBus(kafka_settings, topics=(SESSIONS,)) as bus:
            relay = OutboxRelay(database, bus, name="source")
            async with running("source", [Loop("relay", relay.run)]):
                for name in ("stays", "stays-too", "leaves"):
                    await group.join(name)
                await group.join("dies", dies_after=_EVENTS // 10)
                await source.publish_until(took_part("stays", "stays-too", "leaves", "dies"))
                await asyncio.gather(
                    group.leave("leaves"), group.join("joins"), source.publish_until(took_part("joins"))
                )
                await source.publish_until(killed)
                await source.publish_until(took_part(), at_least=_EVENTS)
                await source.handled()
        assert source.rounds * _KEYS >= _EVENTS
        assert await _effects(target) == {f"k{key}": list(range(source.rounds)) for key in range(_KEYS)}
        assert await _count(target, dead_letter) == 0
