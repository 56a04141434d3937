from typing import Any

import httpx
import pytest

from mlplace_contracts.enums import KeyPermission
from mlplace_testing.identities import Identities
from mlplace_testing.world import World

ACME = "/api/mlpcore/account/acme"
MODEL = f"{ACME}/model"


async def image(client: httpx.AsyncClient, world: World, mode: str) -> dict[str, Any]:
    body = {"name": f"an image {mode}", "image": "acme/greeting:1", "accessMode": mode}
    found: dict[str, Any] = (await client.post(f"{ACME}/image", json=body, headers=world.owner)).json()["id"]
    return found


async def source(client: httpx.AsyncClient, world: World, *, mode: str = "public", **fields: object) -> None:
    ids = await image(client, world, mode)
    body = {
        "modelName": "greeting", "imageId": ids["imageId"], "imageAccountId": ids["accountId"], "taskType": "ner",
        "env": '{"SECRET": "s"}', "config": '{"a": 1}', "hostingType": "HOSTING_SERVER", "displayName": "Greeting",
        "aliases": ["hello"], **fields,
    }  # fmt: skip
    answer = await client.post(MODEL, json=body, headers=world.owner)
    assert answer.status_code == 200, answer.text


async def publish(client: httpx.AsyncClient, world: World) -> None:
    answer = await client.post(f"{MODEL}/greeting/public-settings", json={"isPublic": True}, headers=world.owner)
    assert answer.status_code == 200, answer.text


async def clone(client: httpx.AsyncClient, headers: dict[str, str], **query: object) -> httpx.Response:
    given = {name: str(value) for name, value in {"name": "copy", **query}.items()}
    return await client.post(f"{MODEL}/greeting/clone", params=given, headers=headers)


class TestOwn:
    async def test_clone_differs_only_in_names_and_publication(
        self, client: httpx.AsyncClient, publisher: World
    ) -> None:
        await source(client, publisher)
        await publish(client, publisher)
        answer = await clone(client, publisher.owner, displayName="Copy", displayAuthor="Me")
        assert answer.status_code == 200, answer.text
        made = answer.json()
        origin = (await client.get(f"{MODEL}/greeting", headers=publisher.owner)).json()
        differs = {name for name in made if made[name] != origin[name]}
        assert differs == {"id", "modelName", "displayName", "displayAuthor", "publicSettings", "aliases"}
        assert (made["env"], made["aliases"], made["publicSettings"]["isPublic"]) == (
            '{"SECRET": "********"}',
            [],
            False,
        )

    async def test_clone_with_auto_start_requests_an_instance(
        self, client: httpx.AsyncClient, publisher: World
    ) -> None:
        await source(client, publisher)
        assert (await clone(client, publisher.owner, autoStart="true")).status_code == 200
        numbers = (await client.get(f"{MODEL}/copy/instances", headers=publisher.owner)).json()
        assert numbers["hostingServerRequested"] == 1
        assert (await client.get(f"{MODEL}/copy/last-job", headers=publisher.owner)).json()["jobType"] == "RUN"

    async def test_clone_is_notified(self, client: httpx.AsyncClient, publisher: World) -> None:
        await source(client, publisher)
        await clone(client, publisher.owner, displayName="Copy")
        found = (await client.get(f"{ACME}/notification", headers=publisher.owner)).json()
        assert [(one["operationType"], one["entityDisplayName"]) for one in found] == [
            ("CREATE", "Copy"), ("CREATE", "Greeting"),
        ]  # fmt: skip


class TestPrototypes:
    async def test_clone_of_a_prototype_copies_settings_without_secrets(
        self, client: httpx.AsyncClient, publisher: World, identities: Identities
    ) -> None:
        volume = {"pvId": 7, "mountPath": "/data", "sizeInGb": 1, "storageClass": "fast"}
        flags = {"features": [{"name": "mlp.container_additional_flags", "enabled": True}]}
        for account in ("acme", "globex"):
            path = f"/api/mlpcore/admin/account/{account}/features"
            assert (await client.post(path, json=flags, headers=publisher.admin)).status_code == 200
        await source(
            client,
            publisher,
            prototype=True,
            env='{"MODE": "fast", "API_TOKEN": "t0ps3cret"}',
            additionalFlags=["--shm-size=1g", "-e", "API_TOKEN=t0ps3cret", "--init"],
            deploymentPatch='{"spec": {"replicas": 2}}',
            persistentVolumes=[volume],
        )
        await publish(client, publisher)
        answer = await clone(client, publisher.stranger)
        assert answer.status_code == 200, answer.text
        made = answer.json()
        assert (made["env"], made["additionalFlags"]) == ('{"MODE": "fast"}', ["--shm-size=1g", "--init"])
        assert made["deploymentPatch"] == '{"spec": {"replicas": 2}}'
        assert made["persistentVolumes"] == [{**volume, "pvId": None}]
        assert "t0ps3cret" not in answer.text

    async def test_clone_of_a_prototype_with_flags_needs_the_feature(
        self, client: httpx.AsyncClient, publisher: World
    ) -> None:
        flags = {"features": [{"name": "mlp.container_additional_flags", "enabled": True}]}
        await client.post("/api/mlpcore/admin/account/acme/features", json=flags, headers=publisher.admin)
        await source(client, publisher, prototype=True, additionalFlags=["--init"])
        await publish(client, publisher)
        refused = await clone(client, publisher.stranger)
        assert refused.status_code == 403
        assert refused.json()["args"] == {"feature": "mlp.container_additional_flags"}

    async def test_clone_of_a_prototype_has_no_masked_values(self, client: httpx.AsyncClient, publisher: World) -> None:
        await source(client, publisher, prototype=True)
        await publish(client, publisher)
        answer = await clone(client, publisher.stranger)
        assert answer.status_code == 200, answer.text
        made = answer.json()
        assert made["id"]["accountId"] == publisher.globex.account_id
        assert (made["prototype"], made["env"], made["config"], made["taskType"]) == (False, "{}", '{"a": 1}', "ner")

    async def test_model_that_is_hidden_or_no_prototype_is_not_found(
        self, client: httpx.AsyncClient, publisher: World
    ) -> None:
        await source(client, publisher)
        hidden = await clone(client, publisher.stranger)
        await publish(client, publisher)
        plain = await clone(client, publisher.stranger)
        missing = await client.post(f"{MODEL}/nothing/clone", params={"name": "copy"}, headers=publisher.stranger)
        assert [(a.status_code, a.json()["code"]) for a in (hidden, plain, missing)] == [
            (404, "mlp.gate.model_not_found")
        ] * 3

    async def test_prototype_with_a_private_image_is_refused(self, client: httpx.AsyncClient, publisher: World) -> None:
        await source(client, publisher, prototype=True, mode="private")
        await publish(client, publisher)
        refused = await clone(client, publisher.stranger)
        assert (refused.status_code, list(refused.json()["args"])) == (400, ["imageId"])


class TestRefusals:
    @pytest.mark.parametrize(
        ("query", "field"),
        [({"name": "1"}, "name"), ({"name": "a b"}, "name"), ({"templateId": 1}, "templateId"), ({"name": ""}, "name")],
    )
    async def test_invalid_field_is_refused(
        self, client: httpx.AsyncClient, publisher: World, query: dict[str, object], field: str
    ) -> None:
        await source(client, publisher)
        refused = await clone(client, publisher.owner, **query)
        assert (refused.status_code, list(refused.json()["args"])) == (400, [field])

    async def test_taken_name_is_refused(self, client: httpx.AsyncClient, publisher: World) -> None:
        await source(client, publisher)
        assert (await clone(client, publisher.owner, name="greeting")).status_code == 409

    async def test_callers_without_write_permission_and_limited_keys_are_refused(
        self, client: httpx.AsyncClient, publisher: World, identities: Identities
    ) -> None:
        await source(client, publisher)
        limited = identities.api_key(publisher.acme, allowed_models=(1,))
        reading = identities.api_key(publisher.acme, permissions=(KeyPermission.READ,))
        answers = [await clone(client, headers) for headers in ({}, publisher.user, limited, reading)]
        assert [answer.status_code for answer in answers] == [401, 403, 403, 403]


class TestTrainingDatasets:
    @pytest.mark.parametrize(("mode", "keeps"), [("private", False), ("restricted", True), ("public", True)])
    async def test_clone_of_a_prototype_keeps_a_dataset_that_its_account_may_use(
        self, client: httpx.AsyncClient, publisher: World, mode: str, *, keeps: bool
    ) -> None:
        pk = await _dataset(client, publisher.owner, "acme", mode)
        await source(client, publisher, prototype=True, trainingDatasetId=pk["datasetId"])
        await publish(client, publisher)
        expected = [pk["datasetId"], pk["accountId"]] if keeps else [None, None]
        assert await _cloned_reference(client, publisher.stranger) == expected
        assert await _cloned_reference(client, publisher.owner) == [pk["datasetId"], pk["accountId"]]

    async def test_clone_of_an_own_model_leaves_a_dataset_that_became_private(
        self, client: httpx.AsyncClient, publisher: World
    ) -> None:
        pk = await _dataset(client, publisher.stranger, "globex", "public")
        await source(client, publisher, trainingDatasetId=pk["datasetId"])
        path = f"/api/mlpcore/account/globex/dataset/{pk['datasetId']}/raw"
        hidden = {"name": "d", "accessMode": "private"}
        assert (await client.post(path, json=hidden, headers=publisher.stranger)).is_success
        assert await _cloned_reference(client, publisher.owner) == [None, None]


async def _dataset(client: httpx.AsyncClient, headers: dict[str, str], account: str, mode: str) -> dict[str, Any]:
    body = {"name": "d", "accessMode": mode}
    made = await client.post(f"/api/mlpcore/account/{account}/dataset/empty", json=body, headers=headers)
    found: dict[str, Any] = made.json()["id"]
    return found


async def _cloned_reference(client: httpx.AsyncClient, headers: dict[str, str]) -> list[int | None]:
    answer = await clone(client, headers)
    assert answer.status_code == 200, answer.text
    return [answer.json()["trainingDatasetId"], answer.json()["trainingDatasetAccountId"]]
