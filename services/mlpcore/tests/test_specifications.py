"""Documents for people who call a service from their own code."""

from typing import Any, get_args

import httpx
import pytest
import yaml

from mlpcore.features.models.blocks import TaskType
from mlpcore.features.specifications.library import NAMES, SHAPES, references_in, schemas_of
from mlplace_testing.world import World

MODELS = "/api/mlpcore/account/acme/model"


async def made(client: httpx.AsyncClient, world: World, **more: object) -> str:
    body = {"modelName": "m", **more}
    answer = await client.post(MODELS, json=body, headers=world.owner)
    assert answer.status_code == 200, answer.text
    return f"{MODELS}/m"


class TestApiSpecification:
    @pytest.mark.parametrize("task_type", get_args(TaskType))
    async def test_every_reference_in_it_leads_somewhere(
        self, client: httpx.AsyncClient, world: World, task_type: str
    ) -> None:
        path = await made(client, world, taskType=task_type)
        document = (await client.get(f"{path}/api-specification", headers=world.owner)).json()
        assert set(references_in(document)) <= set(document["components"]["schemas"])
        assert document["openapi"] == "3.1.0"

    async def test_names_the_calls_of_this_service_and_its_types(self, client: httpx.AsyncClient, world: World) -> None:
        path = await made(client, world, taskType="ner", displayName="Names", shortDescription="Finds names")
        descriptor = {
            "name": "Ner",
            "fittable": False,
            "schemaFiles": [],
            "methods": {
                "predict": {
                    "name": "predict",
                    "params": {"data": {"type": "Texts"}},
                    "output": {"type": "Entities"},
                    "fitted": False,
                }
            },
        }
        assert (
            await client.post(f"{path}/service-descriptor", json=descriptor, headers=world.owner)
        ).status_code == 200
        document = (await client.get(f"{path}/api-specification", headers=world.owner)).json()
        assert (document["info"]["title"], document["info"]["description"]) == ("Names", "Finds names")
        calls: dict[str, Any] = document["paths"]
        assert [name.rpartition("/")[2] for name in calls] == ["predict", "predict-with-config-v2"]
        predict = next(iter(calls.values()))["post"]
        assert predict["summary"] == "Call the service: `predict(data: Texts) -> Entities`"
        assert predict["requestBody"]["content"]["application/json"]["schema"] == {
            "$ref": "#/components/schemas/TextsCollection"
        }

    async def test_whoever_may_not_see_a_service_sees_no_specification(
        self, client: httpx.AsyncClient, world: World
    ) -> None:
        path = await made(client, world)
        foreign = await client.get(f"{path}/api-specification", headers=world.stranger)
        missing = await client.get(f"{MODELS}/nothing/api-specification", headers=world.stranger)
        assert (foreign.status_code, foreign.json()["code"]) == (404, missing.json()["code"])


class TestFiles:
    @pytest.mark.parametrize("prefix", ["/specs", "/api/mlpcore/specs"])
    async def test_anybody_reads_them(self, client: httpx.AsyncClient, prefix: str) -> None:
        for name in NAMES:
            answer = await client.get(f"{prefix}/{name}")
            assert answer.headers["content-type"].startswith("application/yaml")
            assert yaml.safe_load(answer.text)["openapi"] == "3.1.0"

    @pytest.mark.parametrize("name", ["mlp-data-none.yml", "library.py", "..%2flibrary.py", "%00", "files"])
    async def test_nothing_else_is_read(self, client: httpx.AsyncClient, name: str) -> None:
        assert (await client.get(f"/specs/{name}")).status_code == 404

    @pytest.mark.parametrize("name", NAMES)
    def test_every_reference_leads_to_a_schema_of_the_file(self, name: str) -> None:
        schemas = schemas_of(name)
        assert {target for schema in schemas.values() for target in references_in(schema)} <= set(schemas)

    def test_every_shape_has_its_schemas(self) -> None:
        for shape in SHAPES.values():
            wanted = {shape.request, shape.response, *([shape.config] if shape.config else [])}
            assert wanted <= set(schemas_of(shape.file))


class TestModelCounts:
    async def test_counts_own_services_favourites_and_what_was_trained(
        self, client: httpx.AsyncClient, world: World
    ) -> None:
        counts = "/api/mlpcore/account/acme/model-counts"
        empty = {"createdByMe": 0, "favorites": 0, "fitted": 0}
        assert (await client.get(counts, headers=world.owner)).json() == empty
        path = await made(client, world)
        await client.post(MODELS, json={"modelName": "other"}, headers=world.owner)
        await client.post(f"{path}/favorite", json=True, headers=world.owner)
        assert (await client.get(counts, headers=world.owner)).json() == {**empty, "createdByMe": 2, "favorites": 1}
        await client.delete(path, headers=world.owner)
        assert (await client.get(counts, headers=world.owner)).json() == {**empty, "createdByMe": 1}

    async def test_a_stranger_counts_nothing(self, client: httpx.AsyncClient, world: World) -> None:
        answer = await client.get("/api/mlpcore/account/acme/model-counts", headers=world.stranger)
        assert answer.status_code == 403
