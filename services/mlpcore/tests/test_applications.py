"""Access to web applications of models."""

import httpx
import pytest

from mlpcore.state import CoreState
from mlplace_kit.errors import AccessDenied
from mlplace_kit.passes import PagePass
from mlplace_testing.identities import Identities
from mlplace_testing.world import World

MODEL = "/api/mlpcore/account/acme/model/shown"
APPLICATION = "/api/mlpcore/account/acme/application/shown"


@pytest.fixture
async def page(client: httpx.AsyncClient, publisher: World) -> int:
    body = {"modelName": "shown", "httpSettings": {"isHttpEnabled": True, "httpPort": 8080}}
    made = await client.post("/api/mlpcore/account/acme/model", json=body, headers=publisher.owner)
    assert made.status_code == 200, made.text
    return int(made.json()["id"]["modelId"])


async def published(client: httpx.AsyncClient, world: World) -> None:
    settings = {"isPublic": True, "hidden": False, "publicTestingAllowed": True}
    answer = await client.post(f"{MODEL}/public-settings", json=settings, headers=world.owner)
    assert answer.status_code == 200, answer.text


class TestToken:
    async def test_token_is_a_pass_for_the_callers_account(
        self, client: httpx.AsyncClient, publisher: World, page: int, state: CoreState
    ) -> None:
        answer = await client.get(f"{APPLICATION}/token", headers=publisher.owner)
        found = PagePass.read(answer.json(), state.hasher, state.clock.now())
        assert found is not None
        owner = publisher.acme.account_id
        assert (found.account_id, found.owner_id, found.model_id) == (owner, owner, page)

    async def test_token_for_a_public_application_names_the_visitors_account(
        self, client: httpx.AsyncClient, publisher: World, page: int, state: CoreState
    ) -> None:
        await published(client, publisher)
        answer = await client.get(f"{APPLICATION}/token", headers=publisher.stranger)
        found = PagePass.read(answer.json(), state.hasher, state.clock.now())
        assert found is not None
        assert found.account_id != found.owner_id

    async def test_token_for_a_private_application_is_refused(
        self, client: httpx.AsyncClient, publisher: World, page: int
    ) -> None:
        assert (await client.get(f"{APPLICATION}/token")).status_code == 401
        private = await client.get(f"{APPLICATION}/token", headers=publisher.stranger)
        missing = await client.get(f"{APPLICATION}s/token", headers=publisher.stranger)
        assert (private.status_code, private.json()["code"]) == (missing.status_code, missing.json()["code"])
        assert private.status_code == 404

    @pytest.mark.parametrize("route", ["token", "set-cookie"])
    async def test_key_gets_no_pass(
        self, client: httpx.AsyncClient, publisher: World, identities: Identities, page: int, route: str
    ) -> None:
        for key in (identities.api_key(publisher.acme), identities.api_key(publisher.acme, allowed_models=(page,))):
            refused = await client.get(f"{APPLICATION}/{route}", headers=key)
            assert (refused.status_code, refused.json()["code"]) == (403, AccessDenied.code)
            assert "set-cookie" not in refused.headers

    async def test_model_without_http_has_no_application(self, client: httpx.AsyncClient, publisher: World) -> None:
        await client.post("/api/mlpcore/account/acme/model", json={"modelName": "shown"}, headers=publisher.owner)
        assert (await client.get(f"{APPLICATION}/token", headers=publisher.owner)).status_code == 404


class TestAuth:
    async def test_session_identifies_the_caller(self, client: httpx.AsyncClient, publisher: World, page: int) -> None:
        answer = await client.get(f"{APPLICATION}/auth", headers=publisher.owner)
        assert (answer.status_code, answer.json()) == (200, {"accountId": publisher.acme.account_id})
        assert (await client.get(f"{APPLICATION}/auth")).status_code == 401
        assert (await client.get(f"{APPLICATION}/auth", headers=publisher.stranger)).status_code == 404

    async def test_cookie_identifies_the_caller_for_its_application_only(
        self, client: httpx.AsyncClient, publisher: World, page: int
    ) -> None:
        given = await client.get(f"{APPLICATION}/set-cookie", headers=publisher.owner)
        cookie = given.headers["set-cookie"]
        assert "HttpOnly" in cookie
        alone = {"Cookie": cookie.partition(";")[0]}
        client.cookies.clear()
        account = publisher.acme.account_id
        by_id = f"/api/mlpcore/account/{account}/application/{page}/auth"
        assert (await client.get(by_id, headers=alone)).status_code == 200
        assert (await client.get(by_id.replace(str(page), str(page + 1)), headers=alone)).status_code == 401


class TestHealth:
    async def test_health_shows_whether_an_instance_is_connected(
        self, client: httpx.AsyncClient, publisher: World, page: int
    ) -> None:
        assert (await client.get(f"{APPLICATION}/health", headers=publisher.owner)).json() == {"alive": False}
        assert (await client.get(f"{APPLICATION}/health")).status_code == 404
