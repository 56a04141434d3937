"""One platform for all attacks, a bystander who keeps calling, and the attacking tenant."""

from collections.abc import AsyncGenerator, Generator
from pathlib import Path

import httpx
import pytest

from tests.attacks.bystander import Bystander, calling
from tests.attacks.installation import Target, running
from tests.attacks.people import People, Tenant
from tests.attacks.preloads import Deceived, deceived

OWN_NETWORK = "127.0.0.3/32"
"""Network of the attacker's instance, which the operator allows."""
SMALL = {
    "MLP_MLPGATEWAY_EGRESS_ALLOWED_NETWORKS": OWN_NETWORK,
    "MLP_MLPGATEWAY_MOST_CALLS": "2000",
    "MLP_MLPGATEWAY_MOST_STREAMS": "800",
    "MLP_MLPGATEWAY_PREDICTIONS_OPEN": "120",
}
"""Limits that one attacker reaches within seconds. An account may use a quarter of the first two."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.e2e)


@pytest.fixture(scope="session")
def target(tmp_path_factory: pytest.TempPathFactory) -> Generator[Target]:
    with running(tmp_path_factory.mktemp("attacks"), **SMALL) as started:
        yield started


@pytest.fixture(scope="session")
def deceived_platform() -> Generator[Deceived]:
    """Another platform, with a manipulated clock and a hostile name server."""
    with deceived() as started:
        yield started


@pytest.fixture(scope="session")
def people(target: Target) -> People:
    return People(target.url, target.data / "demo.json")


@pytest.fixture(scope="session")
async def neighbour(people: People) -> Tenant:
    """The owner of the model that the bystander calls."""
    return await people.bystander()


@pytest.fixture(scope="session")
async def attacker(people: People) -> Tenant:
    return await people.attacker()


@pytest.fixture(scope="session")
def bystander(target: Target, neighbour: Tenant, tmp_path_factory: pytest.TempPathFactory) -> Generator[Bystander]:
    path = tmp_path_factory.mktemp("bystander") / "samples"
    with calling(
        url=target.url,
        gate=target.gate,
        model_path=neighbour.path,
        key=neighbour.key,
        token=neighbour.token,
        path=path,
    ) as started:
        yield started


@pytest.fixture
async def hostile(target: Target, attacker: Tenant) -> AsyncGenerator[httpx.AsyncClient]:
    """The attacking tenant's client, with the attackers' source address."""
    transport = httpx.AsyncHTTPTransport(local_address="127.0.0.2", limits=httpx.Limits(max_connections=2000))
    headers = {"MLP-API-KEY": attacker.key}
    async with httpx.AsyncClient(base_url=target.url, headers=headers, transport=transport, timeout=60) as client:
        yield client
