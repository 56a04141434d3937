"""The code of this release and of the previous one, and databases of this release for both."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import accountsadmin.main
import mlpbilling.main
import mlpcore.main
import mlpgateway.main
from mlplace_runtime.process import SERVICES
from mlplace_testing.databases import DatabaseFactory
from mlplace_testing.ports import free_port
from mlplace_testing.processes import ForkServer
from tests.rollback.previous_release import UnknownHistoryError, extract, previous_release
from tests.rollback.release import Release, Stores

MIGRATIONS = {
    "accountsadmin": accountsadmin.main.MIGRATIONS,
    "mlpcore": mlpcore.main.MIGRATIONS,
    "mlpgateway": mlpgateway.main.MIGRATIONS,
    "mlpbilling": mlpbilling.main.MIGRATIONS,
}
# Set by `.ci/run`, which says so, where the code of the previous release cannot be had.
collect_ignore = ["test_rollback.py"] if os.environ.get("MLP_TEST_WITHOUT_HISTORY") == "1" else []
_MODULES = (*(f"{service}.main" for service in SERVICES), "mlplace_runtime.process")
Open = Callable[[], Release]


@pytest.fixture(scope="module")
def previous_code(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Folders of the previous release from which Python imports."""
    try:
        return extract(previous_release(), tmp_path_factory.mktemp("previous"))
    except UnknownHistoryError as reason:
        pytest.skip(str(reason))


@pytest.fixture(scope="module")
def fork_servers(previous_code: list[Path]) -> Iterator[tuple[ForkServer, ForkServer]]:
    """Of this release and of the previous one."""
    both = ForkServer(*_MODULES), ForkServer(*_MODULES, code=previous_code)
    with both[0], both[1]:
        yield both


@pytest.fixture
async def stores(database_factory: DatabaseFactory, tmp_path: Path) -> Stores:
    databases = {service: await database_factory(service, MIGRATIONS[service]) for service in SERVICES}
    return Stores(databases, tmp_path, f"127.0.0.1:{free_port()}")


@pytest.fixture
def this_release(fork_servers: tuple[ForkServer, ForkServer], stores: Stores) -> Open:
    return lambda: Release("new", fork_servers[0], stores)


@pytest.fixture
def the_previous_release(fork_servers: tuple[ForkServer, ForkServer], stores: Stores) -> Open:
    return lambda: Release("old", fork_servers[1], stores)
