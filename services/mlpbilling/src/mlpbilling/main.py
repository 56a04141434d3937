"""Opens mlpbilling: database, identities, app, background loops. Closes them in reverse order."""

from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager, nullcontext
from pathlib import Path

from mlpbilling import registry
from mlpbilling.features.directory.accounts import KnownAccounts
from mlpbilling.features.sandbox.provider import SandboxProvider
from mlpbilling.features.sandbox.signing import CallbackSigner
from mlpbilling.redirects import RemoteRedirects
from mlpbilling.settings import MlpbillingSettings
from mlpbilling.state import BillingState
from mlplace_kit.clock import Clock
from mlplace_kit.credentials import KeyedHasher
from mlplace_runtime.auth.invalidation import Invalidator
from mlplace_runtime.bootstrap import Callers, Service
from mlplace_runtime.bus.consumer import Consumer
from mlplace_runtime.db.database import Database
from mlplace_runtime.people import RemotePeople
from mlplace_runtime.remote_identities import authenticator_of, remote_keys, remote_sessions
from mlplace_runtime.service import Shared


def _open_state(
    settings: MlpbillingSettings, shared: Shared, database: Database
) -> AbstractAsyncContextManager[BillingState]:
    return nullcontext(_state(settings, shared, database))


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


def _callers(state: BillingState, shared: Shared) -> Callers:
    keys, sessions = remote_keys(shared), remote_sessions(shared)
    return Callers(
        authenticator_of(shared, sessions=sessions, keys=keys),
        KnownAccounts(state.database),
        Invalidator(sessions=sessions, keys=keys),
    )


def consumers_of(settings: MlpbillingSettings, shared: Shared, database: Database) -> Sequence[Consumer]:
    """Returns the consumers whose dead letters can be replayed."""
    return registry.consumers(_state(settings, shared, database))


SERVICE = Service(
    name="mlpbilling",
    title="MLPlace billing",
    routers=registry.ROUTERS,
    migrations=Path(__file__).parent / "migrations",
    open_state=_open_state,
    callers=_callers,
    consumers=registry.consumers,
    loops=registry.loops,
)
NAME, MIGRATIONS = SERVICE.name, SERVICE.migrations
build_app, open_service = SERVICE.build_app, SERVICE.open
