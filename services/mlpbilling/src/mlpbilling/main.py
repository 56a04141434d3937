"""Opens mlpbilling: database, identities, app, background loops. Closes them in reverse order."""

from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager
from importlib.metadata import version
from pathlib import Path

from fastapi import FastAPI
from starlette.types import ASGIApp

from mlpbilling import registry
from mlpbilling.features.directory.accounts import KnownAccounts
from mlpbilling.features.sandbox.provider import SandboxProvider
from mlpbilling.features.sandbox.signing import CallbackSigner
from mlpbilling.people import RemotePeople
from mlpbilling.redirects import RemoteRedirects
from mlpbilling.settings import MlpbillingSettings
from mlpbilling.state import BillingState
from mlplace_kit.clock import Clock
from mlplace_kit.credentials import KeyedHasher
from mlplace_runtime.auth.authenticator import Authenticator
from mlplace_runtime.auth.invalidation import Invalidator
from mlplace_runtime.bus.consumer import Consumer, Projection, consumer_loops, still_reading
from mlplace_runtime.bus.outbox_relay import OutboxRelay
from mlplace_runtime.bus.port import EventBus
from mlplace_runtime.db.database import Database
from mlplace_runtime.remote_identities import authenticator_of, remote_keys, remote_sessions
from mlplace_runtime.service import AccountDirectory, Runtime, Shared
from mlplace_runtime.tasks import Loop, running
from mlplace_runtime.web.app import attach, create_app
from mlplace_runtime.web.request_context import RequestContext

NAME = "mlpbilling"
MIGRATIONS = Path(__file__).parent / "migrations"


def build_app() -> FastAPI:
    """Builds the app without resources, for OpenAPI snapshots and route tests."""
    return create_app(
        name=NAME, title="MLPlace billing", version=version("mlplace-mlpbilling"), routers=registry.ROUTERS
    )


@asynccontextmanager
async def open_service(settings: MlpbillingSettings, shared: Shared) -> AsyncGenerator[ASGIApp]:
    """Opens the app and runs its background loops. The database must have been migrated."""
    database = Database(settings.database_url, application_name=NAME)
    try:
        state = _state(settings, shared, database)
        keys, sessions = remote_keys(shared), remote_sessions(shared)
        identities = Invalidator(sessions=sessions, keys=keys).projection(shared.bus, name=f"{NAME}.identities")
        authenticator = authenticator_of(shared, sessions=sessions, keys=keys)
        app = assemble(state, authenticator, KnownAccounts(database), identities, shared.bus)
        async with running(NAME, _loops(state, shared, identities)):
            yield RequestContext(app, service=NAME, max_body_bytes=settings.max_body_bytes)
    finally:
        await database.close()


def consumers_of(settings: MlpbillingSettings, shared: Shared, database: Database) -> Sequence[Consumer]:
    """Returns the consumers whose dead letters can be replayed."""
    state = _state(settings, shared, database)
    return [make(state) for make in registry.CONSUMERS]


def assemble(
    state: BillingState,
    authenticator: Authenticator,
    accounts: AccountDirectory,
    identities: Projection | None = None,
    bus: EventBus | None = None,
    *,
    build: Callable[[], FastAPI] = build_app,
) -> FastAPI:
    """Builds the app and attaches its runtime, without loops.

    It reports `identities` as late until it has caught up.
    """

    def late() -> dict[str, str]:
        return still_reading({"identities": identities}) if identities else {}

    app = build()
    attach(app, Runtime(NAME, state.database, authenticator, accounts, state.clock, dict, late, bus))
    app.state.billing = state
    return app


def _state(settings: MlpbillingSettings, shared: Shared, database: Database) -> BillingState:
    return BillingState(
        settings=settings,
        database=database,
        clock=shared.clock,
        provider=sandbox_of(database, shared.clock, shared.hasher) if settings.takes_sandbox_cards else None,
        redirects=RemoteRedirects(shared.internal),
        people=RemotePeople(shared.internal),
    )


def sandbox_of(database: Database, clock: Clock, hasher: KeyedHasher) -> SandboxProvider:
    """Returns the sandbox provider. Its secret is derived from the installation's, so all processes have the same."""
    return SandboxProvider(database, clock, CallbackSigner(hasher.digest("payment-callbacks:sandbox")))


def _loops(state: BillingState, shared: Shared, identities: Projection) -> list[Loop]:
    relay = OutboxRelay(state.database, shared.bus, name=NAME)
    consumers = consumer_loops((make(state) for make in registry.CONSUMERS), state.database, shared.bus)
    always = [Loop("outbox-relay", relay.run), Loop("identities", identities.run)]
    return [*always, *consumers, *registry.loops(state)]
