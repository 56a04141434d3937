import asyncio
import json
from collections.abc import Callable

import httpx
import pytest
import sqlalchemy as sa
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat
from hypothesis import given
from hypothesis import strategies as st

from mlpcore.features.models.caching_secret import CachingSecret, mask
from mlpcore.features.models.tables import Model
from mlpcore.state import CoreState
from mlplace_contracts.events import ModelChanged
from mlplace_kit.clock import ManualClock, to_milliseconds
from mlplace_kit.names import is_model_name
from mlplace_runtime.db.database import Database
from mlplace_testing.events import published
from mlplace_testing.identities import Identities
from mlplace_testing.world import World

ACME = "/api/mlpcore/account/acme"
GLOBEX = "/api/mlpcore/account/globex"
PEM = """-----BEGIN PUBLIC KEY-----
MFwwDQYJKoZIhvcNAQEBBQADSwAwSAJBAKjWnEVwVbkWVBcJbFsVGkYqv5MTqJBs
-----END PUBLIC KEY-----"""


def public_pem(bits: int) -> str:
    key = rsa.generate_private_key(65537, bits).public_key()
    return key.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo).decode()


def private_pem(bits: int) -> str:
    key = rsa.generate_private_key(65537, bits)
    return key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode()


FULL: dict[str, object] = {
    "modelName": "everything",
    "taskType": "ner",
    "composite": True,
    "prototype": True,
    "fittable": True,
    "waitStart": True,
    "rejectRequestsIfInactive": True,
    "config": '{"beam": 4}',
    "env": '{"LEVEL": "info"}',
    "hostingType": "HOSTING_SERVER",
    "trainingType": "singleContainer",
    "trainingDatasetType": "json/texts",
    "persistentVolumes": [{"pvId": None, "mountPath": "/data", "sizeInGb": 1, "storageClass": "fast"}],
    "dataImageMounts": [],
    "timeouts": {"podStartTimeoutSec": 10, "predictTimeoutSec": 5, "fitTimeoutSec": 7},
    "resourceLimits": {
        "cpuRequest": "250m", "memoryLimit": "1Gi", "ephemeralDiskLimit": "2Gi", "gpuRequested": False,
        "gpuMemoryLimitMb": None, "gpuUsageLimit": None, "gpuCount": None, "gpuModels": [], "serverLabels": {},
    },
    "retriesConfig": {"maxRetries": 3, "timeoutsMs": [50, 100], "maxRetriesPerInstance": 1},
    "batchesConfig": {"batchSize": 8, "timeWaitMs": 20, "maxLengthToSkip": 1000},
    "caching": {
        "enabled": True, "mongoUri": "mongodb://u:secret@db.example/x", "collectionName": "cache", "recordsLimit": 10,  # pragma: allowlist secret
    },
    "priorityQueue": {"enabled": True, "concurrencyLevel": 2},
    "autoScalingConfiguration": {
        "minInstanceCount": 1, "maxInstanceCount": 3, "cooldownDurationMinutes": 5,
        "scaleUpRequestsPerMinuteThreshold": 100, "scaleDownRequestsPerMinuteThreshold": 10,
        "scaleUpLatencyThresholdMs": 500, "scaleDownLatencyThresholdMs": 50,
        "scaleUpCpuThresholdMilliCores": 900, "scaleDownCpuThresholdMilliCores": 100,
        "scaleUpActiveRequestsThreshold": 9, "scaleDownActiveRequestsThreshold": 1,
        "scaleUpQueueTimeThresholdMs": 400, "scaleDownQueueTimeThresholdMs": 20, "timeZone": None,
        "active": True, "enabled": True, "idleTimeMinutes": 15,
        "scheduledInstanceCountSettings": [{
            "startTime": {"hour": 8, "minute": 0, "second": 0, "nano": 0},
            "endTime": {"hour": 20, "minute": 30, "second": 0, "nano": 0},
            "minInstances": 1, "maxInstances": 2,
        }],
    },
    "httpSettings": {"isHttpEnabled": True, "httpPort": 8080, "mainPageEndpoint": "/health", "httpInterfaceOnly": False},
    "archiveSettings": {
        "enabled": True, "numberOfArchivedRequests": 5, "encryptionEnabled": False, "rsaPemPublicKey": None,
    },
    "shortDescription": "Finds names",
    "languages": ["ru", "kk"],
    "minInstancesCount": 1,
    "startTimeSec": 2.5,
    "aliases": ["ner"],
    "displayName": "Имена",
    "displayAuthor": "Acme",
    "modelLink": "https://example.org/ner",
    "modelAuthorCompany": "Acme Ltd",
    "supportedTemplates": [],
    "modelType": "MLP",
    "protocols": ["grpc"],
}  # fmt: skip


async def _model(client: httpx.AsyncClient, world: World, name: str = "m", **data: object) -> dict[str, object]:
    return await _send(client, world, {"modelName": name} | data)


async def _send(client: httpx.AsyncClient, world: World, body: dict[str, object]) -> dict[str, object]:
    answer = await client.post(f"{ACME}/model", json=body, headers=world.owner)
    assert answer.status_code == 200, answer.text
    made: dict[str, object] = answer.json()
    return made


class TestCreate:
    async def test_every_field_is_returned(self, client: httpx.AsyncClient, world: World) -> None:
        made = await _send(client, world, FULL)
        shown = FULL | {"caching": dict(FULL["caching"], mongoUri="mongodb://u:***@db.example/x")}  # type: ignore[call-overload]  # a dict of a known shape
        assert {name: made[name] for name in FULL} == shown
        assert (await client.get(f"{ACME}/model/everything", headers=world.owner)).json() == made
        assert (await client.get("/p/acme/everything", headers=world.owner)).json() == made

    async def test_model_with_a_name_only_gets_defaults(self, client: httpx.AsyncClient, world: World) -> None:
        made = await _model(client, world)
        assert made["state"] == "INACTIVE"
        assert made["timeouts"] == {"podStartTimeoutSec": 120, "predictTimeoutSec": 30, "fitTimeoutSec": 600}
        assert made["modelAccountName"] == "acme"
        assert made["imageAccountId"] == world.acme.account_id
        assert (made["config"], made["env"], made["favorite"], made["restrictedImageAccess"]) == (
            "{}",
            "{}",
            False,
            False,
        )

    async def test_owner_may_set_variables_of_the_sdk(self, client: httpx.AsyncClient, world: World) -> None:
        env = json.dumps({"MLP_LOG_LEVEL": "DEBUG", "MLP_THREAD_POOL_SIZE": "4", "MLP_CLIENT_TOKEN": ""})
        assert (await _model(client, world, env=env))["env"] == env

    async def test_created_model_is_published(
        self, client: httpx.AsyncClient, world: World, database: Database
    ) -> None:
        made = await _model(client, world, taskType="ner", timeouts={"predictTimeoutSec": 5})
        (event,) = await published(database, ModelChanged)
        assert (event.version, event.model_id, event.account_name) == (1, made["id"]["modelId"], "acme")  # type: ignore[index]  # JSON
        assert (event.task_type, event.timeouts.predict, event.active) == ("ner", 5, True)
        assert not event.publicity.is_public

    async def test_concurrent_creations_with_one_name_succeed_once(
        self, client: httpx.AsyncClient, world: World, database: Database
    ) -> None:
        posts = [client.post(f"{ACME}/model", json={"modelName": "m"}, headers=world.owner) for _ in range(6)]
        answers = await asyncio.gather(*posts)
        assert sorted(answer.status_code for answer in answers) == [200] + [409] * 5
        refused = next(answer for answer in answers if answer.status_code == 409)
        assert refused.json()["code"] == "mlp.core.name_already_exists"
        assert len(await published(database, ModelChanged)) == 1

    async def test_another_account_may_use_the_name(self, client: httpx.AsyncClient, world: World) -> None:
        await _model(client, world)
        other = await client.post(f"{GLOBEX}/model", json={"modelName": "m"}, headers=world.stranger)
        assert other.status_code == 200

    @pytest.mark.parametrize(
        ("data", "field"),
        [
            ({"modelName": "a/b"}, "modelName"),
            ({"modelName": "123"}, "modelName"),
            ({"modelName": ".."}, "modelName"),
            ({"modelName": ""}, "modelName"),
            ({"taskType": "magic"}, "taskType"),
            ({"config": "{not json"}, "config"),
            ({"config": "NaN"}, "config"),
            ({"env": "[]"}, "env"),
            ({"env": '{"A": 1}'}, "env"),
            ({"env": '{"A-B": "x"}'}, "env"),
            ({"env": '{"LD_PRELOAD": "x"}'}, "env"),
            ({"env": '{"ld_preload": "x"}'}, "env"),
            ({"env": '{"MLP_SERVICE_TOKEN": "x"}'}, "env"),
            ({"env": '{"mlp_grpc_host": "x"}'}, "env"),
            ({"env": '{"MLP_HTTP_PORT": "1"}'}, "env"),
            ({"env": '{"SERVICE_CONFIG": "{}"}'}, "env"),
            ({"env": '{"DOCKER_HOST": "x"}'}, "env"),
            ({"env": '{"NVIDIA_VISIBLE_DEVICES": "all"}'}, "env"),
            ({"env": '{"A": "\\u0000"}'}, "env"),
            ({"timeouts": {"predictTimeoutSec": 0}}, "timeouts.predictTimeoutSec"),
            ({"resourceLimits": {"memoryLimit": "0"}}, "resourceLimits.memoryLimit"),
            ({"resourceLimits": {"cpuRequest": "lots"}}, "resourceLimits.cpuRequest"),
            ({"batchesConfig": {"batchSize": -1}}, "batchesConfig.batchSize"),
            ({"caching": {"enabled": True, "collectionName": "c", "recordsLimit": 1}}, "caching.mongoUri"),
            ({"caching": {"enabled": True, "mongoUri": "mongodb://h", "recordsLimit": 1}}, "caching.collectionName"),
            ({"caching": {"enabled": True, "mongoUri": "mongodb://h", "collectionName": "c"}}, "caching.recordsLimit"),
            ({"caching": {"mongoUri": "http://x"}}, "caching.mongoUri"),
            ({"caching": {"mongoUri": "mongodb://x/?tlsCAFile=/etc/passwd"}}, "caching.mongoUri"),
            ({"caching": {"collectionName": "$x"}}, "caching.collectionName"),
            ({"priorityQueue": {"concurrencyLevel": 0}}, "priorityQueue.concurrencyLevel"),
            (
                {"autoScalingConfiguration": {"minInstanceCount": 2, "maxInstanceCount": 1}},
                "autoScalingConfiguration.maxInstanceCount",
            ),
            ({"httpSettings": {"isHttpEnabled": True}}, "httpSettings"),
            ({"httpSettings": {"httpPort": 70000}}, "httpSettings.httpPort"),
            ({"archiveSettings": {"enabled": True}}, "archiveSettings.numberOfArchivedRequests"),
            ({"archiveSettings": {"encryptionEnabled": True}}, "archiveSettings.rsaPemPublicKey"),
            ({"archiveSettings": {"rsaPemPublicKey": PEM}}, "archiveSettings.rsaPemPublicKey"),
            ({"modelLink": "javascript:alert(1)"}, "modelLink"),
            ({"languages": ["<b>"]}, "languages.0"),
            (
                {"persistentVolumes": [{"mountPath": "/a/../b", "sizeInGb": 1, "storageClass": "x"}]},
                "persistentVolumes.0.mountPath",
            ),
            ({"imageId": 999}, "imageId"),
            ({"trainingModelId": 999}, "trainingModelId"),
            ({"fitTemplateModelId": 999}, "fitTemplateModelId"),
            ({"trainingDatasetId": 999}, "trainingDatasetId"),
            ({"trainingFitConfigId": 999}, "trainingFitConfigId"),
            ({"supportedTemplates": [999]}, "supportedTemplates.0"),
            (
                {"dataImageMounts": [{"dataImageAccountId": 1, "dataImageId": 1, "targetPath": "/x"}]},
                "dataImageMounts.0.dataImageId",
            ),
        ],
        ids=json.dumps,
    )
    async def test_invalid_field_is_refused(
        self, client: httpx.AsyncClient, world: World, data: dict[str, object], field: str
    ) -> None:
        answer = await client.post(f"{ACME}/model", json={"modelName": "m"} | data, headers=world.owner)
        assert (answer.status_code, list(answer.json()["args"])) == (400, [field]), answer.text

    @pytest.mark.parametrize(("form", "bits"), [(public_pem, 1024), (private_pem, 2048)], ids=["short", "private"])
    async def test_short_or_private_archive_key_is_refused(
        self, client: httpx.AsyncClient, world: World, form: Callable[[int], str], bits: int
    ) -> None:
        body = {"modelName": "m", "archiveSettings": {"rsaPemPublicKey": form(bits)}}
        answer = await client.post(f"{ACME}/model", json=body, headers=world.owner)
        assert (answer.status_code, list(answer.json()["args"])) == (400, ["archiveSettings.rsaPemPublicKey"])

    @pytest.mark.parametrize("data", [{"additionalFlags": ["--cap-add=ALL"]}, {"deploymentPatch": "{}"}])
    async def test_container_settings_need_their_feature(
        self, client: httpx.AsyncClient, world: World, data: dict[str, object]
    ) -> None:
        body = {"modelName": "m"} | data
        refused = await client.post(f"{ACME}/model", json=body, headers=world.owner)
        assert refused.json()["args"] == {"feature": "mlp.container_additional_flags"}
        grant = {"account_id": 1000000001, "features": ["mlp.container_additional_flags"]}
        await client.post("/internal/mlpcore/bootstrap/account", json=grant, headers=world.internal)
        made = await client.post(f"{ACME}/model", json=body, headers=world.owner)
        assert {name: made.json()[name] for name in data} == data

    async def test_private_image_of_another_account_is_not_found_and_restricted_one_is_marked(
        self, client: httpx.AsyncClient, world: World
    ) -> None:
        ids = {}
        for mode in ("private", "restricted"):
            body = {"name": mode, "image": "globex/x", "accessMode": mode}
            ids[mode] = (await client.post(f"{GLOBEX}/image", json=body, headers=world.stranger)).json()["id"][
                "imageId"
            ]
        body = {"modelName": "m", "imageId": ids["private"]}
        refused = await client.post(f"{ACME}/model", json=body, headers=world.owner)
        assert refused.json()["args"] == {"imageId": "not found"}
        made = await _model(client, world, imageId=ids["restricted"])
        assert (made["restrictedImageAccess"], made["imageAccountId"]) == (True, 1000000002)
        assert made["image"]["image"] == ""  # type: ignore[index]  # JSON of a known shape


class TestNameRule:
    @given(st.text(max_size=70))
    def test_accepted_names_are_safe_in_a_path(self, name: str) -> None:
        if is_model_name(name):
            assert 1 <= len(name) <= 64
            assert not name.isdigit()
            assert name not in {".", ".."}
            assert all(character.isascii() and (character.isalnum() or character in "._-") for character in name)


class TestRead:
    async def test_private_model_looks_missing_to_others(self, client: httpx.AsyncClient, world: World) -> None:
        await _model(client, world)
        paths = [f"{ACME}/model/m", f"{ACME}/model/none", "/api/mlpcore/account/nobody/model/m", "/p/acme/m"]
        for headers in ({}, world.stranger):
            answers = [await client.get(path, headers=headers) for path in paths]
            assert {(a.status_code, a.json()["code"]) for a in answers} == {(404, "mlp.gate.model_not_found")}
        assert (await client.get(f"{ACME}/model/m", headers=world.user)).status_code == 200
        assert (await client.get(f"{ACME}/model/m", headers=world.admin)).status_code == 200

    async def test_model_is_found_by_id_and_by_name(self, client: httpx.AsyncClient, world: World) -> None:
        made = await _model(client, world)
        path = f"/api/mlpcore/account/1000000001/model/{made['id']['modelId']}"  # type: ignore[index]  # JSON
        assert (await client.get(path, headers=world.owner)).json() == made

    async def test_other_accounts_see_no_internals_of_a_public_model(
        self, client: httpx.AsyncClient, publisher: World
    ) -> None:
        await _send(client, publisher, FULL)
        url = f"{ACME}/model/everything"
        shared = {"isPublic": True, "allowedAccounts": [1000000002]}
        assert (await client.post(f"{url}/public-settings", json=shared, headers=publisher.owner)).status_code == 200
        for headers in ({}, publisher.stranger):
            seen = (await client.get(url, headers=headers)).json()
            assert seen["displayName"] == "Имена"
            for name in ("config", "env", "deploymentPatch", "image", "imageId", "resourceGroup", "modelGroupId"):
                assert seen[name] is None
            assert seen["imageAccountId"] == publisher.acme.account_id
            assert seen["additionalFlags"] == seen["persistentVolumes"] == []
            assert seen["caching"] == {"enabled": False, "mongoUri": "", "collectionName": "", "recordsLimit": 0}
            assert seen["publicSettings"]["allowedAccounts"] == []
            assert seen.pop("secretEnv") == {}
            assert "secret" not in json.dumps(seen)


class TestUpdate:
    async def test_update_keeps_missing_fields_and_resets_null(
        self, client: httpx.AsyncClient, world: World, database: Database
    ) -> None:
        await _send(client, world, FULL | {"modelName": "m"})
        body = {"modelName": "renamed", "taskType": None, "composite": None}
        changed = (await client.post(f"{ACME}/model/m", json=body, headers=world.owner)).json()
        assert (changed["modelName"], changed["taskType"], changed["composite"]) == ("renamed", "custom", False)
        assert changed["env"] == FULL["env"]
        assert [event.version for event in await published(database, ModelChanged)] == [1, 2]

    async def test_taken_name_is_refused(self, client: httpx.AsyncClient, world: World) -> None:
        await _model(client, world, "a")
        await _model(client, world, "b")
        answer = await client.post(f"{ACME}/model/b", json={"modelName": "a"}, headers=world.owner)
        assert answer.status_code == 409
        assert (await client.get(f"{ACME}/model/b", headers=world.owner)).status_code == 200

    async def test_cache_password_is_encrypted_and_kept(
        self, client: httpx.AsyncClient, world: World, state: CoreState
    ) -> None:
        made = await _model(client, world, caching=FULL["caching"])
        await client.post(f"{ACME}/model/m", json={"modelName": "m", "caching": made["caching"]}, headers=world.owner)
        async with state.database.transaction() as session:
            row = (await session.scalars(sa.select(Model))).one()
            assert "secret" not in json.dumps(row.caching)
            revealed = CachingSecret(state.vault).reveal(row)
            assert revealed == "mongodb://u:secret@db.example/x"  # pragma: allowlist secret
        moved = dict(made["caching"], mongoUri="mongodb://u:***@evil.example/x")  # type: ignore[call-overload]  # JSON
        answer = await client.post(f"{ACME}/model/m", json={"modelName": "m", "caching": moved}, headers=world.owner)
        assert list(answer.json()["args"]) == ["caching.mongoUri"]

    def test_password_with_special_characters_is_masked(self) -> None:
        assert mask("mongodb://u:p@ss:w/d@h/x") == "mongodb://u:***@h/x"
        assert mask("mongodb://h/x") == "mongodb://h/x"

    async def test_model_of_another_account_looks_missing(self, client: httpx.AsyncClient, world: World) -> None:
        made = await _model(client, world)
        path = f"{GLOBEX}/model/{made['id']['modelId']}"  # type: ignore[index]  # JSON of a known shape
        answers = [
            await client.post(path, json={"modelName": "x"}, headers=world.stranger),
            await client.delete(path, headers=world.stranger),
            await client.post(f"{path}/http", json={}, headers=world.stranger),
        ]
        assert {(a.status_code, a.json()["code"]) for a in answers} == {(404, "mlp.gate.model_not_found")}

    async def test_key_limited_to_other_models_has_no_access(
        self, client: httpx.AsyncClient, world: World, identities: Identities
    ) -> None:
        await _model(client, world)
        limited = identities.api_key(world.acme, allowed_models=(999,))
        assert (await client.get(f"{ACME}/model/m", headers=limited)).status_code == 404
        assert (await client.delete(f"{ACME}/model/m", headers=limited)).status_code == 403
        body = {"modelName": "other"}
        assert (await client.post(f"{ACME}/model", json=body, headers=limited)).status_code == 403
        assert (await client.get(f"{ACME}/model", headers=limited)).json()["records"] == []


class TestDelete:
    async def test_deletion_frees_the_name_and_is_published(
        self, client: httpx.AsyncClient, world: World, database: Database
    ) -> None:
        first = await _model(client, world)
        assert (await client.delete(f"{ACME}/model/m", headers=world.owner)).content == b""
        assert (await client.get(f"{ACME}/model/m", headers=world.owner)).status_code == 404
        assert (await client.delete(f"{ACME}/model/m", headers=world.owner)).status_code == 404
        assert [event.active for event in await published(database, ModelChanged)] == [True, False]
        assert (await _model(client, world))["id"] != first["id"]


class TestParts:
    async def test_archive_and_http_settings_are_set(self, client: httpx.AsyncClient, world: World) -> None:
        await _model(client, world)
        for part, name in (("archive", "archiveSettings"), ("http", "httpSettings")):
            answer = await client.post(f"{ACME}/model/m/{part}", json=FULL[name], headers=world.owner)
            assert answer.json() == FULL[name]
            assert (await client.get(f"{ACME}/model/m", headers=world.owner)).json()[name] == FULL[name]

    async def test_favourite_is_per_caller(self, client: httpx.AsyncClient, world: World) -> None:
        await _model(client, world)
        url = f"{ACME}/model/m"
        for wanted in (True, True, False):
            assert (await client.post(f"{url}/favorite", json=wanted, headers=world.owner)).content == b""
            assert (await client.get(url, headers=world.owner)).json()["favorite"] is wanted
            assert (await client.get(url, headers=world.user)).json()["favorite"] is False
        assert (await client.post(f"{url}/favorite", json=True)).status_code == 401
        assert (await client.post(f"{url}/favorite", json=True, headers=world.stranger)).status_code == 404

    async def test_activity_is_stored(self, client: httpx.AsyncClient, world: World, clock: ManualClock) -> None:
        await _model(client, world)
        assert (await client.post(f"{ACME}/model/m/activity", headers=world.user)).status_code == 200
        seen = (await client.get(f"{ACME}/model/m", headers=world.owner)).json()
        assert seen["lastActivity"] == to_milliseconds(clock.now())
        assert (await client.post(f"{ACME}/model/m/activity", headers=world.stranger)).status_code == 403

    async def test_description_is_plain_text(self, client: httpx.AsyncClient, world: World) -> None:
        await _model(client, world)
        url = f"{ACME}/model/m/simple-doc"
        assert (await client.get(url, headers=world.owner)).text == ""
        written = await client.post(url, content="# Имена\n".encode(), headers=world.owner)
        assert written.headers["content-type"].startswith("text/plain")
        assert (await client.get(url, headers=world.owner)).text == "# Имена\n"
        assert (await client.get(url, headers=world.stranger)).status_code == 404
        for bad in (b"\xff", b"a\x00b"):
            assert (await client.post(url, content=bad, headers=world.owner)).status_code == 400

    async def test_descriptor_is_stored(self, client: httpx.AsyncClient, world: World) -> None:
        await _model(client, world)
        url = f"{ACME}/model/m"
        empty = (await client.get(f"{url}/action-descriptor", headers=world.owner)).json()
        assert empty == {"name": "m", "schemaFiles": [], "fittable": False, "methods": {}}
        sent = {
            "name": "Ner",
            "schemaFiles": [{"name": "schema", "content": "{}"}],
            "fittable": False,
            "methods": {
                "predict": {
                    "name": "predict",
                    "params": {"data": {"type": "T"}},
                    "output": {"type": "R"},
                    "fitted": False,
                }
            },
        }
        assert (await client.post(f"{url}/service-descriptor", json=sent, headers=world.owner)).status_code == 200
        assert (await client.get(f"{url}/action-descriptor", headers=world.owner)).json() == sent
