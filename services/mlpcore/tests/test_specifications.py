"""OpenAPI documents of models and the published data types."""

from typing import Any, get_args

import httpx
import pytest
import yaml

from mlpcore.features.models.settings.blocks import TaskType
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
    async def test_every_reference_in_a_document_resolves(
        self, client: httpx.AsyncClient, world: World, task_type: str
    ) -> None:
        path = await made(client, world, taskType=task_type)
        document = (await client.get(f"{path}/api-specification", headers=world.owner)).json()
        assert set(references_in(document)) <= set(document["components"]["schemas"])
        assert document["openapi"] == "3.1.0"

    async def test_document_names_the_calls_and_types_of_the_model(
        self, client: httpx.AsyncClient, world: World
    ) -> None:
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

    async def test_specification_of_a_private_model_looks_missing(
        self, client: httpx.AsyncClient, world: World
    ) -> None:
        path = await made(client, world)
        foreign = await client.get(f"{path}/api-specification", headers=world.stranger)
        missing = await client.get(f"{MODELS}/nothing/api-specification", headers=world.stranger)
        assert (foreign.status_code, foreign.json()["code"]) == (404, missing.json()["code"])


class TestFiles:
    @pytest.mark.parametrize("prefix", ["/specs", "/api/mlpcore/specs"])
    async def test_published_files_are_public(self, client: httpx.AsyncClient, prefix: str) -> None:
        for name in NAMES:
            answer = await client.get(f"{prefix}/{name}")
            assert answer.headers["content-type"].startswith("application/yaml")
            assert yaml.safe_load(answer.text)["openapi"] == "3.1.0"

    @pytest.mark.parametrize("name", ["mlp-data-none.yml", "library.py", "..%2flibrary.py", "%00", "files"])
    async def test_other_file_is_not_found(self, client: httpx.AsyncClient, name: str) -> None:
        assert (await client.get(f"/specs/{name}")).status_code == 404

    @pytest.mark.parametrize("name", NAMES)
    def test_every_reference_in_a_file_resolves_within_it(self, name: str) -> None:
        schemas = schemas_of(name)
        assert {target for schema in schemas.values() for target in references_in(schema)} <= set(schemas)

    def test_every_shape_names_existing_schemas(self) -> None:
        for shape in SHAPES.values():
            wanted = {shape.request, shape.response, *([shape.config] if shape.config else [])}
            assert wanted <= set(schemas_of(shape.file))


class TestModelCounts:
    async def test_own_and_favourite_live_models_are_counted(self, client: httpx.AsyncClient, world: World) -> None:
        counts = "/api/mlpcore/account/acme/model-counts"
        empty = {"createdByMe": 0, "favorites": 0, "fitted": 0}
        assert (await client.get(counts, headers=world.owner)).json() == empty
        path = await made(client, world)
        await client.post(MODELS, json={"modelName": "other"}, headers=world.owner)
        await client.post(f"{path}/favorite", json=True, headers=world.owner)
        assert (await client.get(counts, headers=world.owner)).json() == {**empty, "createdByMe": 2, "favorites": 1}
        await client.delete(path, headers=world.owner)
        assert (await client.get(counts, headers=world.owner)).json() == {**empty, "createdByMe": 1}

    async def test_stranger_may_not_read_counts(self, client: httpx.AsyncClient, world: World) -> None:
        answer = await client.get("/api/mlpcore/account/acme/model-counts", headers=world.stranger)
        assert answer.status_code == 403
