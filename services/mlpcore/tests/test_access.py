"""Access rules and invalid input of all routes."""

from typing import Any

import httpx
import pytest
from fastapi import FastAPI

from mlplace_contracts.enums import KeyPermission
from mlplace_testing.identities import Identities
from mlplace_testing.web import (
    operation_names_used_twice,
    routes_of,
    routes_that_read_json_otherwise,
    routes_without_policy,
)
from mlplace_testing.world import World

CORE = "/api/mlpcore"
ACCOUNT = f"{CORE}/account/acme"
MODEL = f"{ACCOUNT}/model/1"
WRITES: list[tuple[str, str, object]] = [
    ("POST", f"{ACCOUNT}/image", {"name": "i", "image": "acme/i:1"}),
    ("POST", f"{ACCOUNT}/image/1", {"name": "i", "image": "acme/i:1"}),
    ("DELETE", f"{ACCOUNT}/image/1", None),
    ("POST", f"{ACCOUNT}/model", {"modelName": "m"}),
    ("POST", MODEL, {"modelName": "m"}),
    ("DELETE", MODEL, None),
    ("POST", f"{MODEL}/public-settings", {}),
    ("POST", f"{MODEL}/billing", {"isBillingEnabled": False}),
    ("POST", f"{MODEL}/archive", {}),
    ("POST", f"{MODEL}/http", {}),
    ("POST", f"{MODEL}/simple-doc", None),
    ("POST", f"{MODEL}/service-descriptor", {"name": "m", "schemaFiles": [], "fittable": False, "methods": {}}),
    ("POST", f"{ACCOUNT}/model-group", {"name": "g"}),
    ("PATCH", f"{ACCOUNT}/model-group", {"name": "g"}),
    ("DELETE", f"{ACCOUNT}/model-group/1", None),
    ("PATCH", f"{MODEL}/model-group/1", None),
    ("DELETE", f"{MODEL}/model-group", None),
    ("POST", f"{MODEL}/predict-config", {"name": "c", "config": "{}"}),
    ("POST", f"{MODEL}/predict-config/1", {"name": "c", "config": "{}"}),
    ("DELETE", f"{MODEL}/predict-config/1", None),
    ("POST", f"{MODEL}/example", {"name": "e", "request": "{}"}),
    ("POST", f"{MODEL}/example/1", {"name": "e"}),
    ("DELETE", f"{MODEL}/example/1", None),
    ("POST", f"{ACCOUNT}/token?name=k", None),
    ("PUT", f"{ACCOUNT}/token/1", {}),
    ("DELETE", f"{ACCOUNT}/token/1", None),
]
READS = [
    ACCOUNT,
    f"{ACCOUNT}/image",
    f"{ACCOUNT}/image-v2",
    f"{ACCOUNT}/model",
    f"{ACCOUNT}/model-group",
    f"{ACCOUNT}/token",
    f"{ACCOUNT}/token/1",
    f"{MODEL}/predict-config",
    f"{MODEL}/predict-config/1",
]
ADMIN: list[tuple[str, str, object]] = [
    ("GET", f"{CORE}/admin/accounts", None),
    ("GET", f"{CORE}/admin/account/acme", None),
    ("GET", f"{CORE}/admin/account/acme/features", None),
    ("POST", f"{CORE}/admin/account/acme/features", {"features": []}),
    ("POST", f"{CORE}/admin/account/acme/limits", {}),
    ("POST", f"{CORE}/admin/account/acme/whiteList", []),
    ("GET", f"{CORE}/admin/account/acme/access-by-ip?ipAddress=10.0.0.1", None),
    ("GET", f"{CORE}/admin/caller/info", None),
]
INTERNAL: list[tuple[str, str, object]] = [
    ("POST", "/internal/mlpcore/keys/resolve", {"secret": "x"}),
    ("POST", "/internal/mlpcore/predict-configs/resolve", {"model_id": 1, "config_id": 1}),
    ("GET", "/internal/mlpcore/accounts/acme", None),
    ("POST", "/internal/mlpcore/bootstrap/account", {"account_id": 1, "features": []}),
    ("POST", "/internal/mlpcore/republish", None),
]


async def _status(client: httpx.AsyncClient, method: str, path: str, body: object, headers: dict[str, str]) -> int:
    return (await client.request(method, path, json=body, headers=headers)).status_code


class TestPolicies:
    async def test_every_route_has_a_policy_and_a_unique_name(self, app: FastAPI) -> None:
        assert routes_without_policy(app) == []
        assert operation_names_used_twice(app) == []

    async def test_every_route_reads_json_alike(self, app: FastAPI) -> None:
        assert routes_that_read_json_otherwise(app) == []

    async def test_public_routes_that_change_something_are_listed_here(self, app: FastAPI) -> None:
        visitors = {
            f"{min(route.methods)} {route.path}"
            for route in routes_of(app)
            if route.in_schema and all(policy.describe() == "Public" for policy in route.policies)
        }
        model = "GET /api/mlpcore/account/{account}/model/{model}"
        config = "GET /api/mlpcore/system-config"
        assert visitors >= {model, f"{config}/task-types", "GET /api/mlpcore/models"}
        changing = {line for line in visitors if not line.startswith("GET")}
        assert changing == {"POST /api/mlpcore/clicks", "POST /api/mlpcore/sendContactRequest"}

    @pytest.mark.parametrize(("method", "path", "body"), WRITES, ids=[f"{m} {p}" for m, p, _ in WRITES])
    async def test_only_developers_of_the_account_may_write(
        self, client: httpx.AsyncClient, world: World, identities: Identities, method: str, path: str, body: object
    ) -> None:
        reader = identities.api_key(world.acme, permissions=[KeyPermission.READ, KeyPermission.PREDICT])
        found = [
            await _status(client, method, path, body, headers)
            for headers in ({}, world.user, world.stranger, reader, identities.api_key(world.globex))
        ]
        assert found == [401, 403, 403, 403, 403]
        assert await _status(client, method, path, body, world.owner) in {200, 400, 404}

    async def test_a_key_that_may_only_write_gets_the_answers_to_its_changes(
        self, client: httpx.AsyncClient, publisher: World, identities: Identities
    ) -> None:
        key = identities.api_key(publisher.acme, permissions=[KeyPermission.WRITE])

        async def write(path: str, body: object) -> dict[str, Any]:
            answer = await client.post(path, json=body, headers=key)
            assert answer.status_code == 200, answer.text
            return answer.json()

        image = await write(f"{ACCOUNT}/image", {"name": "i", "image": "acme/i:1"})
        wanted = {"modelName": "m", "imageAccountId": publisher.acme.account_id, "imageId": image["id"]["imageId"]}
        made = await write(f"{ACCOUNT}/model", {**wanted, "taskType": "custom"})
        changed = await write(f"{ACCOUNT}/model/m", {**wanted, "taskType": "custom", "displayName": "M"})
        assert (made["modelName"], changed["displayName"]) == ("m", "M")
        assert await _status(client, "GET", f"{ACCOUNT}/model/m", None, key) == 404

    @pytest.mark.parametrize("path", READS)
    async def test_only_members_may_read(
        self, client: httpx.AsyncClient, world: World, identities: Identities, path: str
    ) -> None:
        caller = identities.api_key(world.acme, permissions=[KeyPermission.PREDICT])
        found = [await _status(client, "GET", path, None, headers) for headers in ({}, world.stranger, caller)]
        assert found == [401, 403, 403]
        assert await _status(client, "GET", path, None, world.owner) in {200, 404}

    @pytest.mark.parametrize(("method", "path", "body"), ADMIN, ids=[f"{m} {p}" for m, p, _ in ADMIN])
    async def test_only_superadmins_may_administer(
        self, client: httpx.AsyncClient, world: World, identities: Identities, method: str, path: str, body: object
    ) -> None:
        found = [
            await _status(client, method, path, body, headers)
            for headers in ({}, world.owner, identities.api_key(world.acme))
        ]
        assert found == [401, 403, 403]
        assert await _status(client, method, path, body, world.admin) in {200, 400}

    @pytest.mark.parametrize(("method", "path", "body"), INTERNAL, ids=[f"{m} {p}" for m, p, _ in INTERNAL])
    async def test_only_services_may_call_internal_routes(
        self, client: httpx.AsyncClient, world: World, method: str, path: str, body: object
    ) -> None:
        found = [await _status(client, method, path, body, headers) for headers in ({}, world.owner, world.admin)]
        assert found == [401, 401, 401]
        assert await _status(client, method, path, body, world.internal) == 200

    @pytest.mark.parametrize(
        "path",
        [f"{CORE}/account", f"{CORE}/model-name-availability?modelName=m"],
    )
    async def test_route_without_an_account_needs_a_selected_account(
        self, client: httpx.AsyncClient, world: World, identities: Identities, path: str
    ) -> None:
        method = "POST" if "?" in path else "GET"
        homeless = identities.user()
        assert await _status(client, method, path, None, {}) == 401
        assert (await client.request(method, path, headers=homeless)).json()["code"] == "account.not_selected"


class TestHostileInput:
    @pytest.mark.parametrize(
        ("path", "content"),
        [
            (f"{ACCOUNT}/model", b'{"modelName": "a\\u0000b"}'),
            (f"{ACCOUNT}/model", b'{"modelName": "a\\ud800b"}'),
            (f"{ACCOUNT}/model", b'{"modelName": "\xff"}'),
            (f"{ACCOUNT}/model", b'{"modelName": "m", "imageId": 99999999999999999999999}'),
            (f"{ACCOUNT}/model", b'{"modelName": "m", "imageId": -1}'),
            (f"{ACCOUNT}/model", b'{"modelName": "m", "nonsense": 1}'),
            (f"{ACCOUNT}/model", b'{"modelName": "m", "startTimeSec": NaN}'),
            (f"{ACCOUNT}/model", b"[]"),
            (f"{ACCOUNT}/image", b'{"name": "a/b", "image": "x"}'),
            (f"{ACCOUNT}/token", b'{"name": "k", "permissions": ["root"]}'),
            (f"{ACCOUNT}/token", b'{"name": "k", "expenseLimit": -1}'),
        ],
    )
    async def test_invalid_body_is_refused_with_400(
        self, client: httpx.AsyncClient, world: World, path: str, content: bytes
    ) -> None:
        headers = world.owner | {"Content-Type": "application/json"}
        answer = await client.post(path, content=content, headers=headers)
        assert answer.status_code == 400, answer.text
        assert answer.json()["args"]

    @pytest.mark.parametrize(
        "path",
        [
            f"{ACCOUNT}/model?sort=password,asc",
            f"{ACCOUNT}/model?modelField=%00",
            f"{ACCOUNT}/model?groupId=99999999999999999999999",
            f"{ACCOUNT}/model?size=1001",
            f"{ACCOUNT}/image-v2?belonging=YOURS",
            f"{ACCOUNT}/image-v2?sort=id,down",
            f"{ACCOUNT}/token/99999999999999999999999",
        ],
    )
    async def test_invalid_query_is_refused_with_400(self, client: httpx.AsyncClient, world: World, path: str) -> None:
        assert (await client.get(path, headers=world.owner)).status_code == 400

    @pytest.mark.parametrize("name", ["%00", "a%00b", "9" * 60, "a%2Fb", "%2E%2E", "ы", "%20"])
    async def test_invalid_name_in_a_path_is_not_found(
        self, client: httpx.AsyncClient, world: World, name: str
    ) -> None:
        assert (await client.get(f"{ACCOUNT}/model/{name}", headers=world.owner)).status_code in {400, 404}
        assert (await client.get(f"{CORE}/account/{name}/model/m", headers=world.owner)).status_code in {400, 404}
        assert (await client.get(f"{CORE}/account/{name}/publicName")).status_code in {400, 404}
