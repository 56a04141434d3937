"""A real nginx in front of fake services, all on loopback addresses."""

import asyncio
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path

import httpx
import pytest

sys.path.insert(0, str(Path(__file__).parent / "support"))

from upstream_twins import Gate, NameServer, Service

from mlplace_testing.servers.nginx import Absent, Launcher, Nginx, find_launcher

SERVICES = ("accountsadmin", "mlpcore", "mlpgateway", "mlpbilling")


@pytest.fixture(scope="session")
def launcher() -> Launcher:
    try:
        return find_launcher()
    except Absent as reason:
        pytest.skip(str(reason))


@pytest.fixture(scope="session")
async def services() -> AsyncIterator[dict[str, Service]]:
    twins = {name: Service(name) for name in SERVICES}
    for twin in twins.values():
        await twin.start()
    yield twins
    for twin in twins.values():
        await twin.stop()


@pytest.fixture(scope="session")
async def gate() -> AsyncIterator[Gate]:
    twin = Gate()
    await twin.start()
    yield twin
    await twin.stop()


@pytest.fixture(scope="session")
def environment(services: dict[str, Service], gate: Gate) -> dict[str, str]:
    addresses = {f"EDGE_{name.upper()}": f"127.0.0.1:{twin.port}" for name, twin in services.items()}
    return {**addresses, "EDGE_GATE": f"127.0.0.1:{gate.port}"}


@pytest.fixture(scope="session")
def edge(launcher: Launcher, environment: dict[str, str]) -> Iterator[Nginx]:
    nginx = Nginx(launcher, environment)
    try:
        nginx.start()
        yield nginx
    finally:
        nginx.stop()


@pytest.fixture
def another_edge(launcher: Launcher, environment: dict[str, str]) -> Iterator[Callable[..., Nginx]]:
    """Starts another edge with some settings changed."""
    started: list[Nginx] = []

    def start(**changed: str) -> Nginx:
        nginx = Nginx(launcher, {**environment, **changed})
        started.append(nginx)
        nginx.start()
        return nginx

    yield start
    for nginx in started:
        nginx.stop()


@pytest.fixture
async def names() -> AsyncIterator[NameServer]:
    server = NameServer()
    await asyncio.get_running_loop().create_datagram_endpoint(lambda: server, local_addr=("127.0.0.1", 0))
    yield server
    server.close()


@pytest.fixture
async def client(edge: Nginx) -> AsyncIterator[httpx.AsyncClient]:
    async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{edge.http_port}", trust_env=False, timeout=60) as client:
        yield client


@pytest.fixture
def seen(services: dict[str, Service]) -> Callable[[], int]:
    """The number of requests that have reached any service."""
    return lambda: sum(len(twin.seen) for twin in services.values())
