"""The start and the end of a service, from what the service declares about itself."""

from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Generic, Protocol, TypeVar

from fastapi import APIRouter, FastAPI
from starlette.types import ASGIApp

from mlplace_kit.clock import Clock
from mlplace_runtime.auth.authenticator import Authenticator
from mlplace_runtime.auth.invalidation import Invalidator
from mlplace_runtime.bus.consumer import Consumer, Projection, consumer_loops, still_reading
from mlplace_runtime.bus.outbox_relay import OutboxRelay
from mlplace_runtime.bus.port import EventBus
from mlplace_runtime.db.database import Database, open_database
from mlplace_runtime.process.versions import installed_version
from mlplace_runtime.service import AccountDirectory, Runtime, Shared
from mlplace_runtime.tasks import Loop, running
from mlplace_runtime.web.app import attach, create_app
from mlplace_runtime.web.request_context import RequestContext


class ServiceSettings(Protocol):
    @property
    def database_url(self) -> str: ...

    @property
    def max_body_bytes(self) -> int: ...


class ServiceState(Protocol):
    """What the features of a service share."""

    @property
    def database(self) -> Database: ...

    @property
    def clock(self) -> Clock: ...


@dataclass(frozen=True, slots=True)
class Callers:
    """How a service learns who calls it. `invalidator` empties the caches that `authenticator` reads."""

    authenticator: Authenticator
    accounts: AccountDirectory
    invalidator: Invalidator


_Settings = TypeVar("_Settings", bound=ServiceSettings)
_State = TypeVar("_State", bound=ServiceState)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Service(Generic[_Settings, _State]):
    """What one service consists of.

    `open_state` opens the resources of its own and closes them. `consumers` and `loops` run beside the ones that each
    service has: the outbox relay, the cleaning of the inbox, the invalidation of identities.
    """

    name: str
    title: str
    routers: Sequence[APIRouter]
    migrations: Path
    open_state: Callable[[_Settings, Shared, Database], AbstractAsyncContextManager[_State]]
    callers: Callable[[_State, Shared], Callers]
    consumers: Callable[[_State], Sequence[Consumer]]
    loops: Callable[[_State], Sequence[Loop]]
    body_bound: Callable[[_Settings, str], int] | None = None
    """Returns the bytes that a request to a path may have, if not all paths have the bound `max_body_bytes`."""

    def build_app(self) -> FastAPI:
        """Builds the app without resources, for the OpenAPI document and for tests of the routes."""
        return service_app(name=self.name, title=self.title, routers=self.routers)

    @asynccontextmanager
    async def open(
        self, settings: _Settings, shared: Shared, *, build: Callable[[], FastAPI] | None = None
    ) -> AsyncGenerator[ASGIApp]:
        """Runs the service while the context is open, and closes everything in reverse order.

        The database must have been migrated.
        """
        async with (
            open_database(settings.database_url, application_name=self.name) as database,
            self.open_state(settings, shared, database) as state,
        ):
            callers = self.callers(state, shared)
            identities = callers.invalidator.projection(shared.bus, name=f"{self.name}.identities")
            app = self.assemble(
                state, callers.authenticator, callers.accounts, identities=identities, bus=shared.bus, build=build
            )
            async with running(self.name, self._loops(state, shared.bus, identities)):
                yield self.bounded(app, settings)

    def bounded(self, app: ASGIApp, settings: _Settings) -> ASGIApp:
        """Returns the app with the outermost middleware, which bounds bodies."""
        by_path = partial(self.body_bound, settings) if self.body_bound else None
        return RequestContext(app, service=self.name, max_body_bytes=settings.max_body_bytes, bound_of_path=by_path)

    def assemble(
        self,
        state: _State,
        authenticator: Authenticator,
        accounts: AccountDirectory,
        *,
        identities: Projection | None = None,
        bus: EventBus | None = None,
        build: Callable[[], FastAPI] | None = None,
    ) -> FastAPI:
        """Builds the app and attaches its runtime and state, without loops.

        The app reports itself as late until `identities` has read its topics. `build`: instead of `build_app`.
        """

        def late() -> dict[str, str]:
            return still_reading({"identities": identities}) if identities else {}

        app = (build or self.build_app)()
        attach(app, Runtime(self.name, state.database, authenticator, accounts, state.clock, dict, late, bus), state)
        return app

    def _loops(self, state: _State, bus: EventBus, identities: Projection) -> list[Loop]:
        return [
            Loop("outbox-relay", OutboxRelay(state.database, bus, name=self.name).run),
            Loop("identities", identities.run),
            *consumer_loops(self.consumers(state), state.database, bus),
            *self.loops(state),
        ]


def service_app(*, name: str, title: str, routers: Sequence[APIRouter]) -> FastAPI:
    """Builds the app of an installed service, with the version of its distribution."""
    return create_app(name=name, title=title, version=installed_version(f"mlplace-{name}"), routers=routers)
