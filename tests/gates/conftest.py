"""Two gates as processes, an SDK instance as a process, and the edge in front of them."""

import os
import signal
import subprocess
import sys
from collections.abc import AsyncGenerator, Callable, Generator, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Protocol

import pytest

from mlpbilling.main import MIGRATIONS as BILLING_MIGRATIONS
from mlpgateway.main import MIGRATIONS
from mlplace_contracts.events import InstanceChanged
from mlplace_kit.credentials import KeyedHasher, new_credential
from mlplace_runtime.bus.local import LocalBus
from mlplace_runtime.db.embedded import EmbeddedPostgres
from mlplace_testing.databases import DatabasePool, made_databases
from mlplace_testing.processes import ForkServer
from mlplace_testing.servers.nginx import Absent, Launcher, Nginx, find_launcher
from tests.crashes.installation import MODEL, OWNER, SECRET, Databases, Gate, Installation
from tests.gates.edge import edge_of

_MODULES = ("mlpgateway.main", "mlplace_runtime.process")
_numbers = count(1)


@pytest.fixture(scope="session")
def fork_server() -> Generator[ForkServer]:
    with ForkServer(*_MODULES) as opened:
        yield opened


@pytest.fixture(scope="session")
def launcher() -> Launcher:
    try:
        return find_launcher()
    except Absent as reason:
        pytest.skip(str(reason))


class Instances:
    """SDK processes that serve the model at the given gates, and at others only if gates announce them."""

    def __init__(self, installation: Installation, folder: Path) -> None:
        self._installation = installation
        self._folder = folder
        self._running: list[subprocess.Popen[bytes]] = []
        self._tokens: dict[int, str] = {}
        self.asked_file = folder / "asked"

    @property
    def asked(self) -> list[int]:
        """The numbers of all calls that reached any instance, in order."""
        return [int(line) for line in self.asked_file.read_text().splitlines()]

    async def allow(self, instance_id: int, *, version: int = 1, accepts: bool = True) -> None:
        token = self._tokens.setdefault(instance_id, new_credential(account_id=OWNER, object_id=MODEL).text)
        hashed = KeyedHasher(bytes.fromhex(SECRET)).digest(token)
        await self._installation.publish(
            InstanceChanged(
                version=version, instance_id=instance_id, model_id=MODEL, account_id=OWNER, token_hash=hashed,
                accepts_connections=accepts,
            )
        )  # fmt: skip

    async def run(self, instance_id: int, *gates: Gate) -> None:
        await self.allow(instance_id)
        number = next(_numbers)
        environment = {
            "ASKED": str(self.asked_file),
            "MLP_GRPC_HOSTS": ",".join(gate.grpc for gate in gates),
            "MLP_GRPC_SECURE": "false",
            "MLP_SERVICE_TOKEN": self._tokens[instance_id],
            "MLP_STARTUP_PROBE_FILE": str(self._folder / f"startup-{number}"),
            "MLP_LIVENESS_PROBE_FILE": str(self._folder / f"liveness-{number}"),
        }
        command = [sys.executable, str(Path(__file__).parent / "instance.py")]
        with (self._folder / f"instance-{number}.log").open("wb") as log:
            self._running.append(
                subprocess.Popen(  # noqa: ASYNC220  does not wait for the process
                    command, env={**os.environ, **environment}, stdout=log, stderr=log
                )
            )

    def end(self) -> None:
        for process in self._running:
            process.send_signal(signal.SIGKILL)
            process.wait()


@dataclass(frozen=True, slots=True)
class Platform:
    """Gates and instances on a separate database and bus. Without mlpbilling, unless it `charges`: the model is free."""

    installation: Installation
    instances: Instances


class OpensPlatform(Protocol):
    """`charges`: there is a database for mlpbilling, which the test starts."""

    def __call__(self, *, charges: bool = False) -> AbstractAsyncContextManager[Platform]: ...


@pytest.fixture(scope="module")
def open_platform(
    fork_server: ForkServer,
    embedded_postgres: EmbeddedPostgres,
    database_pool: DatabasePool,
    tmp_path_factory: pytest.TempPathFactory,
) -> OpensPlatform:
    @asynccontextmanager
    async def opened(*, charges: bool = False) -> AsyncGenerator[Platform]:
        folder = tmp_path_factory.mktemp("gates")
        path = folder / "bus.sqlite3"
        async with made_databases(database_pool) as make, LocalBus(path) as bus:
            gateway = await make("mlpgateway", MIGRATIONS)
            billing = await make("mlpbilling", BILLING_MIGRATIONS) if charges else gateway
            databases = Databases(server=embedded_postgres, billing=billing, gateway=gateway)
            async with Installation(fork_server, databases, path, bus, folder) as installation:
                instances = Instances(installation, folder)
                yield Platform(installation, instances)
                instances.end()

    return opened


@pytest.fixture(scope="module")
async def platform(open_platform: OpensPlatform) -> AsyncGenerator[Platform]:
    """Shared by all tests of a module: starting gates and instances takes longer than most tests."""
    async with open_platform() as opened:
        yield opened


@pytest.fixture(scope="module")
def installation(platform: Platform) -> Installation:
    return platform.installation


@pytest.fixture(scope="module")
def instances(platform: Platform) -> Instances:
    return platform.instances


@pytest.fixture
def in_front_of(launcher: Launcher) -> Iterator[Callable[..., Nginx]]:
    """Starts the edge."""
    started: list[Nginx] = []

    def start(*gates: Gate) -> Nginx:
        edge = edge_of(launcher, gates)
        started.append(edge)
        edge.start()
        return edge

    yield start
    for edge in started:
        edge.stop()
