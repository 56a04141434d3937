"""Starts mlpcore: database, identities, app, loops; closes them in reverse order."""

from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager
from importlib.metadata import version
from pathlib import Path

from fastapi import FastAPI
from starlette.types import ASGIApp

from mlpcore import registry
from mlpcore.features.license.checking import LicenseCheck
from mlpcore.identity import OwnAccounts, cached_keys
from mlpcore.licensing.terms import public_key
from mlpcore.licensing.watch import LicenseWatch
from mlpcore.settings import MlpcoreSettings
from mlpcore.state import CoreState
from mlplace_runtime.auth.authenticator import Authenticator
from mlplace_runtime.auth.invalidation import Invalidator
from mlplace_runtime.bus.consumer import Consumer, Projection, consumer_loops, still_reading
from mlplace_runtime.bus.outbox_relay import OutboxRelay
from mlplace_runtime.bus.port import EventBus
from mlplace_runtime.db.database import Database
from mlplace_runtime.remote_identities import authenticator_of, remote_sessions
from mlplace_runtime.secrets import Vault
from mlplace_runtime.service import Runtime, Shared
from mlplace_runtime.tasks import Loop, running
from mlplace_runtime.web.app import attach, create_app
from mlplace_runtime.web.request_context import RequestContext

NAME = "mlpcore"
MIGRATIONS = Path(__file__).parent / "migrations"


def build_app() -> FastAPI:
    """Returns the app without resources, for OpenAPI snapshots and route tests."""
    return create_app(name=NAME, title="MLPlace core", version=version("mlplace-mlpcore"), routers=registry.ROUTERS)


@asynccontextmanager
async def open_service(settings: MlpcoreSettings, shared: Shared) -> AsyncGenerator[ASGIApp]:
    """Runs the service while the context is open. The database must have been migrated."""
    database = Database(settings.database_url, application_name=NAME)
    try:
        state = state_from(settings, shared, database)
        keys, sessions = cached_keys(state), remote_sessions(shared)
        identities = Invalidator(sessions=sessions, keys=keys).projection(shared.bus, name=f"{NAME}.identities")
        authenticator = authenticator_of(shared, sessions=sessions, keys=keys)
        app = assemble(state, authenticator, identities, shared.bus)
        await LicenseCheck(state).turn()
        async with running(NAME, _loops(state, shared, identities)):
            yield RequestContext(app, service=NAME, max_body_bytes=settings.max_body_bytes)
    finally:
        await database.close()


def consumers_of(settings: MlpcoreSettings, shared: Shared, database: Database) -> Sequence[Consumer]:
    """Returns the consumers, to replay dead letters with."""
    state = state_from(settings, shared, database)
    return [make(state) for make in registry.CONSUMERS]


def state_from(settings: MlpcoreSettings, shared: Shared, database: Database) -> CoreState:
    return CoreState(
        settings=settings,
        database=database,
        clock=shared.clock,
        hasher=shared.hasher,
        vault=Vault(shared.envelope_key, *shared.older_envelope_keys),
        ports=registry.PORTS,
        license=LicenseWatch(
            public_key(settings.license_public_key) if settings.license_public_key else None,
            dashboard_url=settings.license_dashboard_url or None,
        ),
        mailer=shared.mailer,
    )


def assemble(
    state: CoreState,
    authenticator: Authenticator,
    identities: Projection | None = None,
    bus: EventBus | None = None,
    *,
    build: Callable[[], FastAPI] = build_app,
) -> FastAPI:
    """Returns the app of `build` with its runtime, without loops.

    The app reports itself as late until `identities` has read its topics.
    """

    def late() -> dict[str, str]:
        return still_reading({"identities": identities}) if identities else {}

    app = build()
    accounts = OwnAccounts(state.database)
    attach(app, Runtime(NAME, state.database, authenticator, accounts, state.clock, dict, late, bus))
    app.state.core = state
    return app


def _loops(state: CoreState, shared: Shared, identities: Projection) -> list[Loop]:
    relay = OutboxRelay(state.database, shared.bus, name=NAME)
    consumers = consumer_loops((make(state) for make in registry.CONSUMERS), state.database, shared.bus)
    always = [Loop("outbox-relay", relay.run), Loop("identities", identities.run)]
    return [*always, *consumers, *(make(state) for make in registry.LOOPS)]
