"""The four services and the gate in this process, behind the edge of the all-in-one shape, on separate databases."""

from collections.abc import AsyncGenerator, Generator, Mapping
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from pathlib import Path

import asyncpg
import httpx
from sqlalchemy import Engine, event, make_url
from starlette.types import ASGIApp, Receive, Scope, Send

import accountsadmin.main
import mlpbilling.main
import mlpcore.main
import mlpgateway.main
from accountsadmin.settings import AccountsadminSettings
from mlpbilling.settings import MlpbillingSettings
from mlpcore.settings import MlpcoreSettings
from mlpgateway.settings import MlpgatewaySettings
from mlplace_kit.clock import SystemClock
from mlplace_kit.credentials import KeyedHasher
from mlplace_runtime.auth.authenticator import INTERNAL_HEADER, CookieNames
from mlplace_runtime.bus.local import LocalBus
from mlplace_runtime.db.embedded import EmbeddedPostgres
from mlplace_runtime.internal_client import InternalClient
from mlplace_runtime.service import Shared
from mlplace_testing.databases import DatabasePool, made_databases
from standalone.edge import Edge

SERVICES = {
    "accountsadmin": accountsadmin.main,
    "mlpcore": mlpcore.main,
    "mlpbilling": mlpbilling.main,
    "mlpgateway": mlpgateway.main,
}
INTERNAL_TOKEN = "canary-internal-token-5f0c"
HASH_SECRET = b"canary-hash-secret-77aa"
ENVELOPE_KEY = bytes(range(32))
_PLENTY = 1_000_000
RUNNING: ContextVar[str | None] = ContextVar("RUNNING", default=None)
"""Set by a test around a request whose statements it counts."""


@dataclass
class Platform:
    """`edge` is the public entry, `apps` are the services behind it."""

    apps: dict[str, ASGIApp]
    edge: ASGIApp
    gate_address: str
    internal: InternalClient
    databases: Mapping[str, str]
    folder: Path
    bus: LocalBus
    hasher: KeyedHasher
    statements: dict[str, int] = field(default_factory=dict)
    """Number of statements for each value of RUNNING."""

    def client(self, headers: Mapping[str, str] | None = None, *, app: ASGIApp | None = None) -> httpx.AsyncClient:
        """A client with its own cookies, of the edge or of one service behind it."""
        transport = httpx.ASGITransport(app=app or self.edge)
        return httpx.AsyncClient(transport=transport, base_url="http://platform.test", headers=headers, timeout=60)

    @asynccontextmanager
    async def database(self, service: str) -> AsyncGenerator["asyncpg.Connection[asyncpg.Record]"]:
        connection = await asyncpg.connect(self.databases[service])
        try:
            yield connection
        finally:
            await connection.close()


class _Later:
    """Looks up the app at each call."""

    def __init__(self, apps: dict[str, ASGIApp], name: str) -> None:
        self._apps = apps
        self._name = name

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        app = self._apps.get(self._name)
        if app is None:
            raise ConnectionError(f"{self._name} is not up")
        await app(scope, receive, send)


@asynccontextmanager
async def open_platform(
    postgres: EmbeddedPostgres, pool: DatabasePool, folder: Path, *, secure: bool = False
) -> AsyncGenerator[Platform]:
    async with AsyncExitStack() as stack:
        make = await stack.enter_async_context(made_databases(pool, own=True))
        databases = {name: await make(name, module.MIGRATIONS) for name, module in SERVICES.items()}
        apps: dict[str, ASGIApp] = {}
        clients = {
            name: httpx.AsyncClient(transport=httpx.ASGITransport(app=_Later(apps, name)), base_url=f"http://{name}")
            for name in SERVICES
        }
        hasher = KeyedHasher(HASH_SECRET)
        bus = await stack.enter_async_context(LocalBus(folder / "bus.sqlite3"))
        shared = Shared(
            bus=bus,
            clock=SystemClock(),
            internal=InternalClient(clients, INTERNAL_TOKEN),
            hasher=hasher,
            envelope_key=ENVELOPE_KEY,
            internal_token=INTERNAL_TOKEN,
            cookies=CookieNames(secure=secure),
            data_dir=folder,
        )
        urls = {name: database.service_url for name, database in databases.items()}
        for name, opened in _services(urls, shared).items():
            apps[name] = await stack.enter_async_context(opened)

        async def missing() -> dict[str, str]:
            return {}

        platform = Platform(
            apps=apps,
            edge=Edge(apps, version={}, missing=missing),
            gate_address=await _gate_address(clients["mlpgateway"]),
            internal=shared.internal,
            databases={name: postgres.admin_dsn(str(make_url(url).database)) for name, url in urls.items()},
            folder=folder,
            bus=bus,
            hasher=hasher,
        )
        with _counting(platform.statements):
            yield platform
        for client in clients.values():
            await client.aclose()


def _services(urls: Mapping[str, str], shared: Shared) -> dict[str, AbstractAsyncContextManager[ASGIApp]]:
    """In the order of their start. Password hashing is fast, and attempts are not counted."""
    return {
        "accountsadmin": accountsadmin.main.open_service(
            AccountsadminSettings(
                database_url=urls["accountsadmin"],
                argon2_memory_kib=64,
                argon2_passes=1,
                attempts_per_login=_PLENTY,
                attempts_per_address=_PLENTY,
                registrations_per_address=_PLENTY,
            ),
            shared,
        ),
        "mlpcore": mlpcore.main.open_service(
            MlpcoreSettings(database_url=urls["mlpcore"], team_requests_per_hour=100_000), shared
        ),
        "mlpbilling": mlpbilling.main.open_service(MlpbillingSettings(database_url=urls["mlpbilling"]), shared),
        "mlpgateway": mlpgateway.main.open_service(
            MlpgatewaySettings(
                # Tests of hostile frames reconnect for each conversation.
                instance_connects_per_minute=1_000_000,
                account_connects_per_minute=1_000_000,
                egress_allowed_networks="127.0.0.1/32",  # instances that speak HTTP
                database_url=urls["mlpgateway"],
                usage_spool_dir=shared.data_dir / "usage-spool",
                grpc_port=0,
                drain_seconds=1,
                default_predict_per_sec=_PLENTY,
            ),
            shared,
        ),
    }


async def _gate_address(gateway: httpx.AsyncClient) -> str:
    answer = await gateway.get("/internal/mlpgateway/gates", headers={INTERNAL_HEADER: INTERNAL_TOKEN})
    return str(answer.raise_for_status().json()["own"])


@contextmanager
def _counting(statements: dict[str, int]) -> Generator[None]:
    """Count statements by request id, including those of services that the request calls."""

    def note(*_arguments: object) -> None:
        request = RUNNING.get()
        if request is not None:
            statements[request] = statements.get(request, 0) + 1

    event.listen(Engine, "before_cursor_execute", note)
    try:
        yield
    finally:
        event.remove(Engine, "before_cursor_execute", note)
