"""Starts mlpcore: database, identities, app, loops; closes them in reverse order."""

from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from mlpcore import registry
from mlpcore.features.license.checking import LicenseCheck
from mlpcore.identity import OwnAccounts, cached_keys
from mlpcore.licensing.terms import public_key
from mlpcore.licensing.watch import LicenseWatch
from mlpcore.settings import MlpcoreSettings
from mlpcore.state import CoreState
from mlplace_runtime.auth.invalidation import Invalidator
from mlplace_runtime.bootstrap import Callers, Service
from mlplace_runtime.bus.consumer import Consumer
from mlplace_runtime.db.database import Database
from mlplace_runtime.remote_identities import authenticator_of, remote_sessions
from mlplace_runtime.secrets import Vault
from mlplace_runtime.service import Shared


@asynccontextmanager
async def _open_state(settings: MlpcoreSettings, shared: Shared, database: Database) -> AsyncGenerator[CoreState]:
    state = _state(settings, shared, database)
    await LicenseCheck(state).turn()
    yield state


def _state(settings: MlpcoreSettings, shared: Shared, database: Database) -> CoreState:
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


def _callers(state: CoreState, shared: Shared) -> Callers:
    keys, sessions = cached_keys(state), remote_sessions(shared)
    return Callers(
        authenticator_of(shared, sessions=sessions, keys=keys),
        OwnAccounts(state.database),
        Invalidator(sessions=sessions, keys=keys),
    )


def consumers_of(settings: MlpcoreSettings, shared: Shared, database: Database) -> Sequence[Consumer]:
    """Returns the consumers whose dead letters can be replayed."""
    return registry.consumers(_state(settings, shared, database))


SERVICE = Service(
    name="mlpcore",
    title="MLPlace core",
    routers=registry.ROUTERS,
    migrations=Path(__file__).parent / "migrations",
    open_state=_open_state,
    callers=_callers,
    consumers=registry.consumers,
    loops=registry.loops,
)
NAME, MIGRATIONS = SERVICE.name, SERVICE.migrations
build_app, open_service = SERVICE.build_app, SERVICE.open
