"""Datasets over HTTP: what they are, who sees them, what uses them."""

import asyncio

import httpx
import pytest

from mlpcore.features.datasets.formats.types import DATASET_TYPES
from mlpcore.state import CoreState
from mlplace_testing.identities import Identities
from mlplace_testing.world import World

ACME = "/api/mlpcore/account/acme"
GLOBEX = "/api/mlpcore/account/globex"
LABELS = b"text,label\nhello,greeting\nbye,farewell\n"


async def upload(
    client: httpx.AsyncClient, headers: dict[str, str], url: str = ACME, content: bytes = LABELS, **query: str
) -> dict[str, object]:
    wanted = {"name": "d", "dataType": "csv/texts-and-labels"} | query
    answer = await client.post(
        f"{url}/dataset/raw", params=wanted, files={"file": ("labels.csv", content)}, headers=headers
    )
    assert answer.status_code == 200, answer.text
    made: dict[str, object] = answer.json()
    return made


def path_of(dataset: dict[str, object], url: str = ACME) -> str:
    pk = dataset["id"]
    assert isinstance(pk, dict)
    return f"{url}/dataset/{pk['datasetId']}"


class TestCreate:
    async def test_uploaded_dataset_is_listed_read_and_downloaded(
        self, client: httpx.AsyncClient, world: World
    ) -> None:
        made = await upload(client, world.owner, description="greetings")
        assert (made["datasetAccountName"], made["size"], made["rows"]) == ("acme", len(LABELS), 2)
        assert (made["warning"], made["accessMode"], made["version"]) == (None, "private", 1)
        assert (await client.get(path_of(made), headers=world.owner)).json() == made
        assert (await client.get(f"{ACME}/dataset", headers=world.owner)).json() == [made | {"columns": None}]
        content = await client.get(f"{path_of(made)}/content", headers=world.owner)
        assert (content.content, content.headers["content-length"]) == (LABELS, str(len(LABELS)))
        assert content.headers["content-type"] == "application/octet-stream"
        assert content.headers["content-disposition"] == "attachment; filename=\"d.csv\"; filename*=UTF-8''d.csv"
        assert content.headers["etag"] == f'"{made["sha256"]}"'

    async def test_empty_dataset_has_no_content(self, client: httpx.AsyncClient, world: World) -> None:
        body = {"name": "empty", "dataType": "plain/texts", "accessMode": "public", "description": "d"}
        made = (await client.post(f"{ACME}/dataset/empty", json=body, headers=world.owner)).json()
        assert (made["size"], made["warning"], made["accessMode"]) == (0, "the dataset is empty", "public")
        content = await client.get(f"{path_of(made)}/content", headers=world.owner)
        assert (content.status_code, content.content) == (200, b"")
        converted = await client.get(f"{path_of(made)}/content?type=json/texts", headers=world.owner)
        assert converted.json() == {"texts": []}

    async def test_account_has_a_limited_number_of_datasets(
        self, client: httpx.AsyncClient, world: World, state: CoreState
    ) -> None:
        object.__setattr__(state.settings, "datasets_per_account", 3)
        bodies = [{"name": f"n{number}"} for number in range(6)]
        posts = [client.post(f"{ACME}/dataset/empty", json=body, headers=world.owner) for body in bodies]
        answers = await asyncio.gather(*posts)
        assert sorted(answer.status_code for answer in answers) == [200] * 3 + [403] * 3
        files = {"file": ("x", b"[1]")}
        refused = await client.post(f"{ACME}/dataset/raw?name=n", files=files, headers=world.owner)
        assert (refused.status_code, refused.json()["code"]) == (403, "mlp.core.dataset_limit_exceeded")
        assert refused.json()["args"] == {"limit": "3", "used": "3"}
        listed = (await client.get(f"{ACME}/dataset", headers=world.owner)).json()
        assert (await client.delete(path_of(listed[0]), headers=world.owner)).status_code == 200
        again = await client.post(f"{ACME}/dataset/raw?name=n", files=files, headers=world.owner)
        assert again.status_code == 200

    async def test_concurrent_creations_with_one_name_succeed_once(
        self, client: httpx.AsyncClient, world: World
    ) -> None:
        files = {"file": ("x", b"[1]")}
        posts = [client.post(f"{ACME}/dataset/raw?name=n", files=files, headers=world.owner) for _ in range(4)]
        answers = await asyncio.gather(*posts)
        assert sorted(answer.status_code for answer in answers) == [200, 409, 409, 409]
        assert len((await client.get(f"{ACME}/dataset", headers=world.owner)).json()) == 1

    async def test_deprecated_forms_carry_the_content_in_the_body(
        self, client: httpx.AsyncClient, world: World
    ) -> None:
        body = {"name": "old", "dataType": "json/texts", "content": '{"texts": ["a"]}'}
        made = (await client.post(f"{ACME}/dataset", json=body, headers=world.owner)).json()
        assert (made["rows"], made["dataType"]) == (1, "json/texts")
        changed = {"name": "new", "dataType": "plain/texts", "content": "a\nb\n"}
        after = (await client.post(path_of(made), json=changed, headers=world.owner)).json()
        assert (after["name"], after["dataType"], after["rows"], after["version"]) == ("new", "plain/texts", 2, 2)
        kept = (await client.post(path_of(made), json={"name": "newer"}, headers=world.owner)).json()
        assert (kept["name"], kept["rows"], kept["version"]) == ("newer", 2, 2)
        empty = await client.post(f"{ACME}/dataset", json={"name": "none"}, headers=world.owner)
        assert (empty.status_code, empty.json()["dataType"]) == (200, "json/any")

    @pytest.mark.parametrize(
        "name",
        ["", " ", ".", "..", "../x", "a/b", "a\\b", "%2e%2e", "a%2Fb", "a\u202etxt", "a\u200bb", "\u2066x", "a\tb", "x" * 129, " a"],
    )  # fmt: skip
    async def test_hostile_names_are_refused(self, client: httpx.AsyncClient, world: World, name: str) -> None:
        created = await client.post(f"{ACME}/dataset/empty", json={"name": name}, headers=world.owner)
        assert (created.status_code, list(created.json()["args"])) == (400, ["name"])
        files = {"file": ("x", b"[1]")}
        sent = await client.post(f"{ACME}/dataset/raw", params={"name": name}, files=files, headers=world.owner)
        assert sent.status_code == 400
        assert (await client.get(f"{ACME}/dataset", headers=world.owner)).json() == []

    async def test_unknown_type_is_refused(self, client: httpx.AsyncClient, world: World) -> None:
        answer = await client.post(
            f"{ACME}/dataset/empty", json={"name": "n", "dataType": "xml/any"}, headers=world.owner
        )
        assert answer.json()["violations"][0]["rule"] == "one_of"


class TestAccess:
    @pytest.mark.parametrize(
        ("mode", "info", "content"), [("private", 404, 404), ("restricted", 200, 403), ("public", 200, 200)]
    )
    async def test_other_accounts_see_what_is_shared(
        self, client: httpx.AsyncClient, world: World, mode: str, info: int, content: int
    ) -> None:
        made = await upload(client, world.owner, content=b"text,label\na,b\n", accessMode=mode)
        assert made["warnings"] == [{"code": "same_label", "args": {}}]
        seen = await client.get(path_of(made), headers=world.stranger)
        assert seen.status_code == info
        if mode == "restricted":
            assert (seen.json()["sha256"], seen.json()["contentAllowed"]) == (None, False)
            assert (seen.json()["warning"], seen.json()["warnings"]) == (None, [])
        for part in ("content", "content?type=json/texts-and-labels", "rows"):
            answer = await client.get(f"{path_of(made)}/{part}", headers=world.stranger)
            assert answer.status_code == content, part
            assert (await client.get(f"{path_of(made)}/{part}")).status_code == 401
        assert (await client.get(path_of(made), headers=world.admin)).status_code == 200

    async def test_key_that_is_limited_to_models_sees_no_private_dataset(
        self, client: httpx.AsyncClient, world: World, identities: Identities
    ) -> None:
        model = {"modelName": "m", "trainingDatasetType": "csv/texts-and-labels"}
        model_id = (await client.post(f"{ACME}/model", json=model, headers=world.owner)).json()["id"]["modelId"]
        made, limited = await upload(client, world.owner), identities.api_key(world.acme, allowed_models=(model_id,))
        assert (await client.get(path_of(made), headers=limited)).status_code == 404
        assert (await client.get(f"{path_of(made)}/content", headers=limited)).status_code == 404
        assert (await client.get(f"{ACME}/dataset", headers=limited)).status_code == 403
        assert (await client.get(f"{ACME}/model/m/dataset/allowed", headers=limited)).json() == []
        assert (await client.delete(path_of(made), headers=limited)).status_code == 403

    async def test_other_accounts_change_nothing(self, client: httpx.AsyncClient, world: World) -> None:
        made = await upload(client, world.owner, accessMode="public")
        path, files = path_of(made, GLOBEX), {"file": ("x", LABELS)}
        answers = [
            await client.post(f"{path}/raw", json={"name": "n"}, headers=world.stranger),
            await client.post(path, json={"name": "n", "content": "a"}, headers=world.stranger),
            await client.post(f"{path}/content", files=files, headers=world.stranger),
            await client.post(f"{path}/rows", json={"version": 1, "added": [["a", "b"]]}, headers=world.stranger),
            await client.get(f"{path}/logs", headers=world.stranger),
            await client.delete(path, headers=world.stranger),
        ]
        assert {(answer.status_code, answer.json()["code"]) for answer in answers} == {(404, "mlp.core.not_found")}
        foreign = await client.delete(path_of(made), headers=world.stranger)
        assert foreign.json()["code"] == "account.access.denied"


class TestChange:
    async def test_fields_are_updated_and_the_type_of_a_content_stays(
        self, client: httpx.AsyncClient, world: World
    ) -> None:
        made = await upload(client, world.owner, description="d")
        wanted = {"id": made["id"], "name": "e", "accessMode": "public"}
        changed = (await client.post(f"{path_of(made)}/raw", json=wanted, headers=world.owner)).json()
        assert (changed["name"], changed["accessMode"], changed["description"]) == ("e", "public", "d")
        other = await client.post(
            f"{path_of(made)}/raw", json={"name": "e", "dataType": "json/any"}, headers=world.owner
        )
        assert other.json()["violations"][0]["rule"] == "content_type_kept"
        confused = {"id": {"accountId": 1, "datasetId": 1}, "name": "e"}
        answer = await client.post(f"{path_of(made)}/raw", json=confused, headers=world.owner)
        assert list(answer.json()["args"]) == ["id"]

    async def test_new_content_replaces_the_old_one(self, client: httpx.AsyncClient, world: World) -> None:
        made = await upload(client, world.owner)
        files = {"file": ("x.csv", b"only,one\n")}
        changed = (await client.post(f"{path_of(made)}/content", files=files, headers=world.owner)).json()
        assert (changed["rows"], changed["version"]) == (1, 2)
        assert changed["warning"] == "all rows have the same label"
        assert changed["warnings"] == [{"code": "same_label", "args": {}}]
        assert (await client.get(f"{path_of(made)}/content", headers=world.owner)).content == b"only,one\n"

    async def test_history_tells_what_happened(self, client: httpx.AsyncClient, world: World) -> None:
        made = await upload(client, world.owner)
        await client.post(f"{path_of(made)}/content", files={"file": ("x", LABELS)}, headers=world.owner)
        await client.post(f"{path_of(made)}/raw", json={"name": "e"}, headers=world.owner)
        log = (await client.get(f"{path_of(made)}/logs", headers=world.owner)).json()
        assert [entry["code"] for entry in log] == ["DATASET_CHANGED", "DATASET_CONTENT_CHANGED", "DATASET_CREATED"]
        assert log[0]["args"]["nameChange"] == ["d", "e"]


class TestUse:
    async def test_dataset_is_deleted_only_when_no_model_of_any_account_refers_to_it(
        self, client: httpx.AsyncClient, world: World
    ) -> None:
        """The specification wants what is in use refused: an earlier release took the reference from models of others."""
        made = await upload(client, world.owner, accessMode="restricted")
        pk = made["id"]
        assert isinstance(pk, dict)
        body = {"modelName": "m", "trainingDatasetId": pk["datasetId"]}
        own = (await client.post(f"{ACME}/model", json=body, headers=world.owner)).json()
        assert own["trainingDatasetAccountId"] == pk["accountId"]
        assert own["trainingDataset"]["name"] == "d"
        assert own["trainingDataset"]["columns"] == ["text", "label"]
        alone = (await client.delete(path_of(made), headers=world.owner)).json()
        assert (alone["args"]["use"], alone["args"]["names"]) == ("named", "m")
        foreign = await client.post(f"{GLOBEX}/model", json=body | {"modelName": "theirs"}, headers=world.stranger)
        assert foreign.json()["trainingDataset"]["name"] == "d"
        refused = await client.delete(path_of(made), headers=world.owner)
        assert (refused.status_code, refused.json()["code"]) == (409, "mlp.core.in_use")
        assert refused.json()["message"] == "the dataset is in use: m and 1 more services"
        args = refused.json()["args"]
        assert (args["use"], args["names"], args["count"]) == ("named_and_more", "m", "1")
        await client.delete(f"{ACME}/model/m", headers=world.owner)
        others = (await client.delete(path_of(made), headers=world.owner)).json()
        assert others["args"] == {"entity": "the dataset", "by": "1 services", "use": "services", "count": "1"}
        kept = (await client.get(f"{GLOBEX}/model/theirs", headers=world.stranger)).json()
        assert (kept["trainingDatasetId"], kept["trainingDataset"]["name"]) == (pk["datasetId"], "d")
        assert (await client.get(f"{path_of(made)}/content", headers=world.owner)).content == LABELS
        taken = await client.post(
            f"{GLOBEX}/model/theirs", json={"modelName": "theirs", "trainingDatasetId": None}, headers=world.stranger
        )
        assert taken.json()["trainingDatasetId"] is None
        assert (await client.delete(path_of(made), headers=world.owner)).status_code == 200
        assert (await client.get(path_of(made), headers=world.owner)).status_code == 404

    async def test_deleted_models_do_not_keep_a_dataset(self, client: httpx.AsyncClient, world: World) -> None:
        made = await upload(client, world.owner, accessMode="public")
        pk = made["id"]
        assert isinstance(pk, dict)
        body = {"modelName": "m", "trainingDatasetId": pk["datasetId"]}
        for path, headers in ((ACME, world.owner), (GLOBEX, world.stranger)):
            assert (await client.post(f"{path}/model", json=body, headers=headers)).status_code == 200
            assert (await client.delete(f"{path}/model/m", headers=headers)).status_code == 200
        assert (await client.delete(path_of(made), headers=world.owner)).status_code == 200

    async def test_lists_of_models_show_no_long_texts_of_datasets_and_strangers_see_no_dataset(
        self, client: httpx.AsyncClient, publisher: World
    ) -> None:
        world = publisher
        made = await upload(client, world.owner, accessMode="public")
        pk = made["id"]
        assert isinstance(pk, dict)
        body = {"modelName": "m", "trainingDatasetId": pk["datasetId"]}
        await client.post(f"{ACME}/model", json=body, headers=world.owner)
        await client.post(f"{ACME}/model/m/public-settings", json={"isPublic": True}, headers=world.owner)
        alone = (await client.get(f"{ACME}/model/m", headers=world.owner)).json()["trainingDataset"]
        listed = (await client.get(f"{ACME}/model", headers=world.owner)).json()["records"][0]["trainingDataset"]
        assert alone["columns"] == ["text", "label"]
        assert listed == alone | {"columns": None, "warning": None, "warnings": []}
        foreign = await client.get(f"{ACME}/model/m", headers=world.stranger)
        assert (foreign.status_code, foreign.json()["trainingDataset"]) == (200, None)

    async def test_key_that_is_limited_to_models_learns_nothing_of_private_datasets(
        self, client: httpx.AsyncClient, world: World, identities: Identities
    ) -> None:
        pks = [(await upload(client, world.owner, name=name))["id"] for name in ("d", "e")]
        used, other = (pk["datasetId"] for pk in pks if isinstance(pk, dict))
        model = f"{ACME}/model/m"
        body = {"modelName": "m", "trainingDatasetId": used}
        made = (await client.post(f"{ACME}/model", json=body, headers=world.owner)).json()
        limited = identities.api_key(world.acme, allowed_models=(made["id"]["modelId"],))
        kept = await client.post(model, json=body, headers=limited)
        assert (kept.status_code, kept.json()["trainingDatasetId"]) == (200, used)
        for url in (model, f"{ACME}/model"):
            answer = (await client.get(url, headers=limited)).json()
            assert answer.get("records", [answer])[0]["trainingDataset"] is None
        for dataset_id in (other, 999_999):
            refused = await client.post(model, json=body | {"trainingDatasetId": dataset_id}, headers=limited)
            assert (refused.status_code, list(refused.json()["args"])) == (400, ["trainingDatasetId"])
        assert (await client.post(model, json=body | {"trainingDatasetId": other}, headers=world.owner)).is_success
        shown = (await client.get(model, headers=world.owner)).json()
        assert shown["trainingDataset"]["name"] == "e"
        taken = await client.post(model, json=body | {"trainingDatasetId": None}, headers=limited)
        assert (taken.status_code, taken.json()["trainingDatasetId"]) == (200, None)

    async def test_model_cannot_refer_to_a_private_dataset_of_others(
        self, client: httpx.AsyncClient, world: World
    ) -> None:
        pk = (await upload(client, world.owner))["id"]
        assert isinstance(pk, dict)
        body = {"modelName": "m", "trainingDatasetId": pk["datasetId"]}
        answer = await client.post(f"{GLOBEX}/model", json=body, headers=world.stranger)
        assert list(answer.json()["args"]) == ["trainingDatasetId"]

    async def test_model_keeps_a_dataset_that_became_private_and_takes_it_only_back_as_it_is(
        self, client: httpx.AsyncClient, world: World
    ) -> None:
        made = await upload(client, world.owner, accessMode="public")
        pk = made["id"]
        assert isinstance(pk, dict)
        body = {"modelName": "m", "trainingDatasetId": pk["datasetId"]}
        assert (await client.post(f"{GLOBEX}/model", json=body, headers=world.stranger)).is_success
        await client.post(f"{path_of(made)}/raw", json={"name": "d", "accessMode": "private"}, headers=world.owner)
        for account_id in ({}, {"trainingDatasetAccountId": pk["accountId"]}):
            same = body | account_id | {"displayName": "M"}
            kept = await client.post(f"{GLOBEX}/model/m", json=same, headers=world.stranger)
            shown = [kept.json().get(name) for name in ("trainingDatasetId", "trainingDatasetAccountId", "displayName")]
            assert (kept.status_code, shown) == (200, [pk["datasetId"], pk["accountId"], "M"])
            assert kept.json()["trainingDataset"] is None
        wrong = body | {"trainingDatasetAccountId": 999}
        refused = await client.post(f"{GLOBEX}/model/m", json=wrong, headers=world.stranger)
        assert (refused.status_code, list(refused.json()["args"])) == (400, ["trainingDatasetId"])
        await client.post(f"{GLOBEX}/model/m", json=body | {"trainingDatasetId": None}, headers=world.stranger)
        again = await client.post(f"{GLOBEX}/model/m", json=body, headers=world.stranger)
        assert (again.status_code, list(again.json()["args"])) == (400, ["trainingDatasetId"])

    async def test_allowed_datasets_have_a_type_that_the_model_takes(
        self, client: httpx.AsyncClient, world: World
    ) -> None:
        model = {"modelName": "m", "trainingDatasetType": "json/texts-and-labels"}
        await client.post(f"{ACME}/model", json=model, headers=world.owner)
        types = await client.get(f"{ACME}/model/m/dataset/allowed-types", headers=world.owner)
        assert types.json() == ["json/texts-and-labels", "csv/texts-and-labels"]
        await upload(client, world.owner, name="mine")
        await upload(client, world.owner, name="other", dataType="plain/texts")
        await upload(client, world.stranger, GLOBEX, name="shared", accessMode="public")
        await upload(client, world.stranger, GLOBEX, name="hidden")
        allowed = (await client.get(f"{ACME}/model/m/dataset/allowed", headers=world.owner)).json()
        assert [each["name"] for each in allowed] == ["mine", "shared"]
        foreign = await client.get(f"{ACME}/model/m/dataset/allowed", headers=world.stranger)
        assert foreign.json()["code"] == "mlp.gate.model_not_found"

    async def test_types_are_those_of_the_installation(self, client: httpx.AsyncClient, world: World) -> None:
        answer = await client.get("/api/mlpcore/system-config/dataset-data-type", headers=world.owner)
        assert answer.json() == DATASET_TYPES
