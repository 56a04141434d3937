"""Finds the operations that only administrators or the platform itself may call, from the policies of their routes."""

from collections.abc import Iterator

from fastapi import FastAPI
from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute, iter_route_contexts

from mlplace_runtime.web.policy import Internal, Policy, Scraper, Superadmin

Operation = tuple[str, str]
"""The path and the method, in upper case."""


def audiences_of(app: FastAPI) -> dict[Operation, str]:
    """Returns `superadmin` or `internal` for each operation that nobody else may call."""
    found: dict[Operation, str] = {}
    for context in iter_route_contexts(app.routes):
        if isinstance(context.original_route, APIRoute) and context.path:
            audience = next(filter(None, map(_audience, _policies(context.dependant))), None)
            if audience:
                found |= {(context.path, method): audience for method in context.methods or ()}
    return found


def _audience(policy: Policy) -> str | None:
    match policy:
        case Superadmin():
            return "superadmin"
        case Internal() | Scraper():
            return "internal"
        case _:
            return None


def _policies(dependant: Dependant) -> Iterator[Policy]:
    if isinstance(dependant.call, Policy):
        yield dependant.call
    for child in dependant.dependencies:
        yield from _policies(child)
