"""Fixtures for all test suites. Load with `pytest_plugins = ["mlplace_testing.plugin"]` in the root conftest."""

import gc
import shutil
from collections.abc import AsyncGenerator, Generator
from datetime import UTC, datetime
from pathlib import Path

import pytest
import structlog

from mlplace_kit.clock import ManualClock
from mlplace_kit.credentials import KeyedHasher
from mlplace_runtime.bus.local import LocalBus
from mlplace_runtime.db.embedded import EmbeddedPostgres
from mlplace_testing.databases import DatabaseFactory, DatabasePool, made_databases
from mlplace_testing.identities import Identities
from mlplace_testing.memory import memory_folder
from mlplace_testing.small_disk import SmallDisk, small_disk

pytest_plugins = ["mlplace_testing.servers.stores", "mlplace_testing.servers.redis", "mlplace_testing.servers.mongo"]

__all__ = ["DatabaseFactory"]


@pytest.fixture(scope="session", autouse=True)
def _plain_tracebacks() -> None:
    """Turns off rich tracebacks, which render each logged error with all locals and take up to seconds."""
    *before, _ = structlog.get_config()["processors"]
    plain = structlog.dev.ConsoleRenderer(colors=False, exception_formatter=structlog.dev.plain_traceback)
    structlog.configure(processors=[*before, plain])


def pytest_collection_finish() -> None:
    """Leaves the collected tests, which live to the end, out of each later search for garbage.

    A search went through millions of them after each file: an eighth of the time of all tests.
    """
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="module", autouse=True)
def _nothing_left_open() -> Generator[None]:
    """Finds what the tests of a file have left open, such as a socket, while it is known whose it is.

    It is an error of the file's last test. Without this it would be one of a later test, of whichever file, that
    happens to collect garbage.
    """
    yield
    gc.collect()


@pytest.fixture(scope="session")
def embedded_postgres() -> Generator[EmbeddedPostgres]:
    """Returns one server per test process, in its own folder, because it widens the modes of parent folders."""
    folder = memory_folder()
    server = EmbeddedPostgres(folder / "postgres", durable=False)
    server.start_blocking()
    try:
        yield server
    finally:
        server.stop()
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="session")
async def database_pool(embedded_postgres: EmbeddedPostgres) -> AsyncGenerator[DatabasePool]:
    databases = DatabasePool(embedded_postgres)
    yield databases
    await databases.close()


@pytest.fixture
async def database_factory(
    database_pool: DatabasePool, request: pytest.FixtureRequest
) -> AsyncGenerator[DatabaseFactory]:
    """Creates databases of a service, built by the migrations in the given folder, for this test alone.

    A test really commits; its rows are deleted after it. With the mark `own_database` the databases are new ones.
    """
    own = request.node.get_closest_marker("own_database") is not None
    async with made_databases(database_pool, own=own) as make:
        yield make


@pytest.fixture
async def bus(tmp_path: Path) -> AsyncGenerator[LocalBus]:
    async with LocalBus(tmp_path / "bus.sqlite3") as opened:
        yield opened


@pytest.fixture
def clock() -> ManualClock:
    """A clock that only moves when a test moves it.

    It starts at noon in the middle of a month: a test that counts hours, days or months never crosses the boundary of
    one that it did not name.
    """
    return ManualClock(datetime(2031, 3, 12, 12, 0, tzinfo=UTC))


@pytest.fixture
def hasher() -> KeyedHasher:
    return KeyedHasher(b"a secret for tests only")


@pytest.fixture
def identities(hasher: KeyedHasher, clock: ManualClock) -> Identities:
    return Identities(hasher, clock)


@pytest.fixture
def a_small_disk(tmp_path: Path) -> Generator[SmallDisk]:
    """A disk of 24 MiB, if this user may mount one."""
    try:
        with small_disk(tmp_path / "small", 24) as disk:
            yield disk
    except PermissionError as error:
        pytest.skip(f"no file system can be mounted here: {error}")
