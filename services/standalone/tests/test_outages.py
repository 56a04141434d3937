"""A service as a process while its brokers and its database fail and recover."""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncGenerator, Callable, Generator
from pathlib import Path

import httpx
import pytest
import sqlalchemy as sa

from mlplace_contracts.events import BalanceChanged
from mlplace_kit.clock import ManualClock
from mlplace_kit.money import Currency
from mlplace_runtime.auth.authenticator import INTERNAL_HEADER
from mlplace_runtime.bus.kafka.bus import KafkaSettings
from mlplace_runtime.db.database import Database
from mlplace_runtime.db.embedded import EmbeddedPostgres
from mlplace_runtime.db.messaging import outbox
from mlplace_runtime.db.outbox import Outbox
from mlplace_runtime.db.provision import ServiceDatabase
from mlplace_runtime.tasks import Loop, running
from mlplace_testing.servers.stores import KafkaServer
from mlplace_testing.waiting import eventually

pytestmark = [pytest.mark.docker, pytest.mark.timeout(600)]

KEY = "ab" * 32
PATIENCE = 100.0


class Service:
    """mlpbilling. `health` is the status and the body of `/health/ready`."""

    def __init__(self, url: str, log: Path) -> None:
        self.url = url
        self._log = log

    async def health(self) -> tuple[int, str, frozenset[str]]:
        async with httpx.AsyncClient(timeout=60) as client:
            answer = await client.get(f"{self.url}/health/ready")
        body = answer.json()
        return answer.status_code, body["status"], frozenset(body["missing"])

    async def becomes(self, status: int, word: str, *missing: str) -> None:
        expected = (status, word, frozenset(missing))
        await eventually(self.health, until=lambda seen: seen == expected, seconds=PATIENCE)

    async def serves(self) -> bool:
        """Whether a request that needs the database succeeds."""
        async with httpx.AsyncClient(timeout=60) as client:
            answer = await client.get(
                f"{self.url}/internal/mlpbilling/ledger/verification", headers={INTERNAL_HEADER: KEY}
            )
        return answer.status_code == 200

    def warnings(self) -> list[str]:
        lines = [json.loads(line) for line in self._log.read_text().splitlines() if line.startswith("{")]
        return [f"{line['event']} {line.get('worker', '')}" for line in lines if line["level"] in {"warning", "error"}]


@pytest.fixture
def postgres() -> Generator[EmbeddedPostgres]:
    """A separate server, since the test stops and starts it."""
    folder = Path(tempfile.mkdtemp(prefix="mlplace-outage-"))
    server = EmbeddedPostgres(folder / "postgres", durable=False)
    server.start_blocking()
    yield server
    server.stop()
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
async def database(postgres: EmbeddedPostgres) -> ServiceDatabase:
    return await postgres.service_database("mlpbilling")


@pytest.fixture
def environment(database: ServiceDatabase, kafka_settings: KafkaSettings) -> dict[str, str]:
    made = {
        **os.environ,
        "MLP_INTERNAL_TOKEN": KEY,
        "MLP_HASH_SECRET": KEY,
        "MLP_ENVELOPE_KEY": KEY,
        "MLP_BUS": f"kafka://{kafka_settings.servers[0]}",
        "MLP_KAFKA_TOPIC_PREFIX": kafka_settings.topic_prefix,
        "MLP_HOST": "127.0.0.1",
        "MLP_PORT": "0",
        "MLP_MLPBILLING_DATABASE_URL": database.service_url,
        "MLP_MLPBILLING_OWNER_DATABASE_URL": database.owner_url,
    }
    subprocess.run([sys.executable, "-m", "mlpbilling", "migrate"], env=made, check=True, timeout=120)
    return made


Start = Callable[[], Service]


@pytest.fixture
def start(environment: dict[str, str], tmp_path: Path) -> Generator[Start]:
    processes: list[subprocess.Popen[bytes]] = []
    log = tmp_path / "log"

    def started() -> Service:
        with log.open("wb") as stream:
            process = subprocess.Popen([sys.executable, "-m", "mlpbilling", "serve"], env=environment, stderr=stream)
        processes.append(process)
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline and process.poll() is None:
            for line in log.read_text().splitlines():
                if '"service_started"' in line:
                    return Service(f"http://127.0.0.1:{json.loads(line)['port']}", log)
            time.sleep(0.1)
        raise AssertionError(log.read_text())

    yield started
    for process in processes:
        process.kill()
        process.wait()


@pytest.fixture
async def own(database: ServiceDatabase) -> AsyncGenerator[Database]:
    opened = Database(database.service_url, application_name="test")
    yield opened
    await opened.close()


async def _waiting(database: Database) -> int:
    async with database.transaction() as session:
        return (await session.execute(sa.select(sa.func.count()).select_from(outbox))).scalar_one()


async def _publish(database: Database, clock: ManualClock, version: int) -> None:
    async with database.transaction() as session:
        await Outbox(session, clock).add(
            BalanceChanged(
                version=version, account_id=1, currency=Currency.RUBLE, main_nano=0, income_nano=0, blocked=False
            )
        )


class TestKafkaAway:
    async def test_serves_degraded_without_brokers_and_catches_up(
        self, start: Start, kafka_server: KafkaServer, own: Database, clock: ManualClock
    ) -> None:
        await kafka_server.kill()
        try:
            service = start()
            await service.becomes(200, "degraded", "events", "identities")
            assert await service.serves()
            await _publish(own, clock, 1)
            await kafka_server.start()
            await kafka_server.ready()
            await service.becomes(200, "ok")
            await eventually(lambda: _waiting(own), until=lambda count: count == 0, seconds=PATIENCE)
            await kafka_server.kill()
            await service.becomes(200, "degraded", "events")
            assert await service.serves()
            await _publish(own, clock, 2)
            assert await _waiting(own) == 1
        finally:
            await kafka_server.start()
            await kafka_server.ready()
        await service.becomes(200, "ok")
        await eventually(lambda: _waiting(own), until=lambda count: count == 0, seconds=PATIENCE)
        for worker in ("kafka-watch", "mlpbilling.usage", "mlpbilling.identities"):
            assert 1 <= service.warnings().count(f"outage_began {worker}") <= 2
        assert len(service.warnings()) < 100


class TestDatabaseAway:
    async def test_is_unavailable_until_the_database_is_back(
        self, start: Start, postgres: EmbeddedPostgres, own: Database, clock: ManualClock
    ) -> None:
        service = start()
        await service.becomes(200, "ok")
        await own.close()
        assert postgres.pid
        os.kill(postgres.pid, signal.SIGKILL)
        await service.becomes(503, "unavailable", "database")
        async with running("test", [Loop("databases", postgres.keep_running)]):  # restarts it
            await service.becomes(200, "ok")
            assert await service.serves()
            await _publish(own, clock, 1)
            await eventually(lambda: _waiting(own), until=lambda count: count == 0, seconds=PATIENCE)
        assert len(service.warnings()) < 100
