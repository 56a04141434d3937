"""Outputs of predictions, as their callers and webhooks get them: the text of the model, unchanged."""

import asyncio
import json
from contextlib import suppress

import pytest
import sqlalchemy as sa

from mlpgateway.features.predictions.tables import WebhookDelivery
from mlplace_testing.waiting import eventually

DEEP = "[" * 900 + "]" * 900
TEXTS = {
    "nested as deep as documented": DEEP,
    "half a pair": '{"a":"\\ud800"}',
    "beyond a double": '{"a":1e400}',
    "5000 digits": '{"a":' + "1" * 5000 + "}",
    "30 digits": '{"a":123456789012345678901234567890}',
    "repeated field": '{"a":1,"a":2}',
    "null": "null",
    "white space": '{ "a" : 1.50 }',
}
every_text = pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)


async def ended(world, caller, **headers: str) -> dict[str, str]:
    """Returns the addresses of a prediction that has ended."""
    made = (await world.predict({**caller, "Prefer": "respond-async", **headers})).json()

    async def status() -> str:
        listed = (await world.client.get(made["urls"]["get"].rpartition("/")[0], headers=caller)).json()
        return listed[0]["status"]

    assert await eventually(status, until=lambda found: found not in {"queued", "running"}, seconds=60) == "succeeded"
    return made["urls"]


class TestOutput:
    @every_text
    async def test_prediction_has_the_text_of_the_model(self, world, kit, caller, served, text) -> None:
        world.instance(kit.says(text))
        urls = await ended(world, caller)
        for answer in (
            await world.client.get(urls["get"], headers=caller),
            await world.client.post(urls["cancel"], headers=caller),
        ):
            assert answer.status_code == 200
            assert answer.headers["content-type"] == "application/json"
            assert f'"output":{text},' in answer.content.decode()
            assert json.loads(answer.content.replace(text.encode(), b"0"))["status"] == "succeeded"

    @every_text
    async def test_event_has_the_text_of_the_model(self, world, kit, caller, served, text) -> None:
        world.instance(kit.says(text))
        urls = await ended(world, caller)
        answer = await world.client.get(urls["events"], headers=caller)
        assert answer.text.startswith("event: succeeded\ndata: {")
        assert f'"output":{text},' in answer.text

    async def test_line_breaks_of_the_output_do_not_end_the_event(self, world, kit, caller, served) -> None:
        world.instance(kit.says('{\r\n"a":\n"b\\n"}'))
        answer = await world.client.get((await ended(world, caller))["events"], headers=caller)
        name, data = answer.text.removesuffix("\n\n").split("\n")
        assert (name, json.loads(data.removeprefix("data: "))["output"]) == ("event: succeeded", {"a": "b\n"})

    async def test_large_output_of_the_object_store_is_unchanged_too(self, world, kit, caller, served) -> None:
        text = f'["{"x" * 300_000}", 1e400, {DEEP}]'
        world.instance(kit.says(text))
        answer = await world.client.get((await ended(world, caller))["get"], headers=caller)
        assert f'"output":{text},' in answer.text


class TestWebhook:
    @every_text
    async def test_webhook_has_the_text_of_the_model(self, open_world, kit, text) -> None:
        async with open_world(egress_allowed_networks="127.0.0.1/32") as world:
            world.know(kit.model_changed(billing=kit.CALLS))
            world.instance(kit.says(text))
            runner = asyncio.create_task(world.components.entry_points.runner.run())
            await ended(world, world.key(), **{"MLP-Webhook": "http://127.0.0.1:9999/"})
            async with world.components.database.transaction() as session:
                body = (await session.execute(sa.select(WebhookDelivery.body))).scalar_one()
            runner.cancel()
            with suppress(asyncio.CancelledError):
                await runner
        assert f'"output":{text},'.encode() in body
