"""One installation for all rows of the table. Each row has its own accounts, model and keys."""

from collections.abc import AsyncGenerator, Generator
from contextlib import AsyncExitStack, asynccontextmanager
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
from mlplace_runtime.process.http.binding import listen
from mlplace_runtime.process.http.server import HttpServer
from mlplace_testing.identities import Identities
from mlplace_testing.ports import free_port
from mlplace_testing.processes import ForkServer, ServiceProcess
from tests.settlement.case import Case
from tests.settlement.installation import (
    BODY_BYTES,
    KEPT_BYTES,
    OPEN_PREDICTIONS,
    SECRET,
    Installation,
    environment,
    identity_app,
)
from tests.settlement.scripts import answers
from tests.settlement.table import COMMISSION_BASIS_POINTS, PRICE

_MODULES = ("mlpbilling.main", "mlpgateway.main", "mlplace_runtime.process")


@pytest.fixture(scope="module")
def fork_server() -> Generator[ForkServer]:
    with ForkServer(*_MODULES) as opened:
        yield opened


async def _database(server: EmbeddedPostgres, service: str, migrations: Path) -> str:
    """Returns the URL for the service's role."""
    made = await server.service_database(service, f"{service}_settlement")
    await upgrade(made.owner_url, migrations)
    return made.service_url


@asynccontextmanager
async def _identities() -> AsyncGenerator[tuple[Identities, str]]:
    people = Identities(KeyedHasher(bytes.fromhex(SECRET)), SystemClock())
    listener = listen("127.0.0.1", 0)
    server = HttpServer(identity_app(people), listener)
    await server.start()
    yield people, f"http://127.0.0.1:{listener.getsockname()[1]}"
    await server.stop()


@asynccontextmanager
async def _databases(server: EmbeddedPostgres) -> AsyncGenerator[tuple[str, str]]:
    """The URLs of the databases of mlpgateway and mlpbilling."""
    migrations = {"mlpgateway": GATEWAY_MIGRATIONS, "mlpbilling": BILLING_MIGRATIONS}
    gateway, billing = [await _database(server, service, folder) for service, folder in migrations.items()]
    yield gateway, billing
    for service in migrations:
        await server.drop(f"{service}_settlement")


@asynccontextmanager
async def _books(server: EmbeddedPostgres, url: str) -> "AsyncGenerator[asyncpg.Connection[asyncpg.Record]]":
    connection = await asyncpg.connect(server.admin_dsn(make_url(url).database or ""))
    yield connection
    await connection.close()


@asynccontextmanager
async def _started(process: ServiceProcess) -> AsyncGenerator[ServiceProcess]:
    await process.start()
    yield process
    process.kill()


@pytest.fixture(scope="module")
async def installation(
    fork_server: ForkServer, embedded_postgres: EmbeddedPostgres, tmp_path_factory: pytest.TempPathFactory
) -> AsyncGenerator[Installation]:
    folder = tmp_path_factory.mktemp("settlement")
    grpc_port, bus = free_port(), folder / "bus.sqlite3"
    async with AsyncExitStack() as stack:
        people, identities_url = await stack.enter_async_context(_identities())
        urls = await stack.enter_async_context(_databases(embedded_postgres))
        common = {"bus": bus, "identities_url": identities_url}
        settings = {
            **environment(**common, billing_url="http://127.0.0.1:9"),
            "MLP_MLPBILLING_DATABASE_URL": urls[1],
            "MLP_MLPBILLING_COMMISSION_BASIS_POINTS": str(COMMISSION_BASIS_POINTS),
        }
        billing = ServiceProcess(fork_server, "mlpbilling", settings, folder / "mlpbilling.log")
        settings = {
            **environment(**common, billing_url=billing.url),
            "MLP_MLPGATEWAY_DATABASE_URL": urls[0],
            "MLP_MLPGATEWAY_GRPC_PORT": str(grpc_port),
            "MLP_MLPGATEWAY_FIRST_COST_NANO": str(PRICE),
            "MLP_MLPGATEWAY_DRAIN_SECONDS": "1",
            "MLP_MLPGATEWAY_INSTANCE_NETWORKS": "127.0.0.0/8",
            "MLP_MLPGATEWAY_KEPT_ANSWER_BYTES": str(KEPT_BYTES),
            "MLP_MLPGATEWAY_MAX_BODY_BYTES": str(BODY_BYTES),
            "MLP_MLPGATEWAY_PREDICTIONS_OPEN": str(OPEN_PREDICTIONS),
            "MLP_MLPGATEWAY_VISITOR_CALLS_PER_MINUTE": "1000",
            "MLP_MLPGATEWAY_VISITOR_CALLS_PER_DAY": "1000",
            "MLP_MLPGATEWAY_USAGE_SPOOL_DIR": str(folder / "usage"),
            "MLP_MLPGATEWAY_USAGE_SPOOL_BYTES": str(1024 * 1024),
        }
        gateway = ServiceProcess(fork_server, "mlpgateway", settings, folder / "mlpgateway.log")
        billing_records = [await stack.enter_async_context(_books(embedded_postgres, url)) for url in urls]
        made = Installation(
            bus=await stack.enter_async_context(LocalBus(bus)),
            client=await stack.enter_async_context(httpx.AsyncClient(timeout=60)),
            billing=await stack.enter_async_context(_started(billing)),
            gateway=await stack.enter_async_context(_started(gateway)),
            grpc_address=f"127.0.0.1:{grpc_port}",
            bus_path=bus,
            usage_folder=folder / "usage",
            people=people,
            gateway_books=billing_records[0],
            billing_books=billing_records[1],
        )
        made.marker = Case(made)
        await made.marker.open(money=0, billing={"enabled": False})
        await made.marker.serve(answers)
        yield made
        await made.marker.close()


@pytest.fixture
async def case(installation: Installation) -> AsyncGenerator[Case]:
    opened = Case(installation)
    yield opened
    await opened.close()
