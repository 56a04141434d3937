"""Fixtures for all test suites. Load with `pytest_plugins = ["mlplace_testing.plugin"]` in the root conftest."""

import shutil
import tempfile
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator
from itertools import count
from pathlib import Path

import pytest

from mlplace_kit.clock import ManualClock, SystemClock
from mlplace_kit.credentials import KeyedHasher
from mlplace_runtime.bus.local import LocalBus
from mlplace_runtime.db.embedded import EmbeddedPostgres
from mlplace_runtime.db.migrations import upgrade
from mlplace_runtime.db.provision import ServiceDatabase
from mlplace_testing.identities import Identities
from mlplace_testing.small_disk import SmallDisk, small_disk

pytest_plugins = ["mlplace_testing.servers", "mlplace_testing.redis_server", "mlplace_testing.mongo_server"]

_numbers = count(1)
DatabaseFactory = Callable[[str, Path], Awaitable[ServiceDatabase]]


@pytest.fixture(scope="session")
def embedded_postgres() -> Generator[EmbeddedPostgres]:
    """One server for each test process. Its folder is its own: the server widens permissions of what lies above it."""
    folder = Path(tempfile.mkdtemp(prefix="mlplace-test-"))
    server = EmbeddedPostgres(folder / "postgres", durable=False)
    server.start_blocking()
    try:
        yield server
    finally:
        server.stop()
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="session")
def _templates() -> dict[str, str]:
    return {}


@pytest.fixture
async def database_factory(
    embedded_postgres: EmbeddedPostgres, _templates: dict[str, str]
) -> AsyncGenerator[DatabaseFactory]:
    """Makes fresh databases of a service, as the migrations in the given folder build them.

    Built once per test process, then cloned: a test commits for real and shares nothing with the others.
    """
    made: list[str] = []

    async def make(service: str, scripts: Path) -> ServiceDatabase:
        if service not in _templates:
            template = f"{service}_template"
            owner = await embedded_postgres.service_database(service, template)
            await upgrade(owner.owner_url, scripts)
            _templates[service] = template
        name = f"{service}_t{next(_numbers)}"
        await embedded_postgres.clone(_templates[service], name)
        made.append(name)
        return ServiceDatabase(
            owner_url=embedded_postgres.url(role=f"{service}_owner", database=name),
            service_url=embedded_postgres.url(role=service, database=name),
        )

    yield make
    for name in made:
        await embedded_postgres.drop(name)


@pytest.fixture
async def bus(tmp_path: Path) -> AsyncGenerator[LocalBus]:
    async with LocalBus(tmp_path / "bus.sqlite3") as opened:
        yield opened


@pytest.fixture
def clock() -> ManualClock:
    """Stands still at the present moment until a test moves it."""
    return ManualClock(SystemClock().now())


@pytest.fixture
def hasher() -> KeyedHasher:
    return KeyedHasher(b"a secret for tests only")


@pytest.fixture
def identities(hasher: KeyedHasher, clock: ManualClock) -> Identities:
    return Identities(hasher, clock)


@pytest.fixture
def a_small_disk(tmp_path: Path) -> Generator[SmallDisk]:
    """One of 24 MiB, for those who may mount."""
    try:
        with small_disk(tmp_path / "small", 24) as disk:
            yield disk
    except PermissionError as error:
        pytest.skip(f"no file system can be mounted here: {error}")
