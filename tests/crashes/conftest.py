"""Crash tests of money and events. `MLP_PROOFS=full` runs them at full size: `make proofs`.

`MLP_PROOFS_SEED` repeats a run: it determines the load and the kills, except for timing.
"""

import os
import random
from collections.abc import AsyncGenerator, Callable, Generator
from pathlib import Path

import pytest

from mlpbilling.main import MIGRATIONS as BILLING_MIGRATIONS
from mlpgateway.main import MIGRATIONS as GATEWAY_MIGRATIONS
from mlplace_runtime.bus.kafka.bus import KafkaBus, KafkaSettings
from mlplace_runtime.bus.local import LocalBus
from mlplace_runtime.bus.port import EventBus
from mlplace_runtime.db.embedded import EmbeddedPostgres
from mlplace_testing.plugin import DatabaseFactory
from mlplace_testing.processes import ForkServer
from tests.crashes.installation import Databases, Installation, Size

_MODULES = ("mlpbilling.main", "mlpgateway.main", "mlplace_runtime.process", "mlplace_runtime.bus.kafka.bus")
_MOST_SECONDS = 1800
_SIZE = Size(full=os.environ.get("MLP_PROOFS") == "full")

ReportFigure = Callable[[str], None]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.timeout(_MOST_SECONDS))


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run with both buses. Tests about money at the gates use Kafka only at full size.

    A test can choose for itself.
    """
    chosen = [mark for mark in metafunc.definition.iter_markers("parametrize") if mark.args[0] == "bus_settings"]
    if "bus_settings" in metafunc.fixturenames and not chosen:
        kafka = pytest.param("kafka", marks=pytest.mark.docker)
        money = metafunc.definition.path.stem in {"test_gate", "test_overspend", "test_predictions"}
        buses = ["local"] if money and not _SIZE.full else ["local", kafka]
        metafunc.parametrize("bus_settings", buses, indirect=True)


@pytest.fixture(scope="session")
def size() -> Size:
    return _SIZE


@pytest.fixture
def chance(report_figure: ReportFigure) -> random.Random:
    seed = int(os.environ.get("MLP_PROOFS_SEED") or random.SystemRandom().randrange(10**6))
    report_figure(f"seed {seed}")
    return random.Random(seed)


@pytest.fixture
def report_figure(request: pytest.FixtureRequest, capsys: pytest.CaptureFixture[str]) -> ReportFigure:
    """Print a figure in spite of pytest's capturing."""

    def say(text: str) -> None:
        with capsys.disabled():
            print(f"\n{request.node.name}: {text}", flush=True)  # noqa: T201  figures are a result of these tests

    return say


@pytest.fixture(scope="session")
def fork_server() -> Generator[ForkServer]:
    with ForkServer(*_MODULES) as opened:
        yield opened


@pytest.fixture
def bus_settings(request: pytest.FixtureRequest, tmp_path: Path) -> Path | KafkaSettings:
    """The file of a local bus, or a Kafka with a topic prefix for this test."""
    return tmp_path / "bus.sqlite3" if request.param == "local" else request.getfixturevalue("kafka_settings")


@pytest.fixture
async def open_bus(bus_settings: Path | KafkaSettings) -> AsyncGenerator[EventBus]:
    """The bus of the services, in the test's process."""
    chosen = LocalBus(bus_settings) if isinstance(bus_settings, Path) else KafkaBus(bus_settings)
    async with chosen as bus:
        yield bus


@pytest.fixture
async def installation(
    fork_server: ForkServer,
    embedded_postgres: EmbeddedPostgres,
    database_factory: DatabaseFactory,
    bus_settings: Path | KafkaSettings,
    open_bus: EventBus,
    tmp_path: Path,
) -> AsyncGenerator[Installation]:
    databases = Databases(
        server=embedded_postgres,
        billing=await database_factory("mlpbilling", BILLING_MIGRATIONS),
        gateway=await database_factory("mlpgateway", GATEWAY_MIGRATIONS),
    )
    async with Installation(fork_server, databases, bus_settings, open_bus, tmp_path) as made:
        yield made
