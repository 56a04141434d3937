import asyncio
import json

import httpx
import pytest

from mlpcore.features.examples.schemas import MOST_EXAMPLES
from mlplace_contracts.events import ModelChanged
from mlplace_runtime.db.database import Database
from mlplace_testing.events import published
from mlplace_testing.identities import Identities
from mlplace_testing.world import World

ACME = "/api/mlpcore/account/acme"
EXAMPLES = f"{ACME}/model/m/example"
LARGE = json.dumps("x" * (250 * 1024))


@pytest.fixture
async def model(client: httpx.AsyncClient, publisher: World) -> int:
    made = await client.post(f"{ACME}/model", json={"modelName": "m"}, headers=publisher.owner)
    number: int = made.json()["id"]["modelId"]
    return number


async def _create(client: httpx.AsyncClient, world: World, name: str, **fields: object) -> dict[str, object]:
    body = {"name": name, "request": "{}", **fields}
    answer = await client.post(EXAMPLES, json=body, headers=world.owner)
    assert answer.status_code == 200, answer.text
    made: dict[str, object] = answer.json()
    return made


def _url(example: dict[str, object]) -> str:
    number = example["id"]
    assert isinstance(number, dict)
    return f"{EXAMPLES}/{number['exampleId']}"


async def _names(client: httpx.AsyncClient, world: World) -> list[tuple[str, int]]:
    listed = (await client.get(EXAMPLES, headers=world.owner)).json()
    return [(one["name"], one["position"]) for one in listed]


class TestChanges:
    async def test_example_is_created_changed_and_deleted(
        self, client: httpx.AsyncClient, publisher: World, model: int
    ) -> None:
        body = {"name": "Two words", "request": '{"text": "one two"}', "answer": '{"words": 2}'}
        made = await _create(client, publisher, **body)
        number = made["id"]
        assert made == body | {"position": 0, "id": number}
        assert isinstance(number, dict)
        assert (number["accountId"], number["modelId"]) == (publisher.acme.account_id, model)
        changed = await client.post(_url(made), json={"request": '{"text": ""}'}, headers=publisher.owner)
        assert changed.json() == made | {"request": '{"text": ""}'}
        cleared = await client.post(_url(made), json={"answer": None, "name": "None"}, headers=publisher.owner)
        assert cleared.json() == changed.json() | {"answer": None, "name": "None"}
        assert (await client.get(EXAMPLES, headers=publisher.user)).json() == [cleared.json()]
        assert (await client.delete(_url(made), headers=publisher.owner)).status_code == 200
        assert (await client.get(EXAMPLES, headers=publisher.owner)).json() == []
        missing = await client.delete(_url(made), headers=publisher.owner)
        assert (missing.status_code, missing.json()["code"]) == (404, "mlp.core.not_found")

    async def test_examples_keep_the_order_that_the_author_sets(
        self, client: httpx.AsyncClient, publisher: World, model: int
    ) -> None:
        a = await _create(client, publisher, "a")
        b = await _create(client, publisher, "b")
        await _create(client, publisher, "c", position=0)
        assert await _names(client, publisher) == [("c", 0), ("a", 1), ("b", 2)]
        moved = await client.post(_url(a), json={"position": MOST_EXAMPLES - 1}, headers=publisher.owner)
        assert moved.json()["position"] == 2
        assert await _names(client, publisher) == [("c", 0), ("b", 1), ("a", 2)]
        await client.delete(_url(b), headers=publisher.owner)
        assert await _names(client, publisher) == [("c", 0), ("a", 1)]

    async def test_taken_name_is_refused(self, client: httpx.AsyncClient, publisher: World, model: int) -> None:
        await _create(client, publisher, "a")
        other = await _create(client, publisher, "b")
        taken = {"name": "a", "request": "{}"}
        answers = [
            await client.post(EXAMPLES, json=taken, headers=publisher.owner),
            await client.post(_url(other), json=taken, headers=publisher.owner),
        ]
        assert {answer.status_code for answer in answers} == {409}

    async def test_change_publishes_no_event(
        self, client: httpx.AsyncClient, publisher: World, model: int, database: Database
    ) -> None:
        before = len(await published(database, ModelChanged))
        await _create(client, publisher, "a")
        assert len(await published(database, ModelChanged)) == before


class TestLimits:
    async def test_concurrent_creations_stop_at_the_limit(
        self, client: httpx.AsyncClient, publisher: World, model: int
    ) -> None:
        for number in range(MOST_EXAMPLES - 2):
            await _create(client, publisher, f"e{number}")
        bodies = [{"name": f"late {number}", "request": "{}"} for number in range(4)]
        answers = await asyncio.gather(*(client.post(EXAMPLES, json=b, headers=publisher.owner) for b in bodies))
        assert sorted(answer.status_code for answer in answers) == [200, 200, 403, 403]
        assert {a.json()["code"] for a in answers if a.status_code == 403} == {"mlp.core.example_limit_exceeded"}
        positions = [position for _, position in await _names(client, publisher)]
        assert positions == list(range(MOST_EXAMPLES))

    async def test_examples_of_a_model_have_a_size_together(
        self, client: httpx.AsyncClient, publisher: World, model: int
    ) -> None:
        small = await _create(client, publisher, "small")
        await _create(client, publisher, "a", request=LARGE, answer=LARGE)
        await _create(client, publisher, "b", request=LARGE, answer=LARGE)
        body = {"name": "c", "request": LARGE}
        for answer in (
            await client.post(EXAMPLES, json=body, headers=publisher.owner),
            await client.post(_url(small), json={"answer": LARGE}, headers=publisher.owner),
        ):
            assert (answer.status_code, answer.json()["code"]) == (413, "mlp.core.examples_too_large")
        listed = (await client.get(EXAMPLES, headers=publisher.owner)).json()
        assert [(one["name"], one["answer"] is None) for one in listed] == [("small", True), ("a", False), ("b", False)]

    @pytest.mark.parametrize(
        ("part", "field"),
        [
            ({"request": "{"}, "request"),
            ({"request": ""}, "request"),
            ({"request": '{"a": NaN}'}, "request"),
            ({"request": "[" * 100_000}, "request"),
            ({"request": '"' + "x" * (256 * 1024) + '"'}, "request"),
            ({"request": {"a": 1}}, "request"),
            ({"answer": "<html>"}, "answer"),
            ({"name": ""}, "name"),
            ({"name": "a\nb"}, "name"),
            ({"name": "x" * 81}, "name"),
            ({"name": "\u0000"}, "name"),
            ({"position": -1}, "position"),
            ({"position": 2**63}, "position"),
            ({"modelId": 1}, "modelId"),
        ],
        ids=lambda value: repr(value)[:40],
    )
    async def test_invalid_field_is_refused(
        self, client: httpx.AsyncClient, publisher: World, model: int, part: dict[str, object], field: str
    ) -> None:
        made = await _create(client, publisher, "first")
        answers = [
            await client.post(EXAMPLES, json={"name": "n", "request": "{}", **part}, headers=publisher.owner),
            await client.post(_url(made), json=part, headers=publisher.owner),
        ]
        assert [(answer.status_code, list(answer.json()["args"])) for answer in answers] == [(400, [field])] * 2


class TestVisibility:
    async def test_those_who_see_the_model_read_its_examples(
        self, client: httpx.AsyncClient, publisher: World, model: int
    ) -> None:
        made = await _create(client, publisher, "a", answer='"<script>alert(1)</script>"')
        hidden = [await client.get(EXAMPLES, headers=headers) for headers in ({}, publisher.stranger)]
        assert {(a.status_code, a.json()["code"]) for a in hidden} == {(404, "mlp.gate.model_not_found")}
        await client.post(f"{ACME}/model/m/public-settings", json={"isPublic": True}, headers=publisher.owner)
        shown = [(await client.get(EXAMPLES, headers=headers)).json() for headers in ({}, publisher.stranger)]
        assert shown == [[made], [made]]

    async def test_key_for_other_models_neither_reads_nor_writes(
        self, client: httpx.AsyncClient, publisher: World, model: int, identities: Identities
    ) -> None:
        limited = identities.api_key(publisher.acme, allowed_models=(model + 1,))
        body = {"name": "a", "request": "{}"}
        assert (await client.get(EXAMPLES, headers=limited)).status_code == 404
        assert (await client.post(EXAMPLES, json=body, headers=limited)).status_code == 403

    async def test_example_of_another_model_looks_missing(
        self, client: httpx.AsyncClient, publisher: World, model: int
    ) -> None:
        made = await _create(client, publisher, "a")
        number = _url(made).rpartition("/")[2]
        await client.post(f"{ACME}/model", json={"modelName": "other"}, headers=publisher.owner)
        url = f"{ACME}/model/other/example/{number}"
        for answer in (
            await client.post(url, json={"name": "b"}, headers=publisher.owner),
            await client.delete(url, headers=publisher.owner),
        ):
            assert (answer.status_code, answer.json()["code"]) == (404, "mlp.core.not_found")
        assert await _names(client, publisher) == [("a", 0)]
