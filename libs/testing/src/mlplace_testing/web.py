"""HTTP clients for apps in this process, and checks that every app must pass."""

import httpx
from fastapi import FastAPI
from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute
from starlette.types import ASGIApp

from mlplace_runtime.internal_client import InternalClient
from mlplace_runtime.web.policy import Policy
from mlplace_runtime.web.request_context import RequestContext
from mlplace_testing.identities import INTERNAL_TOKEN


def client_for(app: ASGIApp, *, service: str = "test", max_body_bytes: int = 1_000_000) -> httpx.AsyncClient:
    """As a caller would see the app behind its request context."""
    wrapped = RequestContext(app, service=service, max_body_bytes=max_body_bytes)
    return httpx.AsyncClient(transport=httpx.ASGITransport(app=wrapped), base_url="http://testserver")


def internal_client_to(**apps: ASGIApp) -> InternalClient:
    """Internal calls that reach the given apps by service name."""
    return InternalClient({name: client_for(app, service=name) for name, app in apps.items()}, INTERNAL_TOKEN)


def routes_of(app: FastAPI) -> list[APIRoute]:
    return [route for route in app.routes if isinstance(route, APIRoute)]


def policies_of(route: APIRoute) -> list[Policy]:
    """The policies that a route declares, through its own and its routers' dependencies."""
    return [call for call in _calls(route.dependant) if isinstance(call, Policy)]


def _calls(dependant: Dependant) -> list[object]:
    found: list[object] = [dependant.call]
    for child in dependant.dependencies:
        found.extend(_calls(child))
    return found


def routes_without_policy(app: FastAPI) -> list[str]:
    """Empty for an acceptable app."""
    return [f"{sorted(route.methods or ())} {route.path}" for route in routes_of(app) if not policies_of(route)]


def operation_names_used_twice(app: FastAPI) -> list[str]:
    """Empty for an acceptable app: clients are generated from operation ids."""
    names = [route.operation_id or route.name for route in routes_of(app) if route.include_in_schema]
    return sorted({name for name in names if names.count(name) > 1})
