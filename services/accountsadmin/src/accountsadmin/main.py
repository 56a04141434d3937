"""Opens the service accountsadmin from its settings."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager
from importlib.metadata import version
from pathlib import Path

from fastapi import FastAPI
from starlette.types import ASGIApp

from accountsadmin import registry
from accountsadmin.cookies import Cookies
from accountsadmin.features.identity.sources import OwnAccounts, OwnSessions
from accountsadmin.passwords import Passwords
from accountsadmin.settings import AccountsadminSettings
from accountsadmin.unit_of_work import Resources
from mlplace_runtime.auth.invalidation import Invalidator
from mlplace_runtime.auth.sources import CachedKeys
from mlplace_runtime.bus.consumer import Consumer, Projection, still_reading
from mlplace_runtime.db.database import Database
from mlplace_runtime.remote_identities import authenticator_of, remote_keys
from mlplace_runtime.service import Runtime, Shared
from mlplace_runtime.tasks import running
from mlplace_runtime.web.app import attach, create_app
from mlplace_runtime.web.request_context import RequestContext

NAME = "accountsadmin"
MIGRATIONS = Path(__file__).parent / "migrations"
_MAX_BODY_BYTES = 1_000_000


def build_app() -> FastAPI:
    """Builds the app without resources, for the OpenAPI document and for tests of the routes."""
    return create_app(
        name=NAME,
        title="MLPlace accounts: users, accounts, sessions",
        version=version("mlplace-accountsadmin"),
        routers=registry.ROUTERS,
    )


@asynccontextmanager
async def open_service(
    settings: AccountsadminSettings, shared: Shared, *, build: Callable[[], FastAPI] = build_app
) -> AsyncGenerator[ASGIApp]:
    """Opens the app and runs its background loops. The database must be at the newest revision."""
    database = Database(settings.database_url, application_name=NAME)
    passwords = await asyncio.to_thread(
        Passwords,
        memory_kib=settings.argon2_memory_kib,
        passes=settings.argon2_passes,
        workers=settings.argon2_workers,
    )
    try:
        resources = _resources(settings, shared, database, passwords)
        keys = remote_keys(shared)
        projection = Invalidator(keys=keys).projection(shared.bus, name=f"{NAME}.identity")
        app = build()
        app.state.resources = resources
        attach(app, _runtime(shared, resources, keys, projection))
        async with running(NAME, registry.loops(resources, shared.bus, (projection,))):
            yield RequestContext(app, service=NAME, max_body_bytes=_MAX_BODY_BYTES)
    finally:
        await asyncio.to_thread(passwords.close)
        await database.close()


def consumers_of(_settings: AccountsadminSettings, _shared: Shared, _database: Database) -> Sequence[Consumer]:
    """Returns the consumers whose dead letters can be replayed."""
    return registry.consumers()


def _resources(settings: AccountsadminSettings, shared: Shared, database: Database, passwords: Passwords) -> Resources:
    return Resources(
        settings=settings,
        database=database,
        clock=shared.clock,
        hasher=shared.hasher,
        passwords=passwords,
        cookies=Cookies(shared.cookies, lifetime=settings.session_lifetime, device_lifetime=settings.device_lifetime),
        mailer=shared.mailer,
        secure=shared.cookies.secure,
    )


def _runtime(shared: Shared, resources: Resources, keys: CachedKeys, projection: Projection) -> Runtime:
    return Runtime(
        name=NAME,
        database=resources.database,
        authenticator=authenticator_of(shared, sessions=OwnSessions(resources.open_work), keys=keys),
        accounts=OwnAccounts(resources.open_work),
        clock=shared.clock,
        ready=dict,
        late=lambda: still_reading({"identity-events": projection}),
        bus=shared.bus,
    )
