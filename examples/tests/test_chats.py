"""The chat models: the guide, and the proxy with a fake endpoint."""

import asyncio
import json
from collections.abc import AsyncGenerator, Mapping

import pytest
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, StreamingResponse
from starlette.routing import Route

import mlplace
from mlplace_examples.chat_types import ChatCompletionConfig, ChatCompletionRequest
from mlplace_examples.guide_chat.service import NOTHING, GuideChat
from mlplace_examples.openai_proxy.service import OpenAiProxy

WEATHER = {"type": "function", "function": {"name": "get_weather", "parameters": {"type": "object", "properties": {
    "city": {"type": "string"}, "days": {"type": "integer"}, "degrees": {"type": "number"},
}}}}  # fmt: skip


@pytest.fixture(scope="module")
def guide() -> GuideChat:
    return GuideChat()


def ask(
    guide: GuideChat, *said: Mapping[str, object], config: Mapping[str, object] | None = None, **more: object
) -> list:
    request = ChatCompletionRequest.model_validate({"messages": said, **more})
    return list(guide.predict(request, ChatCompletionConfig.model_validate(config or {})))


def user(text: str) -> dict[str, object]:
    return {"role": "user", "content": text}


class TestGuide:
    @pytest.mark.parametrize(
        ("question", "word"),
        [
            ("What do calls cost?", "price"),
            ("How can I get an API key?", "create one"),
            ("How do I publish my own service?", "mlplace.serve"),
            ("Does it stream?", "generator"),
            ("What if no instance is running?", "starts one"),
            ("Who are you?", NOTHING),
        ],
    )
    def test_answers_with_the_best_passage(self, guide, question, word) -> None:
        (answer,) = ask(guide, user(question))
        (choice,) = answer["choices"]
        assert word in choice["message"]["content"]
        assert choice["finish_reason"] == "stop"

    def test_admits_unknown_topics(self, guide) -> None:
        (answer,) = ask(guide, user("щшщшщ?"))
        assert answer["choices"][0]["message"]["content"] == NOTHING

    def test_streamed_parts_join_to_the_whole_answer(self, guide) -> None:
        (whole,) = ask(guide, user("What do calls cost?"))
        parts = ask(guide, user("What do calls cost?"), stream=True)
        text = "".join(part["choices"][0]["delta"].get("content", "") for part in parts)
        assert text == whole["choices"][0]["message"]["content"]
        assert parts[-1]["usage"] == whole["usage"]
        assert [part for part in parts[:-1] if "usage" in part] == []
        assert {part["id"] for part in parts} == {parts[0]["id"]}

    def test_respects_max_tokens(self, guide) -> None:
        (answer,) = ask(guide, user("What do calls cost?"), config={"max_tokens": 3})
        assert answer["choices"][0]["finish_reason"] == "length"
        assert answer["usage"]["completion_tokens"] == 3

    @pytest.mark.parametrize("where", ["request", "config"])
    def test_calls_a_tool_named_in_the_question(self, guide, where) -> None:
        question = user('get the weather of "Rome" for 3 days above 20.5')
        if where == "request":
            (answer,) = ask(guide, question, tools=[WEATHER])
        else:
            (answer,) = ask(guide, question, config={"tools": [WEATHER]})
        (choice,) = answer["choices"]
        (call,) = choice["message"]["tool_calls"]
        assert (choice["finish_reason"], call["function"]["name"]) == ("tool_calls", "get_weather")
        assert json.loads(call["function"]["arguments"]) == {"city": "Rome", "days": 3, "degrees": 20.5}

    def test_answers_with_the_tools_result(self, guide) -> None:
        told = {"role": "tool", "tool_call_id": "1", "content": "sunny"}
        (answer,) = ask(guide, user("get the weather"), told, tools=[WEATHER])
        assert answer["choices"][0]["message"]["content"] == "The tool says: sunny"

    def test_reads_the_text_of_messages_in_parts(self, guide) -> None:
        parts = [{"type": "image_url", "image_url": {"url": "x"}}, {"type": "text", "text": "What do calls cost?"}]
        (answer,) = ask(guide, {"role": "user", "content": parts})
        assert "price" in answer["choices"][0]["message"]["content"]


class Endpoint:
    """A fake OpenAI-compatible endpoint."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, dict[str, object]]] = []
        self.refusal: int | None = None
        self.app = Starlette(routes=[Route("/v1/chat/completions", self._complete, methods=["POST"])])

    async def _complete(self, request: Request) -> JSONResponse | StreamingResponse:
        body = await request.json()
        self.asked.append((request.headers["authorization"], body))
        if self.refusal is not None:
            return JSONResponse({"error": {"message": "no"}}, self.refusal)
        usage = {"prompt_tokens": 1, "completion_tokens": 2, "total_tokens": 3}
        if not body.get("stream"):
            return JSONResponse({"choices": [{"index": 0, "message": {"content": "Hi"}}], "usage": usage})

        async def events() -> AsyncGenerator[str]:
            for word in ("H", "i"):
                yield f"data: {json.dumps({'choices': [{'index': 0, 'delta': {'content': word}}]})}\n\n"
            yield f"data: {json.dumps({'choices': [], 'usage': usage})}\n\ndata: [DONE]\n\n"

        return StreamingResponse(events(), media_type="text/event-stream")


@pytest.fixture
async def endpoint(monkeypatch: pytest.MonkeyPatch) -> AsyncGenerator[Endpoint]:
    twin = Endpoint()
    server = uvicorn.Server(uvicorn.Config(twin.app, port=0, log_level="warning", lifespan="off"))
    config = server.config
    config.load()
    sock = config.bind_socket()
    task = asyncio.create_task(server.serve(sockets=[sock]))
    monkeypatch.setenv("OPENAI_BASE_URL", f"http://127.0.0.1:{sock.getsockname()[1]}/v1")
    monkeypatch.setenv("OPENAI_API_KEY", "secret")
    monkeypatch.setenv("OPENAI_MODEL", "small")
    yield twin
    server.should_exit = True
    await task
    sock.close()


@pytest.fixture
async def proxy(endpoint: Endpoint) -> AsyncGenerator[OpenAiProxy]:
    made = OpenAiProxy()
    yield made
    await made._client.aclose()


async def through(proxy: OpenAiProxy, context: mlplace.Context, **more: object) -> list:
    request = ChatCompletionRequest.model_validate({"messages": [user("Hello")], **more})
    return [part async for part in proxy.predict(request, context, ChatCompletionConfig(max_tokens=5))]


class TestProxy:
    async def test_forwards_a_request_with_its_config_and_bills_tokens(self, endpoint, proxy) -> None:
        context = mlplace.Context("r")
        (answer,) = await through(proxy, context)
        assert answer["choices"][0]["message"]["content"] == "Hi"
        ((key, body),) = endpoint.asked
        assert key == "Bearer secret"
        assert (body["model"], body["max_tokens"], body["messages"]) == ("small", 5, [user("Hello")])
        assert context.take_answer_headers()["Z-custom-billing"] == "3"

    async def test_streams_with_the_callers_model(self, endpoint, proxy) -> None:
        parts = await through(proxy, mlplace.Context("r"), stream=True, model="big")
        assert [part["choices"][0]["delta"]["content"] for part in parts[:2]] == ["H", "i"]
        assert parts[2]["usage"]["total_tokens"] == 3
        assert endpoint.asked[0][1]["model"] == "big"

    @pytest.mark.parametrize(("status", "shown"), [(400, 400), (429, 429), (401, 502), (403, 502)])
    async def test_errors_keep_their_status_except_those_of_its_own_key(self, endpoint, proxy, status, shown) -> None:
        endpoint.refusal = status
        with pytest.raises(mlplace.MlpError) as refused:
            await through(proxy, mlplace.Context("r"))
        assert refused.value.status == shown
        assert "secret" not in str(refused.value)

    def test_does_not_start_without_an_endpoint(self, monkeypatch) -> None:
        monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
        monkeypatch.delenv("OPENAI_API_KEY", raising=False)
        with pytest.raises(mlplace.SettingsError, match="OPENAI_BASE_URL and OPENAI_API_KEY"):
            OpenAiProxy()
