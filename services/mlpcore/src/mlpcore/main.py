"""Starts mlpcore: database, identities, app, loops; closes them in reverse order."""

import sys
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from mlpcore import registry
from mlpcore.features.buckets.router import UPLOAD_PATH as OBJECT_UPLOAD
from mlpcore.features.buckets.s3.router import PATH as S3_PATH
from mlpcore.features.datasets.content_router import UPLOAD_PATH
from mlpcore.features.license.checking import LicenseCheck
from mlpcore.features.metrics.loops import Measures
from mlpcore.identity import OwnAccounts, cached_keys
from mlpcore.licensing.terms import public_key
from mlpcore.licensing.watch import LicenseWatch
from mlpcore.settings import MlpcoreSettings
from mlpcore.state import CoreState
from mlplace_runtime.auth.invalidation import Invalidator
from mlplace_runtime.bootstrap import Callers, Service
from mlplace_runtime.bus.consumer import Consumer
from mlplace_runtime.db.database import Database
from mlplace_runtime.people import RemotePeople
from mlplace_runtime.remote_identities import authenticator_of, remote_sessions
from mlplace_runtime.secrets import Vault
from mlplace_runtime.service import Shared


@asynccontextmanager
async def _open_state(settings: MlpcoreSettings, shared: Shared, database: Database) -> AsyncGenerator[CoreState]:
    state = _state(settings, shared, database)
    await LicenseCheck(state).turn()
    await Measures(state).keep_partitions()
    try:
        yield state
    finally:
        state.calculations.close()


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
        people=RemotePeople(shared.internal),
        objects=shared.objects,
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


def body_bound(settings: MlpcoreSettings, path: str) -> int:
    """Returns the bytes that a request to this path may have."""
    if path.startswith(S3_PATH):
        return sys.maxsize  # the protocol has an error of its own for objects that are too large
    if OBJECT_UPLOAD.fullmatch(path):
        return settings.object_bytes
    return settings.dataset_body_bytes if UPLOAD_PATH.fullmatch(path) else settings.max_body_bytes


SERVICE = Service(
    name="mlpcore",
    title="MLPlace core",
    routers=registry.ROUTERS,
    migrations=Path(__file__).parent / "migrations",
    open_state=_open_state,
    callers=_callers,
    consumers=registry.consumers,
    loops=registry.loops,
    body_bound=body_bound,
)
NAME, MIGRATIONS = SERVICE.name, SERVICE.migrations
build_app, open_service = SERVICE.build_app, SERVICE.open
