"""A running accountsadmin, browsers that use it, and the events that it published."""

from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TypeVar

import httpx
import pytest
from fastapi import FastAPI
from sqlalchemy import CursorResult, text
from starlette.types import ASGIApp

from accountsadmin.main import MIGRATIONS, build_app, open_service
from accountsadmin.settings import AccountsadminSettings
from mlplace_contracts.enums import SUPERADMIN_PERMISSION, Role
from mlplace_contracts.events import Event, decode
from mlplace_contracts.internal.identity import KeyIdentity, ResolveSecret
from mlplace_contracts.topics import ACCOUNTS, MEMBERSHIPS, SESSIONS, USERS
from mlplace_kit.clock import ManualClock
from mlplace_kit.credentials import KeyedHasher
from mlplace_runtime.auth.authenticator import CookieNames
from mlplace_runtime.bus.local import LocalBus
from mlplace_runtime.db.database import Database
from mlplace_runtime.db.provision import ServiceDatabase
from mlplace_runtime.mail import Mailer
from mlplace_runtime.service import Shared
from mlplace_testing.compiled import opened_database
from mlplace_testing.identities import INTERNAL_TOKEN, Identities
from mlplace_testing.waiting import eventually
from mlplace_testing.web import internal_client_to, shared_app

PASSWORD = "correct horse battery"  # pragma: allowlist secret
API = "/api/accountsadmin"
_Event = TypeVar("_Event", bound=Event)


@dataclass
class World:
    """One installation. `app` is accountsadmin behind its request context."""

    app: ASGIApp
    bus: LocalBus
    clock: ManualClock
    database: Database
    database_urls: ServiceDatabase
    identities: Identities
    shared: Shared
    browsers: list[httpx.AsyncClient] = field(default_factory=list)

    def browser(self, address: str = "192.0.2.1", host: str = "testserver") -> httpx.AsyncClient:
        """Returns a visitor with its own cookie jar."""
        transport = httpx.ASGITransport(app=self.app, client=(address, 50_000))
        client = httpx.AsyncClient(transport=transport, base_url=f"http://{host}{API}")
        self.browsers.append(client)
        return client

    async def signed_up(self, login: str = "ann@example.org", **more: object) -> httpx.AsyncClient:
        browser = self.browser()
        answer = await browser.post("/c/authorization/register", json={"login": login, "password": PASSWORD, **more})
        assert answer.status_code == 200, answer.text
        return browser

    async def signed_in(self, login: str, password: str = PASSWORD, **where: str) -> httpx.AsyncClient:
        browser = self.browser(**where)
        answer = await browser.post("/c/authorization/login", json={"login": login, "password": password})
        assert answer.status_code == 200, answer.text
        return browser

    async def ensure(self, login: str, account: str, *roles: Role, **more: object) -> dict[str, int]:
        answer = await self.internal(
            "POST",
            "/bootstrap",
            {
                "login": login,
                "password": PASSWORD,
                "account_name": account,
                "display_name": account.title(),
                "roles": [role.value for role in roles or (Role.OWNER,)],
                **more,
            },
        )
        assert answer.status_code == 200, answer.text
        ids: dict[str, int] = answer.json()
        return ids

    async def superadmin(self) -> httpx.AsyncClient:
        await self.ensure("root@example.org", "platform", permissions=[SUPERADMIN_PERMISSION])
        return await self.signed_in("root@example.org")

    async def internal(self, method: str, path: str, body: object = None) -> httpx.Response:
        address = f"http://testserver/internal/accountsadmin{path}"
        return await self.browser().request(method, address, json=body, headers=self.identities.internal)

    async def sql(self, statement: str, **values: object) -> list[tuple[object, ...]]:
        async with self.database.transaction() as session:
            result = await session.execute(text(statement), values)
            return [tuple(row) for row in result] if isinstance(result, CursorResult) and result.returns_rows else []

    async def events(self, kind: type[_Event], *, at_least: int) -> list[_Event]:
        """Returns the events of one type on the bus, oldest first."""

        async def read() -> list[_Event]:
            subscription = await self.bus.subscribe([ACCOUNTS, USERS, SESSIONS, MEMBERSHIPS], group=None)
            found: list[_Event] = []
            while not await subscription.caught_up():
                for delivered in await subscription.poll(max_records=500, timeout_seconds=1):
                    event = decode(delivered.record.value)[1]
                    if isinstance(event, kind):
                        found.append(event)
            return found

        return await eventually(read, until=lambda found: len(found) >= at_least)

    async def audit(self) -> list[tuple[object, ...]]:
        return await self.sql("SELECT kind, user_id, account_id, login, address FROM audit_events ORDER BY id")


OpenWorld = Callable[..., Awaitable[World]]


def _keys_of(identities: Identities) -> FastAPI:
    """A test double of mlpcore's key look-up."""
    app = FastAPI()

    @app.post("/internal/mlpcore/keys/resolve")
    async def resolve(body: ResolveSecret) -> KeyIdentity | None:
        return await identities.key(body.secret)

    return app


@pytest.fixture
async def open_world(
    database_factory: Callable[[str, Path], Awaitable[ServiceDatabase]],
    bus: LocalBus,
    clock: ManualClock,
    hasher: KeyedHasher,
    identities: Identities,
    tmp_path: Path,
) -> AsyncGenerator[OpenWorld]:
    """Opens the service with the given settings; `secure` is for HTTPS cookies."""
    async with AsyncExitStack() as stack:

        async def make(*, secure: bool = False, mailer: Mailer | None = None, **settings: object) -> World:
            urls = await database_factory("accountsadmin", MIGRATIONS)
            shared = Shared(
                bus=bus,
                clock=clock,
                internal=internal_client_to(mlpcore=_keys_of(identities)),
                hasher=hasher,
                envelope_key=bytes(32),
                internal_token=INTERNAL_TOKEN,
                cookies=CookieNames(secure=secure),
                data_dir=tmp_path,
                mailer=mailer,
            )
            values = {"database_url": urls.service_url, "argon2_memory_kib": 64, "argon2_passes": 1, **settings}
            chosen, build = AccountsadminSettings.model_validate(values), partial(shared_app, build_app)
            app = await stack.enter_async_context(open_service(chosen, shared, build=build))
            database = opened_database(urls.service_url)
            stack.push_async_callback(database.close)
            world = World(app, bus, clock, database, urls, identities, shared)
            stack.push_async_callback(_close, world)
            return world

        yield make


async def _close(world: World) -> None:
    for browser in world.browsers:
        await browser.aclose()


@pytest.fixture
async def world(open_world: OpenWorld) -> World:
    return await open_world()
