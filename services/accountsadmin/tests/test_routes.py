"""Tests what holds for every route."""

import re

import pytest

from accountsadmin.main import build_app
from mlplace_testing.waiting import eventually
from mlplace_testing.web import (
    operation_names_used_twice,
    routes_of,
    routes_that_read_json_otherwise,
    routes_without_policy,
)

from .conftest import PASSWORD, World

OPEN_TO_ALL = {
    "/api/accountsadmin/public/options",
    "/api/accountsadmin/c/authorization/check-authorized",
    "/api/accountsadmin/c/authorization/session",
    "/api/accountsadmin/c/authorization/login",
    "/api/accountsadmin/c/authorization/register",
    "/api/accountsadmin/c/authorization/logout",
    "/api/accountsadmin/c/authorization/forgot-password",
    "/api/accountsadmin/c/authorization/reset-password",
    "/api/accountsadmin/c/authorization/confirm-email",
    "/api/accountsadmin/docs",
}
CLOSED = sorted(
    (method, re.sub(r"\{\w+\}", "1", route.path))
    for route in routes_of(build_app())
    for method in route.methods
    if route.path.startswith("/api/") and route.path not in OPEN_TO_ALL
)


class TestEveryRoute:
    def test_every_route_declares_its_policy(self) -> None:
        assert routes_without_policy(build_app()) == []

    def test_every_route_has_a_unique_name(self) -> None:
        assert operation_names_used_twice(build_app()) == []

    def test_only_listed_routes_are_public(self) -> None:
        public = {
            route.path
            for route in routes_of(build_app())
            if {policy.describe() for policy in route.policies} == {"Public"} and route.path.startswith("/api/")
        }
        assert public == OPEN_TO_ALL

    @pytest.mark.parametrize(("method", "path"), CLOSED)
    async def test_non_public_routes_refuse_anonymous_visitors(self, world: World, method: str, path: str) -> None:
        answer = await world.browser().request(method, f"http://testserver{path}")
        assert (answer.status_code, answer.json()["code"]) == (401, "mlp.gate.unauthorized")

    def test_the_openapi_document_lists_routes_and_no_422(self) -> None:
        document = build_app().openapi()
        assert len(document["paths"]) >= 20
        assert "422" not in str(document["paths"])


class TestJson:
    def test_every_route_reads_json_alike(self) -> None:
        assert routes_that_read_json_otherwise(build_app()) == []

    @pytest.mark.parametrize("mark", ["", "\ufeff"])
    async def test_last_value_of_a_repeated_field_counts(self, world: World, mark: str) -> None:
        body = f'{mark}{{"login":"bob@example.org","password":"{PASSWORD}","log\\u0069n":"ann@example.org"}}'
        headers = {"Content-Type": "application/json"}
        made = await world.browser().post("/c/authorization/register", content=body.encode(), headers=headers)
        assert made.status_code == 200
        sign_in = {"login": "ann@example.org", "password": PASSWORD}
        assert (await world.browser().post("/c/authorization/login", json=sign_in)).status_code == 200
        other = await world.browser().post("/c/authorization/login", json=sign_in | {"login": "bob@example.org"})
        assert other.status_code == 401


class TestKeys:
    async def test_routes_for_people_refuse_keys(self, world: World) -> None:
        ids = await world.ensure("ann@example.org", "acme")
        key = world.identities.api_key(world.identities.account(ids["account_id"], "acme"))
        for path in ("/c/sessions", "/account/acme", "/account/acme/member", "/c/account-invitation/get-by-user"):
            assert (await world.browser().get(path, headers=key)).status_code == 403

    async def test_a_wrong_key_is_refused_even_on_public_routes(self, world: World) -> None:
        headers = {"MLP-API-KEY": "1000000001.1." + "x" * 40}
        assert (await world.browser().get("/public/options", headers=headers)).status_code == 401


class TestHealth:
    async def test_the_service_is_ready_once_it_has_read_the_events(self, world: World) -> None:
        browser = world.browser()

        async def ready() -> int:
            return (await browser.get("http://testserver/internal/accountsadmin/health/ready")).status_code

        await eventually(ready, until=lambda status: status == 200)
