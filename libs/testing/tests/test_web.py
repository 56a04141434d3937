"""Tests that the checks for every app find violations."""

from collections.abc import Callable
from functools import partial
from typing import Annotated

import pytest
from fastapi import APIRouter, Depends, FastAPI, Request

from mlplace_runtime.web.app import create_app
from mlplace_runtime.web.policy import Access, Public, Superadmin
from mlplace_testing.web import client_for, operation_names_used_twice, routes_of, routes_without_policy, shared_app


def _app(*routers: APIRouter) -> FastAPI:
    return create_app(name="sample", title="Sample", version="1", routers=routers)


async def _handler() -> None:
    """Does nothing."""


async def _guarded(access: Annotated[Access, Depends(Superadmin())]) -> None:
    """Takes its policy as a parameter."""


@pytest.fixture
def router() -> APIRouter:
    return APIRouter(prefix="/api/sample")


class TestRoutesWithoutPolicy:
    def test_finds_a_route_of_an_included_router(self, router: APIRouter) -> None:
        router.add_api_route("/open", _handler, methods=["GET"])
        assert routes_without_policy(_app(router)) == ["['GET'] /api/sample/open"]

    def test_finds_a_route_of_a_nested_router(self, router: APIRouter) -> None:
        inner = APIRouter(prefix="/inner")
        inner.add_api_route("/open", _handler, methods=["POST"])
        router.include_router(inner)
        assert routes_without_policy(_app(router)) == ["['POST'] /api/sample/inner/open"]

    def test_accepts_a_policy_of_the_route_the_router_or_a_parameter(self) -> None:
        guarded = APIRouter(prefix="/router", dependencies=[Depends(Public())])
        guarded.add_api_route("/a", _handler)
        plain = APIRouter(prefix="/route")
        plain.add_api_route("/b", _handler, name="b", dependencies=[Depends(Public())])
        plain.add_api_route("/c", _guarded)
        assert routes_without_policy(_app(guarded, plain)) == []

    def test_an_app_without_routes_is_reported(self) -> None:
        assert routes_without_policy(FastAPI()) == ["no routes at all"]


class TestOperationNamesUsedTwice:
    def test_finds_duplicates_across_routers(self, router: APIRouter) -> None:
        router.add_api_route("/a", _handler, name="same")
        other = APIRouter(prefix="/other")
        other.add_api_route("/b", _handler, name="same")
        assert operation_names_used_twice(_app(router, other)) == ["same"]


class TestRoutesOf:
    def test_returns_paths_with_their_prefixes(self, router: APIRouter) -> None:
        router.add_api_route("/c", _guarded, methods=["PUT"])
        (route,) = [route for route in routes_of(_app(router)) if route.in_schema]
        assert (route.path, route.methods, route.operation) == ("/api/sample/c", frozenset({"PUT"}), "_guarded")
        assert [policy.describe() for policy in route.policies] == ["Superadmin"]


class TestSharedApp:
    @pytest.fixture
    def build(self) -> Callable[[], FastAPI]:
        async def name(request: Request) -> str:
            return str(request.app.state.name)

        def made() -> FastAPI:
            app = FastAPI()
            app.add_api_route("/name", name)
            return app

        return made

    async def test_has_its_own_state(self, build: Callable[[], FastAPI]) -> None:
        first, second = shared_app(build), shared_app(build)
        first.state.name, second.state.name = "first", "second"
        for app in (first, second, first):
            async with client_for(app) as client:
                assert (await client.get("/name")).json() == app.state.name
        with pytest.raises(AttributeError):
            _ = shared_app(build).state.name

    def test_shares_the_routes_of_apps_from_the_same_build(self, build: Callable[[], FastAPI]) -> None:
        assert shared_app(build).router is shared_app(build).router
        assert shared_app(partial(build)).router is not shared_app(build).router
