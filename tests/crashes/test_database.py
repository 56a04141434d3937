"""PostgreSQL crashes as with `pg_ctl restart -m immediate`: relay and consumer continue, and nothing is lost."""

import asyncio
import os
import random
import shutil
import signal
import tempfile
import time
import uuid
from collections.abc import AsyncGenerator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import pytest
from sqlalchemy.exc import SQLAlchemyError

from mlpbilling.main import MIGRATIONS as BILLING_MIGRATIONS
from mlpgateway.main import MIGRATIONS as GATEWAY_MIGRATIONS
from mlplace_contracts.events import UsageRecorded
from mlplace_kit.money import Currency
from mlplace_kit.pricing import BillingUnit
from mlplace_runtime.bus.kafka.bus import KafkaSettings
from mlplace_runtime.bus.port import EventBus
from mlplace_runtime.db.database import Database
from mlplace_runtime.db.embedded import EmbeddedPostgres
from mlplace_runtime.db.migrations import upgrade
from mlplace_runtime.db.outbox import Outbox
from mlplace_runtime.tasks import Loop, running
from mlplace_testing.processes import ForkServer
from mlplace_testing.waiting import eventually
from tests.crashes.conftest import ReportFigure
from tests.crashes.installation import OWNER, PAYER, Databases, Installation, Size

_PRICE = 1_000_003
_MONEY = 10**15


@pytest.fixture
async def own_server() -> AsyncGenerator[EmbeddedPostgres]:
    """A separate server: that of other tests confirms commits before they are on disk, so a crash could lose them."""
    folder = Path(await asyncio.to_thread(tempfile.mkdtemp, prefix="mlplace-crash-"))
    try:
        async with EmbeddedPostgres(folder / "postgres") as server:
            yield server
    finally:
        await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)


@pytest.fixture
async def installation(
    fork_server: ForkServer,
    own_server: EmbeddedPostgres,
    bus_settings: Path | KafkaSettings,
    open_bus: EventBus,
    tmp_path: Path,
) -> AsyncGenerator[Installation]:
    databases = Databases(
        server=own_server,
        billing=await own_server.service_database("mlpbilling"),
        gateway=await own_server.service_database("mlpgateway"),
    )
    await upgrade(databases.billing.owner_url, BILLING_MIGRATIONS)
    await upgrade(databases.gateway.owner_url, GATEWAY_MIGRATIONS)
    async with Installation(fork_server, databases, bus_settings, open_bus, tmp_path) as made:
        yield made


@dataclass
class Writer:
    """Commits usages to the gateway's outbox. For some of them the outcome of the commit is unknown."""

    database: Database
    committed: set[uuid.UUID] = field(default_factory=set[uuid.UUID])
    unknown: set[uuid.UUID] = field(default_factory=set[uuid.UUID])

    async def run(self) -> None:
        while True:
            try:
                await self.write()
            except (OSError, SQLAlchemyError):
                await asyncio.sleep(0.05)

    async def write(self) -> None:
        usage = _usage()
        self.unknown.add(usage.usage_id)
        async with self.database.transaction() as session:
            await Outbox(session).add(usage)
        self.unknown.remove(usage.usage_id)
        self.committed.add(usage.usage_id)


def _usage() -> UsageRecorded:
    return UsageRecorded(
        usage_id=uuid.uuid4(), occurred_at=datetime.now(UTC), request_id="r", operation="predict",
        caller_account_id=PAYER, payer_account_id=PAYER, payer_key_id=1, model_account_id=OWNER, model_id=1,
        model_name="m", instance_id=1, billing_unit=BillingUnit.CALLS, units=1, unit_price_nano=_PRICE, amount_nano=_PRICE,
        currency=Currency.RUBLE, reservation_id=None, model_time_ms=1,
    )  # fmt: skip


async def _crash(server: EmbeddedPostgres) -> None:
    """Stop the server at once without a checkpoint; its supervisor restarts it."""
    before = server.pid
    assert before is not None
    os.kill(before, signal.SIGQUIT)

    async def restarted() -> bool:
        return server.pid not in {None, before}

    await eventually(restarted, seconds=60)


class TestDatabase:
    async def test_relay_and_consumer_lose_nothing_when_it_crashes(
        self,
        own_server: EmbeddedPostgres,
        installation: Installation,
        size: Size,
        chance: random.Random,
        report_figure: ReportFigure,
    ) -> None:
        crashes = size.of(20, 3)
        billing, gate = installation.billing(), installation.gate()
        await billing.start()
        await installation.refill(PAYER, _MONEY)
        await gate.process.start()
        lives = billing.pid, gate.process.pid
        database = Database(installation.databases.gateway.service_url, application_name="proof")
        writers = [Writer(database) for _ in range(4)]
        began = time.monotonic()
        loops = [Loop(f"writer-{number}", writer.run) for number, writer in enumerate(writers)]
        async with running("proof", [Loop("server", own_server.keep_running)]):
            async with running("proof", loops):
                for _ in range(crashes):
                    written = sum(len(writer.committed) for writer in writers)
                    await eventually(lambda: _count(writers), until=lambda count, w=written: count > w + 50, seconds=60)
                    await asyncio.sleep(chance.uniform(0, 0.5))
                    await _crash(own_server)
            ended = time.monotonic()
            # When the last event of the key has been charged, no event is in transit.
            await writers[0].write()
            await database.close()
            committed = set[uuid.UUID]().union(*(writer.committed for writer in writers))
            unknown = set[uuid.UUID]().union(*(writer.unknown for writer in writers))
            charged = await _charged(installation, committed)
            recovered = time.monotonic() - ended
            assert charged <= {str(usage_id) for usage_id in committed | unknown}
            async with installation.billing_records() as billing_records:
                await billing_records.check(paid={PAYER: len(charged) * _PRICE}, refilled={PAYER: _MONEY})
            assert (await installation.verification())["sound"] is True
            assert (billing.pid, gate.process.pid) == lives
            assert await billing.stop() == 0
            assert await gate.process.stop() == 0
        report_figure(
            f"{len(committed)} usages committed, {len(unknown)} in doubt, {len(charged)} charged, {crashes} crashes of "
            f"the server, all charged {recovered:.1f} s after the last, {time.monotonic() - began:.0f} s"
        )


async def _count(writers: list[Writer]) -> int:
    return sum(len(writer.committed) for writer in writers)


async def _charged(installation: Installation, committed: set[uuid.UUID]) -> set[str]:
    """Wait until all committed usages are charged."""
    expected = {str(usage_id) for usage_id in committed}
    async with installation.billing_records() as billing_records:
        await eventually(billing_records.charged, until=lambda charged: expected <= set(charged), seconds=60)
        return set(await billing_records.charged())
