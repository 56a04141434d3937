"""Vectors through OpenAI's own client."""

import openai
import orjson
import pytest

NO_USAGE = {"prompt_tokens": 0, "total_tokens": 0}


@pytest.fixture
def vectors(world, kit) -> str:
    world.know(kit.model_changed(name="vec", model_id=700, task_type="text2vec"))
    return "acme/vec"


def of_texts(data, _config):
    return {"embedded_texts": [{"vector": [len(text), 0.5]} for text in data["texts"]]}


class TestModelsThatTakeTexts:
    async def test_each_text_gets_its_vector_in_order(self, client, vectors, answering) -> None:
        answering(of_texts)
        answer = await client.embeddings.create(model=vectors, input=["a", "bcd"])
        assert [(item.index, item.embedding) for item in answer.data] == [(0, [1.0, 0.5]), (1, [3.0, 0.5])]
        assert (answer.model, answer.usage.total_tokens) == (vectors, 0)

    @pytest.mark.parametrize("form", ["float", "base64"])
    async def test_single_text_works_in_both_formats(self, world, vectors, answering, form) -> None:
        answering(of_texts)
        body = {"model": vectors, "input": "abc", "encoding_format": form}
        answer = await world.client.post("/api/adapters/openai/embeddings", json=body, headers=world.key())
        assert answer.json()["data"][0]["embedding"] == ([3, 0.5] if form == "float" else "AABAQAAAAD8=")

    @pytest.mark.parametrize(
        "wrong",
        [{"input": [1, 2]}, {"input": []}, {"input": 5}, {"input": [""] * 30_000}, {"input": "a", "dimensions": 5}, {}],
    )
    async def test_unsupported_input_is_refused(self, world, vectors, answering, wrong) -> None:
        twin = answering(of_texts)
        body = {"model": vectors, **wrong}
        answer = await world.client.post("/api/adapters/openai/embeddings", json=body, headers=world.key())
        assert (answer.status_code, twin.requests) == (400, [])

    @pytest.mark.parametrize(
        "broken", [{"embedded_texts": []}, {"embedded_texts": [{"vector": "x"}]}, [1], {"embedded_texts": [{}]}]
    )
    async def test_invalid_answer_is_an_error_of_the_model(self, client, world, kit, vectors, broken) -> None:
        world.instance(kit.says(orjson.dumps(broken).decode()), model_id=700)
        with pytest.raises(openai.InternalServerError) as failed:
            await client.embeddings.create(model=vectors, input="a")
        assert failed.value.status_code == 502

    @pytest.mark.parametrize(
        ("told", "usage"),
        [({"total_tokens": 3}, {"total_tokens": 3}), *[(it, NO_USAGE) for it in (None, {}, "", [], 0, False, "n/a")]],
        ids=repr,
    )
    async def test_usage_is_what_the_model_told_if_it_counts(self, world, vectors, answering, told, usage) -> None:
        answering(lambda _data, _config: {"embedded_texts": [{"vector": [1]}], "usage": told})
        body = {"model": vectors, "input": "a"}
        answer = await world.client.post("/api/adapters/openai/embeddings", json=body, headers=world.key())
        assert answer.json()["usage"] == usage

    async def test_vector_of_too_many_numbers_is_refused(self, world, vectors, answering) -> None:
        answering(lambda _data, _config: {"embedded_texts": [{"vector": [0] * 100_002}]})
        body = {"model": vectors, "input": "a"}
        answer = await world.client.post("/api/adapters/openai/embeddings", json=body, headers=world.key())
        assert answer.status_code == 502


class TestModelsWithOpenAiRequests:
    @pytest.fixture
    def native(self, world, kit) -> str:
        world.know(kit.model_changed(name="proxy", model_id=700, task_type="custom"))
        return "acme/proxy/big"

    async def test_request_and_answer_pass_unchanged(self, client, native, answering) -> None:
        reply = {"data": [{"index": 0, "embedding": [1.0]}], "usage": {"prompt_tokens": 2, "total_tokens": 2}}
        twin = answering(lambda _data, _config: reply)
        answer = await client.embeddings.create(model=native, input=[1, 2], dimensions=5, encoding_format="float")
        assert (answer.data[0].embedding, answer.usage.total_tokens) == ([1.0], 2)
        sent = orjson.loads(twin.requests[0].data.json)
        assert sent == {"model": "big", "input": [1, 2], "dimensions": 5, "encoding_format": "float"}

    async def test_interface_is_recognised_by_the_instances_descriptor(self, world, kit) -> None:
        world.know(kit.model_changed(name="vec", model_id=700, task_type="text2vec"))
        assert not world.components.entry_points.directory.takes_openai_embeddings(700)


class TestOtherAccounts:
    async def test_private_model_looks_like_a_missing_one(self, client, world, kit) -> None:
        world.know(kit.model_changed(name="own", model_id=700, task_type="text2vec", publicity=kit.PRIVATE))
        refused = []
        for name in ("acme/own", "acme/none"):
            with pytest.raises(openai.NotFoundError) as error:
                await client.embeddings.create(model=name, input="a")
            refused.append(error.value.body)
        assert refused[0] == refused[1]
