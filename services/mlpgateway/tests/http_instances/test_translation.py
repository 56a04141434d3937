"""Calls of the predict family to services that speak HTTP alone."""

import json

from mlplace_gateproto import headers as names


class TestPredict:
    async def test_is_the_request_as_it_is(self, hosted, instance) -> None:
        answer = await hosted.predict(hosted.key(), '{"text": "hi"}')
        assert (answer.status_code, answer.content) == (200, b'{"got":{"text": "hi"}}')
        ((method, path, headers, body),) = instance.seen
        assert (method, path, body) == ("POST", "/predict", b'{"text": "hi"}')
        assert (headers["Content-Type"], headers[names.CALLER_ACCOUNT_ID]) == ("application/json", "1000000002")

    async def test_with_a_config_carries_both(self, hosted, instance) -> None:
        answer = await hosted.predict(hosted.key(), '{"data": [1], "config": {"a": 2}}', call="predict-with-config")
        assert answer.status_code == 200
        assert instance.seen[0][1] == "/predict-with-config"
        assert json.loads(instance.seen[0][3]) == {"data": [1], "config": {"a": 2}}

    async def test_of_megabytes_is_the_request_as_it_is_too(self, hosted, instance) -> None:
        text = '"' + "я" * 700_000 + '"'
        assert (await hosted.predict(hosted.key(), text)).status_code == 200
        body = f'{{"data": {text}, "config": {{"a": 2}}}}'
        assert (await hosted.predict(hosted.key(), body, call="predict-with-config")).status_code == 200
        assert instance.seen[0][3] == text.encode()
        assert instance.seen[1][3] == f'{{"data":{text},"config":{{"a": 2}}}}'.encode()

    async def test_of_another_method_says_which(self, hosted, instance) -> None:
        answer = await hosted.predict(hosted.key(), '{"methodName": "m", "params": {"p": "1"}}', call="ext")
        assert answer.status_code == 200
        assert instance.seen[0][1] == "/ext"
        assert json.loads(instance.seen[0][3]) == {"methodName": "m", "params": {"p": "1"}}

    async def test_that_fails_has_the_instances_own_words_and_is_free(self, hosted, instance, kit, tools) -> None:
        hosted.know(kit.model_changed(http=tools.HTTP, billing=kit.CALLS))
        instance.status = 422
        answer = await hosted.predict(hosted.key())
        assert (answer.status_code, answer.json()["code"], answer.json()["args"]["a"]) == (422, "my.code", "b")
        assert await hosted.usage() == []

    async def test_is_recorded_once(self, hosted, kit, tools) -> None:
        hosted.know(kit.model_changed(http=tools.HTTP, billing=kit.CALLS))
        await hosted.predict(hosted.key())
        assert [(usage.units, usage.instance_id) for usage in await hosted.usage()] == [(1, 7)]
