import asyncio

import httpx
import pytest

from mlplace_contracts.events import PredictConfigChanged
from mlplace_runtime.db.database import Database
from mlplace_testing.events import published
from mlplace_testing.world import World

ACME = "/api/mlpcore/account/acme"
GLOBEX = "/api/mlpcore/account/globex"
CONFIGS = f"{ACME}/model/m/predict-config"


def _default(name: str) -> dict[str, object]:
    return {"name": name, "isDefault": True, "config": "{}"}


@pytest.fixture
async def model(client: httpx.AsyncClient, world: World) -> int:
    made = await client.post(f"{ACME}/model", json={"modelName": "m"}, headers=world.owner)
    number: int = made.json()["id"]["modelId"]
    return number


class TestModelGroups:
    async def test_group_is_created_renamed_assigned_and_deleted(
        self, client: httpx.AsyncClient, world: World, model: int
    ) -> None:
        made = (await client.post(f"{ACME}/model-group", json={"name": "nlp"}, headers=world.owner)).json()
        renamed = await client.patch(f"{ACME}/model-group", json=made | {"name": "texts"}, headers=world.owner)
        assert renamed.json() == made | {"name": "texts"}
        assert (await client.get(f"{ACME}/model-group", headers=world.user)).json() == [renamed.json()]
        number = made["id"]["groupId"]
        assigned = await client.patch(f"{ACME}/model/m/model-group/{number}", headers=world.owner)
        assert (assigned.status_code, assigned.content) == (200, b"")
        shown = (await client.get(f"{ACME}/model/{model}", headers=world.owner)).json()
        assert (shown["modelGroupId"], shown["modelGroupName"]) == (number, "texts")
        found = (await client.get(f"{ACME}/model?groupId={number}", headers=world.owner)).json()
        assert found["paging"]["totalElements"] == 1
        await client.delete(f"{ACME}/model/m/model-group", headers=world.owner)
        assert (await client.get(f"{ACME}/model/m", headers=world.owner)).json()["modelGroupId"] is None
        await client.patch(f"{ACME}/model/m/model-group/{number}", headers=world.owner)
        assert (await client.delete(f"{ACME}/model-group/{number}", headers=world.owner)).status_code == 200
        assert (await client.get(f"{ACME}/model/m", headers=world.owner)).json()["modelGroupId"] is None
        assert (await client.delete(f"{ACME}/model-group/{number}", headers=world.owner)).status_code == 404

    async def test_duplicate_name_is_refused(self, client: httpx.AsyncClient, world: World) -> None:
        posts = [client.post(f"{ACME}/model-group", json={"name": "g"}, headers=world.owner) for _ in range(4)]
        assert sorted(answer.status_code for answer in await asyncio.gather(*posts)) == [200, 409, 409, 409]
        other = (await client.post(f"{ACME}/model-group", json={"name": "h"}, headers=world.owner)).json()
        taken = await client.patch(f"{ACME}/model-group", json=other | {"name": "g"}, headers=world.owner)
        assert taken.status_code == 409

    async def test_group_of_another_account_looks_missing(
        self, client: httpx.AsyncClient, world: World, model: int
    ) -> None:
        made = (await client.post(f"{GLOBEX}/model-group", json={"name": "g"}, headers=world.stranger)).json()
        number = made["id"]["groupId"]
        answers = [
            await client.patch(f"{ACME}/model/m/model-group/{number}", headers=world.owner),
            await client.patch(f"{ACME}/model/m/model-group/999", headers=world.owner),
            await client.delete(f"{ACME}/model-group/{number}", headers=world.owner),
            await client.patch(f"{ACME}/model-group", json=made, headers=world.owner),
        ]
        assert {(answer.status_code, answer.json()["code"]) for answer in answers} == {(404, "mlp.core.not_found")}

    @pytest.mark.parametrize("body", [{"name": ""}, {"name": "a\nb"}, {}, {"name": "x" * 200}])
    async def test_invalid_name_is_refused(
        self, client: httpx.AsyncClient, world: World, body: dict[str, object]
    ) -> None:
        answer = await client.post(f"{ACME}/model-group", json=body, headers=world.owner)
        assert list(answer.json()["args"]) == ["name"]
        assert (await client.patch(f"{ACME}/model-group", json={"name": "g"}, headers=world.owner)).status_code == 400


class TestPredictConfigs:
    async def test_configuration_is_created_changed_and_deleted(
        self, client: httpx.AsyncClient, world: World, model: int
    ) -> None:
        body = {"name": "fast", "isDefault": False, "config": '{"beam": 1}'}
        made = (await client.post(CONFIGS, json=body, headers=world.owner)).json()
        assert made == body | {"id": {"accountId": 1000000001, "modelId": model, "configId": made["id"]["configId"]}}
        url = f"{CONFIGS}/{made['id']['configId']}"
        assert (await client.get(url, headers=world.user)).json() == made
        changed = (await client.post(url, json={"config": "[]"}, headers=world.owner)).json()
        assert changed == made | {"config": "[]"}
        assert (await client.get(CONFIGS, headers=world.user)).json() == [changed]
        assert (await client.delete(url, headers=world.owner)).status_code == 200
        missing = await client.get(url, headers=world.owner)
        assert (missing.status_code, missing.json()["code"]) == (404, "mlp.gate.config_not_found")

    async def test_concurrent_defaults_leave_one_default(
        self, client: httpx.AsyncClient, world: World, model: int
    ) -> None:
        posts = [
            client.post(CONFIGS, json={"name": f"c{n}", "isDefault": True, "config": "{}"}, headers=world.owner)
            for n in range(5)
        ]
        assert {answer.status_code for answer in await asyncio.gather(*posts)} == {200}
        listed = (await client.get(CONFIGS, headers=world.owner)).json()
        assert [entry["isDefault"] for entry in listed].count(True) == 1
        first = listed[0]["id"]["configId"]
        await client.post(f"{CONFIGS}/{first}", json={"isDefault": True, "config": "{}"}, headers=world.owner)
        listed = (await client.get(CONFIGS, headers=world.owner)).json()
        assert [entry["id"]["configId"] for entry in listed if entry["isDefault"]] == [first]

    async def test_each_change_is_published(
        self, client: httpx.AsyncClient, world: World, model: int, database: Database
    ) -> None:
        first = (await client.post(CONFIGS, json=_default("a"), headers=world.owner)).json()["id"]["configId"]
        second = (await client.post(CONFIGS, json=_default("b"), headers=world.owner)).json()["id"]["configId"]
        await client.post(f"{CONFIGS}/{first}", json={"config": "[1]"}, headers=world.owner)
        await client.delete(f"{CONFIGS}/{second}", headers=world.owner)
        events = await published(database, PredictConfigChanged)
        assert [(e.config_id, e.is_default, e.config, e.active) for e in events] == [
            (first, True, "{}", True),
            (first, False, "{}", True),
            (second, True, "{}", True),
            (first, False, "[1]", True),
            (second, True, "{}", False),
        ]
        assert {(e.account_id, e.model_id) for e in events} == {(world.acme.account_id, model)}
        of_first = [e.version for e in events if e.config_id == first]
        assert of_first == sorted(set(of_first)), "each is newer than the one before"

    async def test_gates_resolve_an_unknown_configuration(
        self, client: httpx.AsyncClient, world: World, model: int
    ) -> None:
        text = '{"token": "s"}'
        made = (await client.post(CONFIGS, json={"name": "c", "config": text}, headers=world.owner)).json()
        config_id = made["id"]["configId"]

        async def resolved(model_id: int) -> object:
            body = {"model_id": model_id, "config_id": config_id}
            answer = await client.post("/internal/mlpcore/predict-configs/resolve", json=body, headers=world.internal)
            return answer.json()

        assert await resolved(model) == {"config": text}
        assert await resolved(model + 1) is None
        await client.delete(f"{CONFIGS}/{config_id}", headers=world.owner)
        assert await resolved(model) is None

    async def test_secrets_are_masked_and_kept(
        self, client: httpx.AsyncClient, world: World, model: int, database: Database
    ) -> None:
        config = '{"api_key": "canary", "temperature": 1}'
        made = await client.post(CONFIGS, json={"name": "c", "config": config}, headers=world.owner)
        shown = '{"api_key": "********", "temperature": 1}'
        number = made.json()["id"]["configId"]
        listed = (await client.get(CONFIGS, headers=world.user)).json()
        assert (made.json()["config"], listed[0]["config"]) == (shown, shown)
        changed = {"config": shown.replace("1", "2")}
        assert (await client.post(f"{CONFIGS}/{number}", json=changed, headers=world.owner)).status_code == 200
        assert (await published(database, PredictConfigChanged))[-1].config == config.replace("1", "2")
        refused = await client.post(CONFIGS, json={"name": "d", "config": shown}, headers=world.owner)
        assert (refused.status_code, list(refused.json()["args"])) == (400, ["config.api_key"])

    async def test_republish_publishes_configurations_again(
        self, client: httpx.AsyncClient, world: World, model: int, database: Database
    ) -> None:
        await client.post(CONFIGS, json=_default("a"), headers=world.owner)
        (before,) = await published(database, PredictConfigChanged)
        await client.post("/internal/mlpcore/republish", headers=world.internal)
        assert await published(database, PredictConfigChanged) == [before, before]

    async def test_configuration_may_be_nested_as_deep_as_its_secrets_are_found(
        self, client: httpx.AsyncClient, world: World, model: int
    ) -> None:
        config = "[" * 199 + '{"api_key": "canary"}' + "]" * 199
        made = await client.post(CONFIGS, json={"name": "c", "config": config}, headers=world.owner)
        assert made.status_code == 200
        assert "canary" not in made.text

    async def test_byte_order_mark_is_no_part_of_a_configuration(
        self, client: httpx.AsyncClient, world: World, model: int
    ) -> None:
        made = await client.post(CONFIGS, json={"name": "c", "config": '\ufeff{"a":1}'}, headers=world.owner)
        assert (made.status_code, made.json()["config"]) == (200, '{"a":1}')
        twice = await client.post(CONFIGS, json={"name": "d", "config": '\ufeff\ufeff{"a":1}'}, headers=world.owner)
        assert (twice.status_code, list(twice.json()["args"])) == (400, ["config"])

    @pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
    async def test_last_value_of_a_repeated_field_counts(
        self, client: httpx.AsyncClient, world: World, model: int, mark: bytes
    ) -> None:
        body = mark + b'{"name":"a","config":"[]","n\\u0061me":"c","config":"{}"}'
        headers = {**world.owner, "Content-Type": "application/json"}
        made = await client.post(CONFIGS, content=body, headers=headers)
        assert (made.status_code, made.json()["name"], made.json()["config"]) == (200, "c", "{}")

    async def test_no_value_of_a_repeated_secret_is_shown(
        self, client: httpx.AsyncClient, world: World, model: int
    ) -> None:
        for name, (first, last) in {"a": ("canary", "x"), "b": ("x", "canary")}.items():
            config = f'{{"api_key": "{first}", "api_key": "{last}", "a": {{"token": "canary", "token": "canary"}}}}'
            made = await client.post(CONFIGS, json={"name": name, "config": config}, headers=world.owner)
            assert made.status_code == 200
            assert "canary" not in made.text

    @pytest.mark.parametrize(
        ("config", "violation"),
        [
            ('{"a":' * 201 + "1" + "}" * 201, ("json_depth", {"max": "200"}, "must be nested at most 200 deep")),
            ("1" * 5000, ("json_number", {"max": "4300"}, "holds a number of more than 4300 digits")),
            ("[" * 201 + "x", ("json_depth", {"max": "200"}, "must be nested at most 200 deep")),
            ("[" * 20 + "x", ("json_text", {}, "must be JSON text")),
            (
                r'{"a": "\ud800"}',
                ("json_text", {}, "must be JSON text; it holds half a surrogate pair, which is no character"),
            ),
            (r'{"a": "\ud800"', ("json_text", {}, "must be JSON text")),
        ],
        ids=["depth", "digits", "depth before the fault", "no JSON", "half a pair", "half a pair and no JSON"],
    )
    async def test_refusal_names_what_the_configuration_breaks(
        self, client: httpx.AsyncClient, world: World, model: int, config: str, violation: tuple[str, object, str]
    ) -> None:
        refused = (await client.post(CONFIGS, json={"name": "c", "config": config}, headers=world.owner)).json()
        (found,) = refused["violations"]
        assert (found["rule"], found["args"], refused["args"]["config"]) == violation

    @pytest.mark.parametrize(
        ("body", "field"),
        [({"name": "c", "config": "{"}, "config"), ({"config": "{}"}, "name"), ({"name": "c"}, "config")],
    )
    async def test_invalid_field_is_refused(
        self, client: httpx.AsyncClient, world: World, model: int, body: dict[str, object], field: str
    ) -> None:
        answer = await client.post(CONFIGS, json=body, headers=world.owner)
        assert (answer.status_code, list(answer.json()["args"])) == (400, [field])

    async def test_taken_name_and_missing_model_are_refused(
        self, client: httpx.AsyncClient, world: World, model: int
    ) -> None:
        body = {"name": "c", "config": "{}"}
        await client.post(CONFIGS, json=body, headers=world.owner)
        assert (await client.post(CONFIGS, json=body, headers=world.owner)).status_code == 409
        foreign = await client.get(f"{GLOBEX}/model/{model}/predict-config", headers=world.stranger)
        assert foreign.json()["code"] == "mlp.gate.model_not_found"
