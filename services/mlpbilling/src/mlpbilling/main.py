"""Opens mlpbilling: database, identities, app, background loops; closes them in reverse."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from importlib.metadata import version
from pathlib import Path

from fastapi import FastAPI
from starlette.types import ASGIApp

from mlpbilling import registry
from mlpbilling.features.directory.accounts import KnownAccounts
from mlpbilling.identity import cached_keys, cached_sessions
from mlpbilling.settings import MlpbillingSettings
from mlpbilling.state import BillingState
from mlplace_runtime.auth.authenticator import Authenticator
from mlplace_runtime.auth.invalidation import Invalidator
from mlplace_runtime.bus.consumer import ConsumerRunner, Projection
from mlplace_runtime.db.database import Database
from mlplace_runtime.db.outbox import OutboxRelay
from mlplace_runtime.service import AccountDirectory, Runtime, Shared
from mlplace_runtime.tasks import Loop, running
from mlplace_runtime.web.app import attach, create_app
from mlplace_runtime.web.request_context import RequestContext

NAME = "mlpbilling"
MIGRATIONS = Path(__file__).parent / "migrations"


def build_app() -> FastAPI:
    """The app without resources: for OpenAPI snapshots and route tests."""
    return create_app(
        name=NAME, title="MLPlace billing", version=version("mlplace-mlpbilling"), routers=registry.ROUTERS
    )


@asynccontextmanager
async def open_service(settings: MlpbillingSettings, shared: Shared) -> AsyncGenerator[ASGIApp]:
    """The running service. Its database must have been migrated."""
    database = Database(settings.database_url, application_name=NAME)
    try:
        state = BillingState(settings=settings, database=database, clock=shared.clock)
        keys, sessions = cached_keys(shared), cached_sessions(shared)
        identities = Invalidator(sessions=sessions, keys=keys).projection(shared.bus, name=f"{NAME}.identities")
        authenticator = Authenticator(
            sessions=sessions, keys=keys, cookies=shared.cookies, internal_token=shared.internal_token
        )
        app = assemble(state, authenticator, KnownAccounts(database), identities)
        async with running(NAME, _loops(state, shared, identities)):
            yield RequestContext(app, service=NAME, max_body_bytes=settings.max_body_bytes)
    finally:
        await database.close()


def assemble(
    state: BillingState,
    authenticator: Authenticator,
    accounts: AccountDirectory,
    identities: Projection | None = None,
) -> FastAPI:
    """The app with its runtime, but without its loops. Not ready before `identities` has read its topics."""

    def missing() -> dict[str, str]:
        waiting = identities is not None and not identities.ready.is_set()
        return {"identities": "still reading events"} if waiting else {}

    app = build_app()
    attach(app, Runtime(NAME, state.database, authenticator, accounts, state.clock, missing))
    app.state.billing = state
    return app


def _loops(state: BillingState, shared: Shared, identities: Projection) -> list[Loop]:
    relay = OutboxRelay(state.database, shared.bus, name=NAME)
    loops = [Loop("outbox-relay", relay.run), Loop("identities", identities.run)]
    for make in registry.CONSUMERS:
        consumer = make(state)
        loops.append(Loop(consumer.name, ConsumerRunner(consumer, state.database, shared.bus).run))
    return loops + registry.loops(state)
