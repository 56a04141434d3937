"""One installation for all rows of the table: each of them has accounts, a model and keys of its own."""

from collections.abc import AsyncGenerator, Generator
from pathlib import Path

import asyncpg
import httpx
import pytest
from sqlalchemy.engine import make_url

from mlpbilling.main import MIGRATIONS as BILLING_MIGRATIONS
from mlpgateway.main import MIGRATIONS as GATEWAY_MIGRATIONS
from mlplace_kit.clock import SystemClock
from mlplace_kit.credentials import KeyedHasher
from mlplace_runtime.bus.local import LocalBus
from mlplace_runtime.db.embedded import EmbeddedPostgres
from mlplace_runtime.db.migrations import upgrade
from mlplace_runtime.process.http_server import HttpServer, listen
from mlplace_testing.containers import free_port
from mlplace_testing.identities import Identities
from mlplace_testing.processes import Nursery, ServiceProcess
from tests.settlement.case import Case, answers
from tests.settlement.installation import SECRET, Installation, environment, identity_app
from tests.settlement.table import COMMISSION_BASIS_POINTS, PRICE

_MODULES = ("mlpbilling.main", "mlpgateway.main", "mlplace_runtime.process")


@pytest.fixture(scope="module")
def nursery() -> Generator[Nursery]:
    with Nursery(*_MODULES) as opened:
        yield opened


async def _database(server: EmbeddedPostgres, service: str, migrations: Path) -> str:
    """The address for the service's role."""
    made = await server.service_database(service, f"{service}_settlement")
    await upgrade(made.owner_url, migrations)
    return made.service_url


@pytest.fixture(scope="module")
async def installation(
    nursery: Nursery, embedded_postgres: EmbeddedPostgres, tmp_path_factory: pytest.TempPathFactory
) -> AsyncGenerator[Installation]:
    folder = tmp_path_factory.mktemp("settlement")
    people = Identities(KeyedHasher(bytes.fromhex(SECRET)), SystemClock())
    listener = listen("127.0.0.1", 0)
    identities = HttpServer(identity_app(people), listener)
    await identities.start()
    grpc_port, bus = free_port(), folder / "bus.sqlite3"
    billing_url = await _database(embedded_postgres, "mlpbilling", BILLING_MIGRATIONS)
    gateway_url = await _database(embedded_postgres, "mlpgateway", GATEWAY_MIGRATIONS)
    common = {"bus": bus, "identities_url": f"http://127.0.0.1:{listener.getsockname()[1]}"}
    billing = ServiceProcess(
        nursery,
        "mlpbilling",
        {
            **environment(**common, billing_url="http://127.0.0.1:9"),
            "MLP_MLPBILLING_DATABASE_URL": billing_url,
            "MLP_MLPBILLING_COMMISSION_BASIS_POINTS": str(COMMISSION_BASIS_POINTS),
        },
        folder / "mlpbilling.log",
    )
    gateway = ServiceProcess(
        nursery,
        "mlpgateway",
        {
            **environment(**common, billing_url=billing.url),
            "MLP_MLPGATEWAY_DATABASE_URL": gateway_url,
            "MLP_MLPGATEWAY_GRPC_PORT": str(grpc_port),
            "MLP_MLPGATEWAY_FIRST_COST_NANO": str(PRICE),
            "MLP_MLPGATEWAY_DRAIN_SECONDS": "1",
        },
        folder / "mlpgateway.log",
    )
    books = [
        await asyncpg.connect(embedded_postgres.admin_dsn(make_url(url).database or ""))
        for url in (gateway_url, billing_url)
    ]
    async with LocalBus(bus) as opened, httpx.AsyncClient(timeout=60) as client:
        await billing.start()
        await gateway.start()
        made = Installation(
            gateway=gateway,
            billing=billing,
            grpc_address=f"127.0.0.1:{grpc_port}",
            bus=opened,
            bus_path=bus,
            people=people,
            gateway_books=books[0],
            billing_books=books[1],
            client=client,
        )
        made.marker = Case(made)
        await made.marker.open(money=0, billing={"enabled": False})
        await made.marker.serve(answers)
        yield made
        await made.marker.close()
        gateway.kill()
        billing.kill()
    for connection in books:
        await connection.close()
    await identities.stop()
    for service in ("mlpgateway", "mlpbilling"):
        await embedded_postgres.drop(f"{service}_settlement")


@pytest.fixture
async def case(installation: Installation) -> AsyncGenerator[Case]:
    opened = Case(installation)
    yield opened
    await opened.close()
