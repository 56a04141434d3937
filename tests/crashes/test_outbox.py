"""The outbox delivers committed events once and in order, despite late commits and kills."""

import asyncio
import random
import time
import uuid
from collections import defaultdict
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime

import pytest
import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncSession

from mlpbilling.main import MIGRATIONS
from mlplace_contracts.events import Event, UsageRecorded
from mlplace_contracts.topics import USAGE
from mlplace_kit.money import Currency
from mlplace_kit.pricing import BillingUnit
from mlplace_runtime.bus.consumer import Consumer, ConsumerRunner
from mlplace_runtime.db.database import Database
from mlplace_runtime.db.outbox import Outbox
from mlplace_runtime.db.provision import ServiceDatabase
from mlplace_runtime.tasks import Loop, running
from mlplace_testing.plugin import DatabaseFactory
from mlplace_testing.waiting import eventually
from tests.crashes.conftest import ReportFigure
from tests.crashes.installation import Gate, Installation, Size

_WRITERS = 32
_KEYS = 64
_LEAST_KILLS = 2
_TURNS = "CREATE TABLE turn (key bigint PRIMARY KEY, last bigint NOT NULL); GRANT ALL ON turn TO {role}"
_SEEN = "CREATE TABLE seen (place bigserial, key bigint, number bigint); GRANT ALL ON seen, seen_place_seq TO {role}"


class _RolledBackError(Exception):
    pass


def _roll_back() -> None:
    raise _RolledBackError


@asynccontextmanager
async def _database(urls: ServiceDatabase, role: str, *statements: str) -> AsyncGenerator[Database]:
    """Connects as the service's role; the owner runs `statements` first."""
    owner = Database(urls.owner_url, application_name="proof")
    try:
        async with owner.transaction() as session:
            for statement in "; ".join(statements).format(role=role).split("; "):
                await session.execute(sa.text(statement))
    finally:
        await owner.close()
    database = Database(urls.service_url, application_name="proof", pool_size=_WRITERS)
    try:
        yield database
    finally:
        await database.close()


class Writers:
    """Each event is the next of its key. A writer locks the key first, as features lock rows.

    Before that, each transaction adds an event of a key of its own, which gets an early place in the outbox but is
    committed late. Each writer goes on until the relay was killed often enough, however slowly it starts.
    """

    def __init__(self, database: Database, chance: random.Random, *, enough_kills: asyncio.Event) -> None:
        self._database = database
        self._chance = chance
        self._enough_kills = enough_kills
        self.rolled_back = 0
        self.written: dict[int, int] = defaultdict(int)

    async def write(self, writer: int, transactions: int) -> None:
        begun = 0
        while begun < transactions or not self._enough_kills.is_set():
            begun += 1
            keys = sorted(self._chance.sample(range(1, _KEYS + 1), k=self._chance.randint(1, 2)))
            own = 1000 + writer
            fails = self._chance.random() < 0.15
            try:
                async with self._database.transaction() as session:
                    # They wait for the locks of their keys.
                    await session.execute(sa.text("SET LOCAL lock_timeout = '60s'"))
                    for key in (own, *keys):
                        await self._add(session, key)
                        await asyncio.sleep(self._chance.choice((0, 0, self._chance.uniform(0, 0.05))))
                    if fails:
                        _roll_back()
            except _RolledBackError:
                self.rolled_back += 1
            else:
                for key in (own, *keys):
                    self.written[key] += 1

    async def _add(self, session: AsyncSession, key: int) -> None:
        statement = sa.text("UPDATE turn SET last = last + 1 WHERE key = :key RETURNING last")
        number = (await session.execute(statement, {"key": key})).scalar_one()
        await Outbox(session).add(_event(key, number))


def _event(key: int, number: int) -> UsageRecorded:
    return UsageRecorded(
        usage_id=uuid.uuid4(), occurred_at=datetime.now(UTC), request_id="r", operation="predict",
        caller_account_id=key, payer_account_id=key, payer_key_id=1, model_account_id=1, model_id=1, model_name="m",
        instance_id=1, billing_unit=BillingUnit.CUSTOM, units=number, unit_price_nano=0, amount_nano=0, currency=Currency.RUBLE,
        reservation_id=None, model_time_ms=1,
    )  # fmt: skip


async def _note(session: AsyncSession, events: Sequence[Event]) -> None:
    rows = [{"key": e.payer_account_id, "number": e.units} for e in events if isinstance(e, UsageRecorded)]
    await session.execute(sa.text("INSERT INTO seen (key, number) VALUES (:key, :number)"), rows)


async def _kill_while_writing(
    gate: Gate, writing: "asyncio.Future[None]", chance: random.Random, enough_kills: asyncio.Event
) -> int:
    """Kill the process whose relay ships the events, until every writer has finished."""
    kills = 0
    while not writing.done():
        await gate.process.start("/health/live")
        await asyncio.wait({writing}, timeout=chance.uniform(0, 0.7))
        if not writing.done():
            gate.process.kill()
            kills += 1
        if kills >= _LEAST_KILLS:
            enough_kills.set()
    await writing
    return kills


class TestOutbox:
    @pytest.mark.own_database
    async def test_delivers_every_event_once_and_in_order(
        self,
        installation: Installation,
        database_factory: DatabaseFactory,
        size: Size,
        chance: random.Random,
        report_figure: ReportFigure,
    ) -> None:
        transactions = size.of(200, 20)
        gate = installation.gate()
        began = time.monotonic()
        async with (
            _database(installation.databases.gateway, "mlpgateway", _TURNS) as source,
            _database(await database_factory("mlpbilling", MIGRATIONS), "mlpbilling", _SEEN) as target,
        ):
            async with source.transaction() as session:
                keys = [{"key": key} for key in (*range(1, _KEYS + 1), *range(1000, 1000 + _WRITERS))]
                await session.execute(sa.text("INSERT INTO turn VALUES (:key, 0)"), keys)
            enough_kills = asyncio.Event()
            writers = Writers(source, chance, enough_kills=enough_kills)
            consumer = ConsumerRunner(Consumer("proof", (USAGE,), (UsageRecorded,), _note), target, installation.bus)
            async with running("proof", [Loop("consumer", consumer.run)]):
                writing = asyncio.gather(*(writers.write(number, transactions) for number in range(_WRITERS)))
                kills = await _kill_while_writing(gate, _as_one(writing), chance, enough_kills)
                total = sum(writers.written.values())
                await eventually(lambda: _number_seen(target), until=lambda number: number >= total, seconds=60)
            seen = await _seen(target)
        expected = {key: list(range(1, last + 1)) for key, last in writers.written.items()}
        by_key: dict[int, list[int]] = defaultdict(list)
        for key, number in seen:
            by_key[key].append(number)
        assert by_key == expected
        report_figure(
            f"{_WRITERS} writers, {total} events of {len(expected)} keys, {writers.rolled_back} transactions rolled "
            f"back, relay killed {kills} times, {time.monotonic() - began:.0f} s"
        )
        assert kills >= _LEAST_KILLS


def _as_one(writing: "asyncio.Future[list[None]]") -> "asyncio.Future[None]":
    async def wait() -> None:
        await writing

    return asyncio.ensure_future(wait())


async def _seen(database: Database) -> list[tuple[int, int]]:
    async with database.transaction() as session:
        rows = await session.execute(sa.text("SELECT key, number FROM seen ORDER BY place"))
        return [(row.key, row.number) for row in rows]


async def _number_seen(database: Database) -> int:
    return len(await _seen(database))
