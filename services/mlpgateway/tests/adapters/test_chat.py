"""Conversations through OpenAI's own client."""

import time
from collections.abc import AsyncGenerator

import openai
import orjson
import pytest

from mlpgateway.call.call import Answer, Payload
from mlpgateway.call.large_json import LARGE_BYTES
from mlpgateway.entry.adapters.openai.chat import DIRECT
from mlplace_gateproto.limits import MAX_MESSAGE_BYTES

ASK = [{"role": "user", "content": "How are you?"}]
USAGE = {"prompt_tokens": 3, "completion_tokens": 2, "total_tokens": 5}


def whole(text: str = "Fine.") -> dict[str, object]:
    message = {"role": "assistant", "content": text}
    return {"id": "x", "choices": [{"index": 0, "message": message, "finish_reason": "stop"}], "usage": USAGE}


def chunks() -> list[object]:
    def chunk(delta: dict[str, object], **more: object) -> dict[str, object]:
        return {"id": "x", "choices": [{"index": 0, "delta": delta, "finish_reason": None, **more}]}

    return [
        chunk({"role": "assistant", "content": "Fi"}),
        chunk({"content": "ne."}),
        {**chunk({}, finish_reason="stop"), "usage": USAGE},
    ]


def sent(twin) -> tuple[object, object]:
    """Returns request and config of the only call."""
    (request,) = twin.requests
    return orjson.loads(request.data.json), orjson.loads(request.config.json)


class TestAnswers:
    async def test_whole_answer_is_returned_unchanged(self, client, model, answering) -> None:
        twin = answering(lambda _data, _config: whole())
        answer = await client.chat.completions.create(model=model, messages=ASK, temperature=0.5, max_tokens=7)
        assert answer.choices[0].message.content == "Fine."
        assert answer.usage.total_tokens == 5
        assert sent(twin) == ({"messages": ASK}, {"temperature": 0.5, "max_tokens": 7})

    async def test_bytes_of_the_answer_are_unchanged(self, world, kit, model) -> None:
        text = '{ "id":"x", "object": "y", "created":1.0, "model": "z", "choices":[] , "own": 1e400 }'
        world.instance(kit.says(text), model_id=700)
        answer = await world.client.post(
            "/api/adapters/openai/chat/completions", json={"model": model, "messages": []}, headers=world.key()
        )
        assert answer.text == text
        assert answer.headers["x-request-id"] == answer.headers["z-requestid"]

    async def test_inner_model_name_reaches_the_model(self, client, model, answering) -> None:
        twin = answering(lambda _data, _config: whole())
        await client.chat.completions.create(model=f"{model}/vendor/big", messages=ASK)
        assert sent(twin) == ({"messages": ASK, "model": "vendor/big"}, {})

    async def test_tools_reach_the_model_and_tool_calls_come_back(self, client, model, answering) -> None:
        tool = {"type": "function", "function": {"name": "now", "parameters": {"type": "object"}}}
        called = {"id": "1", "type": "function", "function": {"name": "now", "arguments": "{}"}}
        message = {"role": "assistant", "content": None, "tool_calls": [called]}
        reply = {"choices": [{"index": 0, "message": message, "finish_reason": "tool_calls"}]}
        twin = answering(lambda data, _config: reply if data["tools"] else whole())
        answer = await client.chat.completions.create(model=model, messages=ASK, tools=[tool])
        assert answer.choices[0].message.tool_calls[0].function.name == "now"
        assert sent(twin) == ({"messages": ASK, "tools": [tool]}, {})

    async def test_fields_of_the_task_types_request_stay_out_of_the_config(self, client, model, answering) -> None:
        twin = answering(lambda _data, _config: whole())
        of_the_request = {"tool_choice": "auto", "logprobs": True, "top_logprobs": 2}
        await client.chat.completions.create(model=model, messages=ASK, temperature=0.5, **of_the_request)
        assert sent(twin) == ({"messages": ASK, **of_the_request}, {"temperature": 0.5})

    async def test_streamed_answer_is_joined(self, client, model, answering) -> None:
        answering(lambda _data, _config: chunks())
        answer = await client.chat.completions.create(model=model, messages=ASK)
        assert answer.choices[0].message.content == "Fine."
        assert answer.choices[0].message.role == "assistant"
        assert (answer.choices[0].finish_reason, answer.usage.total_tokens) == ("stop", 5)

    async def test_chunked_tool_calls_are_joined(self, client, model, answering) -> None:
        def part(**call: object) -> dict[str, object]:
            return {"choices": [{"index": 0, "delta": {"tool_calls": [{"index": 0, **call}]}, "finish_reason": None}]}

        first = part(id="1", type="function", function={"name": "now", "arguments": '{"a"'})
        answering(lambda _data, _config: [first, part(function={"arguments": ":1}"})])
        answer = await client.chat.completions.create(model=model, messages=ASK)
        (call,) = answer.choices[0].message.tool_calls
        assert (call.id, call.function.name, call.function.arguments) == ("1", "now", '{"a":1}')


class TestUsage:
    """Some servers send the usage in a chunk of its own, without choices: it is no reason to refuse the answer."""

    @pytest.mark.parametrize("name", ["chat", "text"])
    @pytest.mark.parametrize("choices", [{"choices": []}, {"choices": None}, {}], ids=repr)
    async def test_chunk_without_choices_ends_a_stream(
        self, client, world, kit, model, answering, choices, name
    ) -> None:
        world.know(
            kit.model_changed(name="talk", model_id=700, version=3, task_type="chat-completion", billing=kit.CALLS)
        )
        answering(lambda _data, _config: [*chunks(), {**choices, "usage": USAGE}])
        if name == "chat":
            stream = await client.chat.completions.create(model=model, messages=ASK, stream=True)
            whole = await client.chat.completions.create(model=model, messages=ASK)
        else:
            stream = await client.completions.create(model=model, prompt="hi", stream=True)
            whole = await client.completions.create(model=model, prompt="hi")
        heard = [chunk async for chunk in stream]
        assert (heard[-1].choices, heard[-1].usage.total_tokens) == ([], 5)
        said = whole.choices[0].message.content if name == "chat" else whole.choices[0].text
        assert (said, whole.usage.total_tokens) == ("Fine.", 5)
        assert len(await world.usage()) == 2

    @pytest.mark.parametrize("kind", ["chat", "completions"])
    async def test_whole_answer_of_it_alone_is_none(self, world, kit, kind, answering) -> None:
        world.know(kit.model_changed(name="talk", model_id=700, version=3, task_type="custom", billing=kit.CALLS))
        answering(lambda _data, _config: {"usage": USAGE})
        asked = {"messages": ASK} if kind == "chat" else {"prompt": "hi"}
        for streamed in (False, True):
            body = {"model": "acme/talk", **asked, "stream": streamed}
            path = "chat/completions" if kind == "chat" else "completions"
            answer = await world.client.post(f"/api/adapters/openai/{path}", json=body, headers=world.key())
            assert answer.status_code == 502
        assert await world.usage() == []

    @pytest.mark.parametrize("usage", [[], "", 0, "n/a", None], ids=repr)
    async def test_it_may_be_of_any_type(self, world, model, answering, usage) -> None:
        chunk = {"choices": [{"index": 0, "delta": {"content": "a"}}], "usage": usage}
        answering(lambda data, _config: [chunk] if data.get("stream") else {**whole(), "usage": usage})
        for streamed in (False, True):
            body = {"model": model, "messages": ASK, "stream": streamed}
            answer = await world.client.post("/api/adapters/openai/chat/completions", json=body, headers=world.key())
            assert (answer.status_code, "error" in answer.text) == (200, False)

    @pytest.mark.parametrize("name", ["chat", "text"])
    @pytest.mark.parametrize(
        "said",
        [{"error": {"message": "no memory", "code": 503}}, {"object": "error", "message": "no memory"}],
        ids=repr,
    )
    async def test_error_beside_it_is_one(self, client, world, kit, model, answering, said, name) -> None:
        world.know(
            kit.model_changed(name="talk", model_id=700, version=3, task_type="chat-completion", billing=kit.CALLS)
        )
        answering(lambda _data, _config: [*chunks(), {**said, "usage": USAGE}])
        asked = {"model": model, **({"messages": ASK} if name == "chat" else {"prompt": "hi"})}
        create = client.chat.completions.create if name == "chat" else client.completions.create
        with pytest.raises(openai.InternalServerError, match="no memory"):
            await create(**asked)
        with pytest.raises(openai.APIError, match="no memory"):
            async for _ in await create(**asked, stream=True):
                pass
        assert await world.usage() == []

    @pytest.mark.parametrize("streamed", [False, True])
    async def test_whole_answer_needs_choices(self, client, model, answering, streamed) -> None:
        answering(lambda _data, _config: {"usage": USAGE})
        with pytest.raises(openai.InternalServerError):
            await client.chat.completions.create(model=model, messages=ASK, stream=streamed)


class TestStreams:
    async def test_chunks_arrive_as_the_model_sends_them(self, client, model, answering) -> None:
        twin = answering(lambda _data, _config: chunks())
        stream = await client.chat.completions.create(model=model, messages=ASK, stream=True)
        heard = [chunk async for chunk in stream]
        assert "".join(chunk.choices[0].delta.content or "" for chunk in heard) == "Fine."
        assert [chunk.usage is not None for chunk in heard] == [False, False, True]
        assert sent(twin)[0] == {"messages": ASK, "stream": True}

    async def test_whole_answer_becomes_one_chunk(self, client, model, answering) -> None:
        answering(lambda _data, _config: whole())
        stream = await client.chat.completions.create(model=model, messages=ASK, stream=True)
        (chunk,) = [chunk async for chunk in stream]
        assert (chunk.choices[0].delta.content, chunk.choices[0].finish_reason) == ("Fine.", "stop")
        assert chunk.object == "chat.completion.chunk"

    async def test_chunks_are_framed_as_server_sent_events(self, world, model, answering) -> None:
        own = {"id": "x", "object": "y", "created": 1, "model": "z"}
        answering(lambda _data, _config: [{**own, "choices": []}, {**own, "choices": [{"b": 2}]}])
        answer = await world.client.post(
            "/api/adapters/openai/v1/chat/completions",
            json={"model": model, "messages": [], "stream": True},
            headers=world.key(),
        )
        begin = 'data: {"id":"x","object":"y","created":1,"model":"z",'
        assert answer.text == f'{begin}"choices":[]}}\n\n{begin}"choices":[{{"b":2}}]}}\n\ndata: [DONE]\n\n'
        assert answer.headers["content-type"] == "text/event-stream; charset=utf-8"

    async def test_error_in_the_middle_is_raised_by_the_client(self, client, world, kit, model) -> None:
        world.instance(kit.fails(kit.Failing, '{"choices":[]}'), model_id=700)
        stream = await client.chat.completions.create(model=model, messages=ASK, stream=True)
        with pytest.raises(openai.APIError, match="lost"):
            _ = [chunk async for chunk in stream]
        assert await world.usage() == []

    async def test_disconnect_cancels_the_call_at_the_instance(self, world, model, raw) -> None:
        twin = world.instance(_endless, model_id=700)
        body = orjson.dumps({"model": model, "messages": [], "stream": True})
        request = raw(world.app, "/api/adapters/openai/chat/completions", world.key(), body, reads=1)
        await request.stuck.wait()
        request.hang_up()
        await request.task
        assert (twin.active_requests, twin.finished) == (0, 1)


async def _endless(_request):
    from mlpgateway.call.call import Answer, Payload

    while True:
        yield Answer(Payload(json='{"choices":[]}'), {}, last=False, partial=True)


class TestEnvelope:
    """Clients rely on these fields, even when a model omits them."""

    async def test_whole_answer_has_the_fields(self, client, model, answering) -> None:
        answering(lambda _data, _config: {"choices": []})
        began = int(time.time())
        answer = (await client.chat.completions.with_raw_response.create(model=model, messages=ASK)).http_response
        body = answer.json()
        assert body["id"] == f"chatcmpl-{answer.headers['x-request-id']}"
        assert (body["object"], body["model"], body["choices"]) == ("chat.completion", model, [])
        assert began <= body["created"] <= time.time()

    async def test_chunks_of_a_stream_share_the_fields(self, client, model, answering) -> None:
        answering(lambda _data, _config: [{"choices": []}, {"choices": []}, {"choices": [], "id": "own"}])
        stream = await client.chat.completions.create(model=model, messages=ASK, stream=True)
        heard = [chunk async for chunk in stream]
        assert [chunk.object for chunk in heard] == ["chat.completion.chunk"] * 3
        assert heard[0].id == heard[1].id != heard[2].id == "own"
        assert heard[0].id.startswith("chatcmpl-")
        assert len({chunk.created for chunk in heard}) == 1

    async def test_text_completions_have_the_fields(self, client, model, answering) -> None:
        answering(lambda _data, _config: {"choices": []})
        answer = await client.completions.create(model=model, prompt="Once")
        assert (answer.id.startswith("cmpl-"), answer.object, answer.model) == (True, "text_completion", model)

    async def test_null_counts_as_absent(self, client, model, answering) -> None:
        answering(lambda _data, _config: {"id": None, "created": None, "choices": [], "own": 1})
        answer = await client.chat.completions.create(model=model, messages=ASK)
        assert answer.id.startswith("chatcmpl-")
        assert answer.created
        assert answer.to_dict()["own"] == 1

    @pytest.mark.parametrize("streamed", [False, True])
    @pytest.mark.parametrize(
        "text",
        [
            '{"id":7,"object":null,"created":null,"choices":[],"own":null}',
            '{"id":7,"object":null,"choices":[],"own":1e400}',
            '{"id":7,"choices":[],"own":1e400}',
            '{"choices":[],"own":1e400,"id":7,"created":"2020"}',
            '{"choices":[{"index":0,"message":{"own":1e400}}],"id":1.50}',
            '{"created":1e400,"\\u0069d":null,"id":7,"choices":[]}',
        ],
    )
    async def test_values_keep_their_text_whatever_they_are(self, world, kit, model, text, streamed) -> None:
        world.instance(kit.says(text), model_id=700)
        body = {"model": model, "messages": [], "stream": streamed}
        answer = await world.client.post("/api/adapters/openai/chat/completions", json=body, headers=world.key())
        assert answer.status_code == 200
        shown = orjson.loads(answer.text.removeprefix("data: ").partition("\n")[0].replace("1e400", "7e7"))
        given = orjson.loads(text.replace("1e400", "7e7"))
        assert ("1e400" in text, "1.50" in text) == ("1e400" in answer.text, "1.50" in answer.text)
        assert shown["id"] == given["id"]
        assert shown["object"] == ("chat.completion.chunk" if streamed else "chat.completion")
        assert shown["created"] == given["created"] if given.get("created") else shown["created"] > 1e9
        assert "own" not in given or shown["own"] == given["own"]

    @pytest.mark.parametrize("streamed", [False, True])
    @pytest.mark.parametrize("text", ["[1,2]", "7", "null", '{"choices":["\\ud800"]}'])
    async def test_answer_that_is_no_object_is_an_error_of_the_model(
        self, client, world, kit, model, text, streamed
    ) -> None:
        world.know(kit.model_changed(name="talk", model_id=700, task_type="chat-completion", billing=kit.CALLS))
        world.instance(kit.says(text), model_id=700)

        async def read() -> None:
            answer = await client.chat.completions.create(model=model, messages=ASK, stream=streamed)
            if streamed:
                _ = [chunk async for chunk in answer]

        with pytest.raises(openai.APIError, match="chat"):
            await read()
        assert await world.usage() == []

    async def test_fields_of_other_types_stay(self, client, model, answering) -> None:
        answering(lambda _data, _config: {"id": 7, "choices": []})
        answer = (await client.chat.completions.with_raw_response.create(model=model, messages=ASK)).http_response
        assert (answer.json()["id"], answer.json()["object"]) == (7, "chat.completion")


class TestRules:
    """The rules of ordinary calls apply."""

    async def test_call_is_billed_and_recorded(self, client, world, kit, model, answering) -> None:
        world.know(kit.model_changed(name="talk", model_id=700, task_type="chat-completion", billing=kit.CALLS))
        answering(lambda _data, _config: whole())
        await client.chat.completions.create(model=model, messages=ASK)
        assert [usage.amount_nano for usage in await world.usage()] == [10]

    @pytest.mark.parametrize(
        ("name", "kind", "status"),
        [("acme/none", openai.NotFoundError, 404), ("gpt-4", openai.BadRequestError, 400)],
    )
    async def test_refusals_raise_the_clients_own_errors(self, client, model, name, kind, status) -> None:
        with pytest.raises(kind) as refused:
            await client.chat.completions.create(model=name, messages=ASK)
        assert (refused.value.status_code, refused.value.type) == (
            status,
            "not_found_error" if status == 404 else "invalid_request_error",
        )

    async def test_revoked_key_is_refused(self, connect, model) -> None:
        with pytest.raises(openai.AuthenticationError) as refused:
            await connect("1.2.x").chat.completions.create(model=model, messages=ASK)
        assert refused.value.code == "mlp.gate.unauthorized"

    async def test_too_many_calls_raise_a_rate_limit_error(self, client, world, kit, model, answering) -> None:
        world.know(kit.limits_changed(kit.DEMO, per_second=1))
        answering(lambda _data, _config: whole())

        async def many() -> None:
            for _ in range(5):
                await client.chat.completions.create(model=model, messages=ASK)

        with pytest.raises(openai.RateLimitError) as refused:
            await many()
        assert refused.value.response.headers["retry-after"]

    async def test_key_for_other_language_models_is_refused(self, world, kit, model, connect, answering) -> None:
        from mlplace_contracts.limits import KeyLimits

        answering(lambda _data, _config: whole())
        key = world.key(limits=KeyLimits(llms=("acme/talk/small",)))["MLP-API-KEY"]
        with pytest.raises(openai.PermissionDeniedError):
            await connect(key).chat.completions.create(model=f"{model}/big", messages=ASK)
        await connect(key).chat.completions.create(model=f"{model}/small", messages=ASK)

    async def test_error_of_the_model_keeps_its_status(self, client, world, kit, model) -> None:
        from mlpgateway.call.transport import InstanceError

        error = InstanceError(code="own.code", message="too long", status=400, details={}, headers={})
        world.instance(kit.fails(error), model_id=700)
        with pytest.raises(openai.BadRequestError, match="too long") as refused:
            await client.chat.completions.create(model=model, messages=ASK)
        assert refused.value.code == "own.code"

    @pytest.mark.parametrize(
        ("body", "named"),
        [
            (b"[]", None),
            (b"{", None),
            (b"\xff", None),
            (b'{"model": 5, "messages": []}', "model"),
            (b'{"model": "a/b", "messages": "x"}', "messages"),
            (b'{"model": "a/b", "messages": [], "stream": "yes"}', "stream"),
            (b'{"model": "a/b", "messages": [], "stream": 1e999}', "stream"),
            (b'{"model": -1e999, "messages": []}', "model"),
            (b'{"model": "a/b/", "messages": []}', "model"),
            (b'{"model": "a//b", "messages": []}', "model"),
            (b"[" * 100_000, None),
        ],
    )
    async def test_invalid_request_is_refused(self, world, body, named) -> None:
        answer = await world.client.post("/api/adapters/openai/chat/completions", content=body, headers=world.key())
        assert answer.status_code == 400
        assert named is None or answer.json()["error"]["param"] == named


class TestRoutes:
    @pytest.mark.parametrize("scheme", ["", "Bearer "])
    async def test_key_in_authorization_works_with_and_without_a_scheme(self, world, model, answering, scheme) -> None:
        answering(lambda _data, _config: whole())
        headers = {"Authorization": scheme + world.key()["MLP-API-KEY"]}
        answer = await world.client.post(
            "/api/adapters/openai/chat/completions", json={"model": model, "messages": []}, headers=headers
        )
        assert answer.status_code == 200

    @pytest.mark.parametrize("base", ["/api/adapters/openai/v1", "/api/adapters/chat-gpt", "/api/adapters/chat-gpt/v1"])
    async def test_old_and_new_paths_are_equivalent(self, connect, model, answering, base) -> None:
        answering(lambda _data, _config: whole())
        answer = await connect(base=base).chat.completions.create(model=model, messages=ASK)
        assert answer.choices[0].message.content == "Fine."

    @pytest.mark.parametrize(
        ("method", "path", "status"),
        [("GET", "chat/completions", 405), ("POST", "models", 405), ("POST", "nothing", 404), ("POST", "", 404)],
    )
    async def test_unknown_path_or_method_is_refused_in_openai_error_format(self, world, method, path, status) -> None:
        answer = await world.client.request(method, f"/api/adapters/openai/{path}", headers=world.key())
        assert answer.status_code == status
        assert answer.headers.get("allow") == {404: None, 405: "GET, HEAD" if path == "models" else "POST"}[status]
        assert set(answer.json()["error"]) == {"message", "type", "param", "code"}


class TestDirect:
    async def test_body_is_passed_on_in_the_vendors_format(self, connect, model, answering) -> None:
        twin = answering(lambda _data, _config: {"content": [{"type": "text", "text": "Hi"}]})
        content = [{"role": "user", "content": [{"type": "text", "text": "Hello"}]}]
        client = connect(base="/api/adapters/openai-direct")
        answer = await client.chat.completions.create(model=f"{model}/claude", messages=content, max_tokens=5)
        assert answer.to_dict() == {"content": [{"type": "text", "text": "Hi"}]}
        assert sent(twin) == ({"model": "claude", "messages": content, "max_tokens": 5}, {})
        assert twin.requests[0].data.data_type == DIRECT

    async def test_answer_is_streamed(self, connect, model, answering) -> None:
        answering(lambda _data, _config: chunks())
        client = connect(base="/api/adapters/openai-direct/v1")
        stream = await client.chat.completions.create(model=model, messages=ASK, stream=True)
        assert "".join([chunk.choices[0].delta.content or "" async for chunk in stream]) == "Fine."

    async def test_chunks_are_joined_for_a_caller_without_stream(self, connect, model, answering) -> None:
        answering(lambda _data, _config: chunks())
        client = connect(base="/api/adapters/openai-direct")
        answer = await client.chat.completions.create(model=model, messages=ASK)
        (choice,) = answer.choices
        assert (choice.message.content, choice.finish_reason, answer.usage.total_tokens) == ("Fine.", "stop", 5)
        assert answer.object == "chat.completion"

    @pytest.mark.parametrize("last", [[{"text": "Fine."}], [{"text": "Fine."}, {}]], ids=repr)
    async def test_last_part_of_another_format_is_the_answer(self, world, kit, model, last) -> None:
        async def script(_request: object) -> AsyncGenerator[Answer]:
            yield Answer(Payload(json='{"text":"Fi"}'), {}, last=False, partial=True)
            yield Answer(Payload(json='{"text":"Fine."}'), {}, first=False, last=len(last) == 1, partial=True)
            yield Answer(Payload(), {}, first=False, partial=True)

        world.instance(script, model_id=700)
        path, body = "/api/adapters/openai-direct/chat/completions", {"model": model, "messages": ASK}
        answer = await world.client.post(path, json=body, headers=world.key())
        assert (answer.status_code, answer.text) == (200, '{"text":"Fine."}')

    async def test_error_among_the_chunks_is_free(self, connect, world, kit, model, answering) -> None:
        world.know(kit.model_changed(name="talk", model_id=700, version=3, billing=kit.CALLS))
        answering(lambda _data, _config: [*chunks(), {"error": {"message": "no memory", "code": 503}}])
        client = connect(base="/api/adapters/openai-direct")
        with pytest.raises(openai.InternalServerError, match="no memory"):
            await client.chat.completions.create(model=model, messages=ASK)
        assert await world.usage() == []

    @pytest.mark.parametrize(
        ("special", "place", "status", "told"),
        [
            ('{"text":"Fine."}', -1, 200, '{"text":"Fine."}'),
            ('{"text":"Fi","error":"no memory"}', 2, 502, "no memory"),
            ('{"choices":[]}', 0, 502, "its parts are larger than"),
        ],
        ids=["another vendor", "error", "chunks"],
    )
    async def test_parts_of_another_format_may_be_larger_together_than_one_message(
        self, world, kit, model, special, place, status, told
    ) -> None:
        parts = [f'{{"text":"{"x" * (MAX_MESSAGE_BYTES // 3)}"}}'] * 5
        parts[place] = special
        world.instance(kit.says(*parts), model_id=700)
        path, body = "/api/adapters/openai-direct/chat/completions", {"model": model, "messages": ASK}
        answer = await world.client.post(path, json=body, headers=world.key())
        assert (answer.status_code, told in answer.text) == (status, True)

    async def test_empty_end_of_chunks_adds_nothing(self, world, kit, model) -> None:
        chunks = [f'{{"choices":[{{"delta":{{"content":"{text}"}}}}]}}' for text in "AB"]
        world.instance(kit.says(*chunks, ""), model_id=700)
        path, body = "/api/adapters/openai-direct/chat/completions", {"model": model, "messages": ASK}
        answer = await world.client.post(path, json=body, headers=world.key())
        assert answer.json()["choices"][0]["message"]["content"] == "AB"

    @pytest.mark.parametrize("streamed", [False, True])
    @pytest.mark.parametrize("size", [0, LARGE_BYTES])
    @pytest.mark.parametrize(
        "error", [r'"err\u006fr":{"message":"no memory"}', r'"object":"\u0065rror"', r'"error":{"message":"no"}']
    )
    async def test_error_beside_content_is_one_however_it_is_spelled(
        self, world, kit, model, error, size, streamed
    ) -> None:
        world.instance(kit.says(f'{{"text":"{"x" * size}",{error}}}'), model_id=700)
        path, body = "/api/adapters/openai-direct/chat/completions", {"model": model, "messages": ASK}
        answer = await world.client.post(path, json=body | {"stream": streamed}, headers=world.key())
        assert (answer.status_code, answer.json()["error"]["type"]) == (502, "server_error")


class TestCompletions:
    async def test_prompt_becomes_a_message_for_a_chat_model(self, client, model, answering) -> None:
        twin = answering(lambda _data, _config: whole())
        answer = await client.completions.create(model=model, prompt="Once", max_tokens=3)
        assert (answer.choices[0].text, answer.object) == ("Fine.", "text_completion")
        expected = {"messages": [{"role": "user", "content": "Once"}], "stream": False}
        assert sent(twin) == (expected, {"max_tokens": 3})

    async def test_completion_is_streamed(self, client, model, answering) -> None:
        answering(lambda _data, _config: chunks())
        stream = await client.completions.create(model=model, prompt=["Once"], stream=True)
        assert "".join([part.choices[0].text async for part in stream]) == "Fine."

    async def test_several_prompts_are_refused(self, client, model, answering) -> None:
        answering(lambda _data, _config: whole())
        with pytest.raises(openai.BadRequestError):
            await client.completions.create(model=model, prompt=["a", "b"])

    async def test_other_models_get_the_prompt_unchanged(self, client, world, kit, answering) -> None:
        world.know(kit.model_changed(name="raw", model_id=700, task_type="custom"))
        twin = answering(lambda _data, _config: {"choices": [{"text": "upon"}]})
        answer = await client.completions.create(model="acme/raw/base", prompt="Once", seed=4)
        assert answer.choices[0].text == "upon"
        assert sent(twin) == ({"model": "base", "prompt": "Once", "stream": False}, {"seed": 4})

    @pytest.mark.parametrize("usage", [{"choices": []}, {}], ids=repr)
    async def test_parts_of_other_models_are_joined(self, client, world, kit, answering, usage) -> None:
        world.know(kit.model_changed(name="raw", model_id=700, task_type="custom", billing=kit.CALLS))
        one, other = {"index": 0, "text": "upon"}, {"index": 1, "text": "there", "finish_reason": "length"}
        last = {"index": 0, "text": " a time", "finish_reason": "stop"}
        answering(lambda _data, _config: [{"choices": [one]}, {"choices": [other, last]}, {**usage, "usage": USAGE}])
        answer = await client.completions.create(model="acme/raw", prompt="Once")
        told = [(choice.index, choice.text, choice.finish_reason) for choice in answer.choices]
        assert told == [(0, "upon a time", "stop"), (1, "there", "length")]
        assert (answer.object, answer.usage.total_tokens, len(await world.usage())) == ("text_completion", 5, 1)

    async def test_messages_of_other_models_are_joined(self, client, world, kit, answering) -> None:
        world.know(kit.model_changed(name="raw", model_id=700, task_type="custom"))
        answering(lambda _data, _config: chunks())
        answer = await client.completions.create(model="acme/raw", prompt="Once")
        assert answer.choices[0].to_dict()["message"]["content"] == "Fine."
