"""The models that a caller may call, and images, through OpenAI's own client."""

import openai
import orjson
import pytest

from mlplace_contracts.limits import KeyLimits


async def listed(client) -> list[str]:
    return [model.id async for model in client.models.list()]


class TestList:
    async def test_list_has_callable_models_of_all_task_types(self, client, world, kit) -> None:
        world.know(
            kit.model_changed(name="talk", model_id=700, task_type="chat-completion"),
            kit.model_changed(name="private", model_id=701, publicity=kit.PRIVATE),
            kit.model_changed(name="copy-me", model_id=702, prototype=True),
            kit.model_changed(name="gone", model_id=703, active=False),
            kit.model_changed(
                name="mine", model_id=704, account_id=kit.DEMO, account_name="demo", publicity=kit.PRIVATE
            ),
        )
        assert await listed(client) == ["acme/ner", "acme/talk", "demo/mine"]
        (first, *_) = (await client.models.list()).data
        assert (first.object, first.owned_by) == ("model", "acme")

    async def test_head_of_the_list_is_the_head_of_the_answer(self, world) -> None:
        path = "/api/adapters/openai/v1/models"
        whole = await world.client.get(path, headers=world.key())
        head = await world.client.head(path, headers=world.key())
        assert (head.status_code, head.headers["content-length"]) == (200, whole.headers["content-length"])

    async def test_list_omits_models_hidden_from_the_catalogue(self, client, world, kit) -> None:
        hidden = kit.ModelPublicity(is_public=True, hidden=True, public_testing_allowed=False)
        shared = kit.ModelPublicity(
            is_public=False, hidden=True, public_testing_allowed=False, allowed_accounts=(kit.DEMO,)
        )
        world.know(
            kit.model_changed(name="hidden", model_id=700, publicity=hidden),
            kit.model_changed(name="shared", model_id=701, publicity=shared),
        )
        assert await listed(client) == ["acme/ner", "acme/shared"]

    async def test_restricted_key_sees_only_its_models(self, world, kit, connect) -> None:
        world.know(
            kit.model_changed(name="talk", model_id=700, task_type="chat-completion"),
            kit.model_changed(name="other", model_id=701, task_type="chat-completion"),
        )
        key = world.key(allowed_models=(700, 701), limits=KeyLimits(llms=("acme/talk/small", "big")))
        assert await listed(connect(key["MLP-API-KEY"])) == ["acme/talk/small"]

    async def test_anonymous_caller_is_refused(self, connect) -> None:
        with pytest.raises(openai.AuthenticationError):
            await listed(connect("no-key"))


class TestOne:
    async def test_model_is_found_by_name(self, client) -> None:
        model = await client.models.retrieve("acme/ner")
        assert (model.id, model.owned_by) == ("acme/ner", "acme")

    async def test_model_that_may_not_be_called_is_not_found(self, client, world, kit) -> None:
        world.know(kit.model_changed(name="private", model_id=701, publicity=kit.PRIVATE))
        for name in ("acme/private", "acme/none"):
            with pytest.raises(openai.NotFoundError):
                await client.models.retrieve(name)


class TestReadiness:
    async def test_gate_that_is_not_ready_answers_unavailable(self, client, world) -> None:
        world.components.read_models_projection.ready.clear()
        with pytest.raises(openai.InternalServerError) as refused:
            await listed(client)
        assert refused.value.status_code == 503


class TestImages:
    async def test_request_has_the_form_of_the_task_type(self, client, world, kit, answering) -> None:
        world.know(kit.model_changed(name="draw", model_id=700, task_type="image-generation"))
        twin = answering(lambda _data, _config: {"created": 1, "data": [{"b64_json": "AA=="}]})
        answer = await client.images.generate(model="acme/draw", prompt="a cat", n=1, size="256x256", quality="low")
        assert answer.data[0].b64_json == "AA=="
        sent = twin.requests[0]
        assert orjson.loads(sent.data.json) == {"prompt": "a cat", "n": 1, "size": "256x256"}
        assert orjson.loads(sent.config.json) == {"quality": "low"}
