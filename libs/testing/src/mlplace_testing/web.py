"""HTTP clients for in-process apps, and checks that every app must pass."""

from collections.abc import Callable
from copy import copy
from dataclasses import dataclass
from functools import cache

import httpx
from fastapi import FastAPI
from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute, RouteContext, iter_route_contexts
from starlette.datastructures import State
from starlette.types import ASGIApp

from mlplace_runtime.internal_client import InternalClient
from mlplace_runtime.web.json_requests import StrictRoute
from mlplace_runtime.web.policy import Policy
from mlplace_runtime.web.request_context import RequestContext
from mlplace_testing.identities import INTERNAL_TOKEN


def shared_app(build: Callable[[], FastAPI]) -> FastAPI:
    """Returns an app with its own state that shares the routes of all apps from the same `build`.

    FastAPI prepares each route at its first request, anew for each app. For tests that create an app each, this was
    most of the work. A route that is added to one of these apps is added to all.
    """
    app = copy(_prepared(build))
    app.state = State()
    app.middleware_stack = None  # created anew at the first request
    app.exception_handlers = dict(app.exception_handlers)
    app.user_middleware = list(app.user_middleware)
    return app


@cache
def _prepared(build: Callable[[], FastAPI]) -> FastAPI:
    return build()


def client_for(app: ASGIApp, *, service: str = "test", max_body_bytes: int = 1_000_000) -> httpx.AsyncClient:
    """Returns a client that sees the app like a caller, behind its request context."""
    wrapped = RequestContext(app, service=service, max_body_bytes=max_body_bytes)
    return httpx.AsyncClient(transport=httpx.ASGITransport(app=wrapped), base_url="http://testserver")


def internal_client_to(**apps: ASGIApp) -> InternalClient:
    """Returns an internal client that calls the given apps by service name."""
    return InternalClient({name: client_for(app, service=name) for name, app in apps.items()}, INTERNAL_TOKEN)


@dataclass(frozen=True, slots=True)
class DeclaredRoute:
    """A route as it is served, including prefixes and dependencies of its routers."""

    path: str
    methods: frozenset[str]
    operation: str
    in_schema: bool
    policies: tuple[Policy, ...]


def routes_of(app: FastAPI) -> list[DeclaredRoute]:
    """Returns the API routes of the app, including those of included routers, which are not in `app.routes`."""
    return [
        _declared(context)
        for context in iter_route_contexts(app.routes)
        if isinstance(context.original_route, APIRoute)
    ]


def _declared(context: RouteContext) -> DeclaredRoute:
    return DeclaredRoute(
        path=context.path or "",
        methods=frozenset(context.methods or ()),
        operation=context.operation_id or context.unique_id,
        in_schema=context.include_in_schema,
        policies=tuple(call for call in _calls(context.dependant) if isinstance(call, Policy)),
    )


def _calls(dependant: Dependant) -> list[object]:
    found: list[object] = [dependant.call]
    for child in dependant.dependencies:
        found.extend(_calls(child))
    return found


def routes_without_policy(app: FastAPI) -> list[str]:
    """Returns the routes without a policy. An app without any route is reported, too, since nothing was checked."""
    routes = routes_of(app)
    return [f"{sorted(route.methods)} {route.path}" for route in routes if not route.policies] or (
        [] if routes else ["no routes at all"]
    )


def routes_that_read_json_otherwise(app: FastAPI) -> list[str]:
    """Returns the routes with a body that the shared reader does not read."""
    return [
        context.path or ""
        for context in iter_route_contexts(app.routes)
        if isinstance(route := context.original_route, APIRoute)
        if route.body_field is not None and not isinstance(route, StrictRoute)
    ]


def operation_names_used_twice(app: FastAPI) -> list[str]:
    """Returns duplicate operation ids; clients are generated from these ids."""
    names = [route.operation for route in routes_of(app) if route.in_schema]
    return sorted({name for name in names if names.count(name) > 1})
