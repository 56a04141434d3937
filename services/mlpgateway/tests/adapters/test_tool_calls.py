"""Calls of tools whose arguments a model sends as JSON, not as a text of JSON."""

from collections.abc import AsyncGenerator

import orjson
import pytest

from mlpgateway.call.call import Answer, Payload

ASK = [{"role": "user", "content": "How are you?"}]


class TestArguments:
    """Of tools: OpenAI defines a text of JSON, and some models send the object itself."""

    CALLED = ('{"city":"Köln","days":[1,2.50,1e400],"none":null}', '[{"a":{}}]', "{}", "5", "true")

    @pytest.fixture
    def ask(self, world, model):
        """Returns a function that yields the tool calls of each chunk, or of the message."""

        async def asked(answer: list[str] | str, *, stream: bool) -> list[list[dict[str, object]]]:
            async def script(_request: object) -> AsyncGenerator[Answer]:
                parts = answer if isinstance(answer, list) else [answer]
                for place, part in enumerate(parts):
                    last, partial = place == len(parts) - 1, isinstance(answer, list)
                    yield Answer(Payload(json=part), {}, first=place == 0, last=last, partial=partial)

            world.instance(script, model_id=700)
            body = {"model": model, "messages": ASK, "stream": stream}
            got = await world.client.post("/api/adapters/openai/chat/completions", json=body, headers=world.key())
            assert got.status_code == 200, got.text
            events = [event.removeprefix("data: ") for event in got.text.split("\n\n")]
            texts = [event for event in events if event and event != "[DONE]"] if stream else [got.text]
            said = [orjson.loads(text.replace("1e400", "1.0"))["choices"][0] for text in texts]
            return [one["delta" if stream else "message"]["tool_calls"] for one in said]

        return asked

    @staticmethod
    def said(arguments: str, name: str) -> str:
        call = f'{{"id":"1","function":{{"name":"now","arguments" : {arguments}}}}}'
        return f'{{"choices":[{{"index":0,"{name}":{{"content":"","tool_calls":[{call}]}},"own":1.50}}]}}'

    @pytest.mark.parametrize("arguments", CALLED)
    @pytest.mark.parametrize("stream", [False, True])
    @pytest.mark.parametrize("parts", [False, True])
    async def test_value_becomes_its_text(self, ask, arguments, stream, parts) -> None:
        answer = [self.said(arguments, "delta")] if parts else self.said(arguments, "message")
        (((call),),) = await ask(answer, stream=stream)
        assert call["function"] == {"name": "now", "arguments": arguments.replace("1e400", "1.0")}

    @pytest.mark.parametrize("stream", [False, True])
    async def test_text_stays(self, ask, stream) -> None:
        text = orjson.dumps('{"arguments": {"a": 1}}').decode()
        (((call),),) = await ask(self.said(text, "message"), stream=stream)
        assert call["function"]["arguments"] == '{"arguments": {"a": 1}}'

    async def test_calls_of_several_chunks_are_joined(self, ask) -> None:
        first, second = (
            f'{{"choices":[{{"delta":{{"tool_calls":[{{"index":{n},"function":{{"arguments":{{"n":{n}}}}}}}]}}}}]}}'
            for n in (0, 1)
        )
        ((one, other),) = await ask([first, second], stream=False)
        assert [call["function"]["arguments"] for call in (one, other)] == ['{"n":0}', '{"n":1}']

    async def test_answer_without_tools_keeps_its_bytes(self, world, kit, model) -> None:
        text = (
            '{ "id":"x","object":"y","created":1,"model":"z","choices":[{"message":{"content":"\\"arguments\\":{}"}}]}'
        )
        world.instance(kit.says(text), model_id=700)
        body = {"model": model, "messages": ASK}
        got = await world.client.post("/api/adapters/openai/chat/completions", json=body, headers=world.key())
        assert got.text == text
