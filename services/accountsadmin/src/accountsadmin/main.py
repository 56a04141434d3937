"""Opens the service accountsadmin from its settings."""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from accountsadmin import registry
from accountsadmin.cookies import Cookies
from accountsadmin.features.identity.sources import OwnAccounts, OwnSessions
from accountsadmin.passwords import Passwords
from accountsadmin.settings import AccountsadminSettings
from accountsadmin.unit_of_work import Resources
from mlplace_runtime.auth.invalidation import Invalidator
from mlplace_runtime.bootstrap import Callers, Service
from mlplace_runtime.bus.consumer import Consumer
from mlplace_runtime.db.database import Database
from mlplace_runtime.remote_identities import authenticator_of, remote_keys
from mlplace_runtime.service import Shared


@asynccontextmanager
async def open_resources(
    settings: AccountsadminSettings, shared: Shared, database: Database
) -> AsyncGenerator[Resources]:
    passwords = await asyncio.to_thread(
        Passwords,
        memory_kib=settings.argon2_memory_kib,
        passes=settings.argon2_passes,
        workers=settings.argon2_workers,
    )
    try:
        yield Resources(
            settings=settings,
            database=database,
            clock=shared.clock,
            hasher=shared.hasher,
            passwords=passwords,
            cookies=Cookies(
                shared.cookies, lifetime=settings.session_lifetime, device_lifetime=settings.device_lifetime
            ),
            mailer=shared.mailer,
            secure=shared.cookies.secure,
        )
    finally:
        await asyncio.to_thread(passwords.close)


def _callers(resources: Resources, shared: Shared) -> Callers:
    keys = remote_keys(shared)
    return Callers(
        authenticator_of(shared, sessions=OwnSessions(resources.open_work), keys=keys),
        OwnAccounts(resources.open_work),
        Invalidator(keys=keys),
    )


def consumers_of(_settings: AccountsadminSettings, _shared: Shared, _database: Database) -> Sequence[Consumer]:
    """Returns the consumers whose dead letters can be replayed."""
    return registry.CONSUMERS


SERVICE = Service(
    name="accountsadmin",
    title="MLPlace accounts: users, accounts, sessions",
    routers=registry.ROUTERS,
    migrations=Path(__file__).parent / "migrations",
    open_state=open_resources,
    callers=_callers,
    consumers=lambda _: registry.CONSUMERS,
    loops=registry.loops,
)
NAME, MIGRATIONS = SERVICE.name, SERVICE.migrations
build_app, open_service = SERVICE.build_app, SERVICE.open
