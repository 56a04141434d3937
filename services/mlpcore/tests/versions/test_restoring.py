"""A version's settings can be set again, as an ordinary change."""

import asyncio
import json

import httpx
import pytest
import sqlalchemy as sa

from mlpcore.state import CoreState
from mlplace_contracts.enums import KeyPermission, Role
from mlplace_contracts.events import ModelChanged
from mlplace_kit.masking import MASK
from mlplace_runtime.db.database import Database
from mlplace_testing.events import published
from mlplace_testing.identities import Identities
from mlplace_testing.world import World

from .history import (
    ACME,
    GREETING,
    MODEL,
    VERSIONS,
    change,
    hidden,
    made,
    restore,
    restoring,
    settings,
    shown,
    versions,
)


class TestRestore:
    async def test_all_settings_are_those_of_the_version_again(
        self, client: httpx.AsyncClient, world: World, database: Database
    ) -> None:
        await made(client, world, displayName="First", languages=["en"], resourceLimits={"memoryLimit": "1Gi"})
        first = await settings(client, world)
        await change(
            client, world,
            displayName="Second", languages=None, resourceLimits={"memoryLimit": "2Gi", "serverLabels": {"zone": "a"}},
            config='{"a": 1}', priorityQueue={"enabled": True, "concurrencyLevel": 3}, hostingType="EXTERNAL",
            autoScalingConfiguration={"enabled": True, "maxInstanceCount": 3}, aliases=["hi"], startTimeSec=7,
        )  # fmt: skip
        second = await settings(client, world)
        for number, wanted, name in ((1, first, "First"), (2, second, "Second")):
            would = await restoring(client, world, number)
            answer = await restore(client, world.owner, number)
            assert answer.status_code == 200, answer.text
            assert answer.json() == wanted == await settings(client, world)
            newest = (await versions(client, world))[0]
            assert (newest["kind"], newest["restoredVersion"], newest["changes"]) == ("RESTORED", number, would)
            assert await restoring(client, world, number) == []
            assert [change["after"] for change in would if change["field"] == "displayName"] == [name]
        events = await published(database, ModelChanged)
        assert [event.version for event in events] == [1, 2, 3, 4]
        assert [queue.concurrency for queue in (events[-1].priority_queue,) if queue] == [3]

    async def test_name_of_the_service_comes_back_if_it_is_free(self, client: httpx.AsyncClient, world: World) -> None:
        number = await made(client, world)
        by_id = f"{MODEL}/{number}"
        assert (await client.post(by_id, json={"modelName": "other"}, headers=world.owner)).status_code == 200
        taken = await client.post(MODEL, json={"modelName": "greeting"}, headers=world.owner)
        refused = await client.post(f"{by_id}/versions/1/restore", headers=world.owner)
        assert (refused.status_code, refused.json()["code"]) == (409, "mlp.core.name_already_exists")
        assert (await client.get(by_id, headers=world.owner)).json()["modelName"] == "other"
        await client.delete(f"{MODEL}/{taken.json()['id']['modelId']}", headers=world.owner)
        back = await client.post(f"{by_id}/versions/1/restore", headers=world.owner)
        assert back.json()["modelName"] == "greeting"

    async def test_publication_and_prices_stay(self, client: httpx.AsyncClient, publisher: World) -> None:
        await made(client, publisher)
        await change(client, publisher, "/public-settings", isPublic=True)
        await change(client, publisher, "/billing", isBillingEnabled=True, billingUnitPriceInCurrency=2)
        assert await restoring(client, publisher, 1) == []
        assert (await restore(client, publisher.owner, 1)).status_code == 200
        now = await settings(client, publisher)
        assert now["publicSettings"]["isPublic"]
        assert now["billingSettings"]["billingUnitPriceInCurrency"] == 2
        assert len(await versions(client, publisher)) == 3  # nothing changed, so no version

    async def test_hidden_values_stay(
        self, client: httpx.AsyncClient, world: World, state: CoreState, database: Database
    ) -> None:
        caching = {
            "enabled": True,
            "mongoUri": "mongodb://u:one@db/x",  # pragma: allowlist secret
            "collectionName": "c",
            "recordsLimit": 1,
        }  # pragma: allowlist secret
        await made(client, world, env='{"A": "1"}', config='{"token": "one", "mode": "a"}', caching=caching)
        later = {**caching, "mongoUri": "mongodb://u:two@other/x", "recordsLimit": 2}  # pragma: allowlist secret
        await change(client, world, env='{"A": "2", "B": "3"}', config='{"token": "two", "mode": "b"}', caching=later)
        masked = {mode: json.dumps({"token": MASK, "mode": mode}) for mode in "ab"}
        assert await restoring(client, world, 1) == [
            shown("config", masked["b"], masked["a"]),
            shown("caching.recordsLimit", 2, 1),
        ]
        assert (await restore(client, world.owner, 1)).status_code == 200
        now = await settings(client, world)
        assert json.loads(now["env"]) == {"A": "2", "B": "3"}
        assert now["config"] == masked["a"]
        assert now["caching"] == {**later, "mongoUri": "mongodb://u:***@other/x", "recordsLimit": 1}
        newest = (await versions(client, world))[0]
        assert hidden("caching.mongoUri") not in newest["changes"]
        # The stored secret is the later one: sent again, it changes nothing.
        await change(client, world, config='{"token": "two", "mode": "a"}', caching={**later, "recordsLimit": 1})
        assert len(await versions(client, world)) == 3

    @pytest.mark.parametrize("kind", ["image", "group", "dataset", "secret"])
    async def test_what_is_gone_is_refused_by_its_field(
        self, client: httpx.AsyncClient, world: World, kind: str
    ) -> None:
        path, fields, refused_at = await _object(client, world, kind)
        await made(client, world, **fields)
        await change(client, world, **{name: {} if name == "secretEnv" else None for name in fields})
        gone = await client.delete(path, headers=world.owner)
        assert gone.status_code == 200, gone.text
        before = await settings(client, world)
        refused = await restore(client, world.owner, 1)
        assert (refused.status_code, list(refused.json()["args"])) == (400, [refused_at])
        assert await settings(client, world) == before
        assert len(await versions(client, world)) == 2

    async def test_group_is_the_same_one_under_its_new_name(self, client: httpx.AsyncClient, world: World) -> None:
        groups = f"{ACME}/resource-groups"
        await client.post(groups, json={"name": "old"}, headers=world.owner)
        await made(client, world, resourceGroup="old")
        await change(client, world, resourceGroup=None)
        assert (await client.post(f"{groups}/old", json={"name": "new"}, headers=world.owner)).status_code == 200
        await client.post(groups, json={"name": "old"}, headers=world.owner)
        answer = await restore(client, world.owner, 1)
        assert (answer.status_code, answer.json()["resourceGroup"]) == (200, "new")

    async def test_mask_without_a_stored_value_is_refused_by_its_field(
        self, client: httpx.AsyncClient, world: World
    ) -> None:
        await made(client, world, config='{"llm": {"token": "one"}}')
        await change(client, world, config="{}")
        refused = await restore(client, world.owner, 1)
        assert (refused.status_code, list(refused.json()["args"])) == (400, ["config.llm"])

    async def test_cache_that_has_no_address_any_more_is_refused(self, client: httpx.AsyncClient, world: World) -> None:
        caching = {"enabled": True, "mongoUri": "mongodb://db/x", "collectionName": "c", "recordsLimit": 1}
        await made(client, world, caching=caching)
        await change(client, world, caching=None)
        refused = await restore(client, world.owner, 1)
        assert (refused.status_code, list(refused.json()["args"])) == (400, ["caching.mongoUri"])

    async def test_settings_that_are_not_valid_now_are_refused_by_their_field(
        self, client: httpx.AsyncClient, world: World, database: Database
    ) -> None:
        await made(client, world)
        async with database.transaction() as session:
            await session.execute(
                sa.text(
                    "INSERT INTO model_version SELECT model_id, 2, account_id, occurred_at, user_id, author, kind,"
                    " restored_number, changes, jsonb_set(document, '{settings,timeouts,predictTimeoutSec}', '0')"
                    " FROM model_version"
                )
            )
        refused = await restore(client, world.owner, 2)
        assert (refused.status_code, list(refused.json()["args"])) == (400, ["timeouts.predictTimeoutSec"])

    async def test_flags_need_the_feature_as_in_a_change(self, client: httpx.AsyncClient, world: World) -> None:
        bootstrap = {"account_id": world.acme.account_id, "features": ["mlp.container_additional_flags"]}
        await client.post("/internal/mlpcore/bootstrap/account", json=bootstrap, headers=world.internal)
        await made(client, world, additionalFlags=["--level=info"])
        await change(client, world, additionalFlags=None)
        features = {"features": [{"name": "mlp.container_additional_flags", "enabled": False}]}
        path = "/api/mlpcore/admin/account/acme/features"
        assert (await client.post(path, json=features, headers=world.admin)).status_code == 200
        assert (await restore(client, world.owner, 1)).status_code == 403
        assert (await settings(client, world))["additionalFlags"] == []

    async def test_restorations_and_changes_at_once_form_a_chain(self, client: httpx.AsyncClient, world: World) -> None:
        await made(client, world, displayName="first")
        await change(client, world, displayName="second")
        body = {"modelName": "greeting", "displayName": "third"}
        answers = await asyncio.gather(
            *(restore(client, world.owner, number) for number in (1, 2, 1, 2)),
            *(client.post(GREETING, json=body, headers=world.owner) for _ in range(3)),
        )
        assert {answer.status_code for answer in answers} == {200}
        found = [version["changes"][0] for version in reversed(await versions(client, world)) if version["changes"]]
        assert [later["before"] for later in found[1:]] == [earlier["after"] for earlier in found[:-1]]
        assert (await settings(client, world))["displayName"] == found[-1]["after"]


async def _object(client: httpx.AsyncClient, world: World, kind: str) -> tuple[str, dict[str, object], str]:
    """Makes an object of the account. Returns its address, settings that refer to it, and the field that does."""
    match kind:
        case "image":
            body = {"name": "i", "image": "acme/i:1", "accessMode": "private"}
            found = (await client.post(f"{ACME}/image", json=body, headers=world.owner)).json()["id"]["imageId"]
            return f"{ACME}/image/{found}", {"imageId": found}, "imageId"
        case "group":
            body = {"name": "g"}
            await client.post(f"{ACME}/resource-groups", json=body, headers=world.owner)
            return f"{ACME}/resource-groups/g", {"resourceGroup": "g"}, "resourceGroup"
        case "dataset":
            body = {"name": "d"}
            made = await client.post(f"{ACME}/dataset/empty", json=body, headers=world.owner)
            found = made.json()["id"]["datasetId"]
            return f"{ACME}/dataset/{found}", {"trainingDatasetId": found}, "trainingDatasetId"
        case _:
            body = {"name": "S", "value": "x"}
            found = (await client.post(f"{ACME}/secret", json=body, headers=world.owner)).json()["secretId"]
            return f"{ACME}/secret/{found}", {"secretEnv": {"V": "S"}}, "secretEnv.V"


class TestAccess:
    async def test_developers_and_keys_with_the_permission_read_and_restore(
        self, client: httpx.AsyncClient, world: World, identities: Identities
    ) -> None:
        number = await made(client, world)
        developer = identities.user(world.acme, role=Role.DEVELOPER)
        reading = identities.api_key(world.acme, permissions=[KeyPermission.READ])
        writing = identities.api_key(world.acme, allowed_models=(number,))
        for headers in (world.owner, developer, world.admin, reading, writing):
            for path in (VERSIONS, f"{VERSIONS}/1", f"{MODEL}/{number}/versions"):
                assert (await client.get(path, headers=headers)).status_code == 200
        for headers, status in ((developer, 200), (writing, 200), (world.admin, 200), (reading, 403)):
            assert (await restore(client, headers, 1)).status_code == status

    @pytest.mark.parametrize(("method", "path"), [("GET", ""), ("GET", "/1"), ("POST", "/1/restore")])
    async def test_others_are_refused_even_if_the_service_is_public(
        self, client: httpx.AsyncClient, publisher: World, identities: Identities, method: str, path: str
    ) -> None:
        await made(client, publisher)
        await change(client, publisher, "/public-settings", isPublic=True, allowedAccounts=[1000000002])
        narrow = identities.api_key(publisher.acme, allowed_models=(2**40,))
        calling = identities.api_key(publisher.acme, permissions=[KeyPermission.PREDICT])
        own = "/api/mlpcore/account/globex/model/greeting/versions"
        for headers, address, status in (
            ({}, VERSIONS, 401),
            (publisher.user, VERSIONS, 403),
            (calling, VERSIONS, 403),
            (narrow, VERSIONS, 403),
            (publisher.stranger, VERSIONS, 403),
            (publisher.stranger, own, 404),
        ):
            answer = await client.request(method, f"{address}{path}", headers=headers)
            assert (answer.status_code, address) == (status, address), answer.text

    async def test_another_accounts_service_looks_missing(self, client: httpx.AsyncClient, world: World) -> None:
        number = await made(client, world)
        foreign = f"/api/mlpcore/account/globex/model/{number}/versions"
        missing = "/api/mlpcore/account/globex/model/999999/versions"
        for method, path in (("GET", ""), ("GET", "/1"), ("POST", "/1/restore")):
            answers = [
                await client.request(method, f"{address}{path}", headers=world.stranger)
                for address in (foreign, missing)
            ]
            assert [answer.status_code for answer in answers] == [404, 404]
            assert answers[0].json()["code"] == answers[1].json()["code"] == "mlp.gate.model_not_found"

    async def test_limited_key_cannot_bring_back_what_it_may_not_name(
        self, client: httpx.AsyncClient, world: World, identities: Identities
    ) -> None:
        _, fields, refused_at = await _object(client, world, "image")
        number = await made(client, world, **fields)
        await change(client, world, imageId=None)
        refused = await restore(client, identities.api_key(world.acme, allowed_models=(number,)), 1)
        assert (refused.status_code, list(refused.json()["args"])) == (400, [refused_at])

    @pytest.mark.parametrize(("number", "status"), [("2", 404), ("0", 400), ("-1", 400), ("x", 400), (str(2**40), 400)])
    async def test_unknown_numbers(self, client: httpx.AsyncClient, world: World, number: str, status: int) -> None:
        await made(client, world)
        for method, path in (("GET", ""), ("POST", "/restore")):
            answer = await client.request(method, f"{VERSIONS}/{number}{path}", headers=world.owner)
            assert answer.status_code == status, answer.text


class TestList:
    async def test_pages_of_one_service_the_newest_first(self, client: httpx.AsyncClient, world: World) -> None:
        await made(client, world)
        await client.post(MODEL, json={"modelName": "other"}, headers=world.owner)
        for name in ("a", "b"):
            await change(client, world, displayName=name)
        newest = (await client.get(VERSIONS, params={"size": 2}, headers=world.owner)).json()
        assert newest["paging"] == {"totalElements": 3, "totalPages": 2, "pageNumber": 0, "pageSize": 2}
        assert [version["version"] for version in newest["records"]] == [3, 2]
        query = {"size": 1, "sort": "version,asc", "page": 1}
        second = (await client.get(VERSIONS, params=query, headers=world.owner)).json()
        assert [version["version"] for version in second["records"]] == [2]

    @pytest.mark.parametrize(
        ("query", "field"), [({"sort": "kind,asc"}, "sort"), ({"size": 0}, "size"), ({"page": -1}, "page")]
    )
    async def test_invalid_query_names_its_field(
        self, client: httpx.AsyncClient, world: World, query: dict[str, int | str], field: str
    ) -> None:
        await made(client, world)
        answer = await client.get(VERSIONS, params=query, headers=world.owner)
        assert (answer.status_code, list(answer.json()["args"])) == (400, [field])
