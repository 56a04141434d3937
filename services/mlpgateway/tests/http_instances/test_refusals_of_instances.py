"""What an instance says with an error arrives at every entry: its status, its text, and when to try again."""

import json
from collections.abc import AsyncGenerator
from typing import Any, Final

import httpx
import pytest

from mlpgateway.call import error_bodies
from mlpgateway.call.call import Answer, Payload
from mlpgateway.call.error_bodies import MOST_BYTES, error_in
from mlpgateway.call.headers import MOST_HEADERS, is_delay, of_refusal
from mlpgateway.call.large_json import LARGE_BYTES
from mlpgateway.call.transport import InstanceError
from mlplace_contracts.events import ModelPublicity
from mlplace_gateproto import codes
from mlplace_gateproto import gate_pb2 as pb
from mlplace_kit.pricing import BillingUnit
from services.mlpgateway.tests.entries import ENTRIES, STREAMED, WHOLE
from services.mlpgateway.tests.rpcs import Rpc, client_rpc, refused_with, speech_rpc

JSON, TEXT, EVENTS = "application/json", "text/plain", "text/event-stream"
RPCS = [name for name, entry in ENTRIES.items() if not entry.path]
CALLED = {**WHOLE, **STREAMED, "httpInterface": ENTRIES["httpInterface"]}
PUBLIC = ModelPublicity(is_public=True, hidden=False, public_testing_allowed=True)
BUSY = "all GPUs are in use"
JUDGED = [
    name
    for name in CALLED
    if name.startswith(("openai", "tts", "postTts")) and not name.startswith("openaiDirectChatCompletions")
]
"""Entries whose answers have a form of their own."""
WITH_LISTS = {
    name: "custom" if name == "openaiEmbeddings" else CALLED[name].task_type
    for name in ("openaiChatCompletions", "openaiCompletions", "openaiEmbeddings", "openaiImages", *STREAMED)
    if name in JUDGED
}
"""Entries whose answers may have an empty list, and the task type of the model that they then call."""
WITH_STATUS = [
    ({"error": {"message": BUSY, "code": "own.busy"}}, 502),
    ({"error": {"message": BUSY, "code": True}}, 502),
    ({"error": {"message": BUSY, "code": 200}}, 502),
    ({"error": {"message": BUSY, "code": 10**30}}, 502),
    ({"error": {"message": BUSY, "code": 429}}, 429),
    ({"error": {"message": BUSY, "code": "429"}}, 429),
    ({"error": {"message": BUSY, "code": "200"}}, 502),
    ({"error": {"message": BUSY, "code": "0429"}}, 502),
    ({"error": {"message": BUSY, "code": "٤٢٩"}}, 502),
    ({"error": {"message": BUSY, "code": "own.busy", "status": "503"}}, 503),
    ({"error": {"message": BUSY}, "status": "503"}, 503),
    ({"error": {"message": BUSY, "status": 503}}, 503),
    ({"error": {"message": BUSY}, "status": 503}, 503),
    ({"object": "error", "message": BUSY, "type": "invalid_request_error", "code": 400}, 400),
    ({"error": BUSY, "error_type": "overloaded"}, 502),
]
"""Errors in place of an answer, and the status of each."""
CHUNK = '{"choices": [{"index": 0, "delta": {"content": "a"}}]}'
FORMS = {
    "the platform's": (JSON, {"code": "own.busy", "message": BUSY, "args": {"n": 1, "left": "x"}}),
    "OpenAI's": (JSON, {"error": {"message": BUSY, "type": "rate_limit_error", "code": "own.busy"}}),
    "FastAPI's": (JSON, {"detail": BUSY}),
    "RFC 9457": ("application/problem+json", {"title": "Busy", "detail": BUSY}),
    "a text under a name": (JSON, {"error": BUSY}),
    "a text in JSON": (JSON, BUSY),
    "plain text": ("text/plain; charset=utf-8", f"  {BUSY}\r\n"),
}


async def send(world: Any, path: str, body: object) -> httpx.Response:
    return await world.client.post(path, json=body, headers=world.key())


def error_of(text: str) -> dict[str, Any]:
    body = json.loads(text)
    return body["error"] if isinstance(body.get("error"), dict) else body


async def refused(world: Any, name: str) -> tuple[pb.ApiErrorProto, Rpc]:
    """Calls the RPC of this name. Returns the error with which it ended."""
    predict = pb.PredictRequestProto(data=pb.PayloadProto(json="1"))
    key = world.key()["MLP-API-KEY"]
    asked = pb.ClientRequestProto(account="acme", model="m", authToken=key, predict=predict)
    parts, rpc = world.components, Rpc()
    return await refused_with(name, client_rpc(parts), speech_rpc(parts), asked, rpc), rpc


class TestEntries:
    @pytest.mark.parametrize("name", CALLED)
    async def test_status_text_and_retry_after_arrive(self, hosted, instance, kit, tools, name) -> None:
        about = {"publicity": PUBLIC, "visitor_calls_per_day": 1000, "task_type": CALLED[name].task_type}
        hosted.know(kit.model_changed(name="m", http=tools.HTTP, billing=kit.CALLS, **about))
        instance.status, instance.headers = 429, {"Retry-After": "17", "Z-Own": "x", "Z-custom-billing": "5"}
        instance.says = (JSON, json.dumps({"code": "own.busy", "message": BUSY}).encode())
        answer = await CALLED[name].send(hosted.client, hosted.key())
        error = error_of(answer.text)
        assert (answer.status_code, error["code"], error["message"]) == (429, "own.busy", BUSY)
        assert (answer.headers["retry-after"], answer.headers["z-own"]) == ("17", "x")
        assert "z-custom-billing" not in answer.headers
        assert await hosted.usage() == []

    @pytest.mark.parametrize("form", FORMS)
    async def test_text_arrives_whatever_its_form(self, hosted, instance, form) -> None:
        kind, said = FORMS[form]
        instance.status, instance.says = 503, (kind, (said if kind.startswith(TEXT) else json.dumps(said)).encode())
        answer = await send(hosted, "/api/mlpgateway/account/acme/model/ner/predict", 1)
        assert (answer.status_code, answer.json()["message"]) == (503, BUSY)
        named = form in {"the platform's", "OpenAI's"}
        assert answer.json()["code"] == ("own.busy" if named else codes.INTERNAL_ERROR)
        assert answer.json()["args"] == ({"n": "1", "left": "x"} if form == "the platform's" else {})

    @pytest.mark.parametrize(
        ("kind", "said"),
        [
            (JSON, b""),
            (JSON, b"{"),
            ("text/html", b"<p>sorry"),
            (JSON, b'{"detail":' + b"[" * MOST_BYTES),
            (TEXT, b"\xff"),
        ],
        ids=["empty", "not JSON", "a page", "too large", "not UTF-8"],
    )
    async def test_error_without_a_text_names_the_status(self, hosted, instance, kind, said) -> None:
        instance.status, instance.says = 418, (kind, said)
        answer = await send(hosted, "/api/mlpgateway/account/acme/model/ner/predict", 1)
        assert (answer.status_code, answer.json()["message"]) == (418, "the instance answered 418")

    @pytest.mark.parametrize("code", [429, "429"], ids=repr)
    async def test_code_that_is_a_status_is_no_code(self, hosted, instance, code) -> None:
        """Nor does it change the status of the answer."""
        instance.status, instance.says = 503, (JSON, json.dumps({"error": {"message": BUSY, "code": code}}).encode())
        answer = await send(hosted, "/api/mlpgateway/account/acme/model/ner/predict", 1)
        assert (answer.status_code, answer.json()["code"]) == (503, codes.INTERNAL_ERROR)

    @pytest.mark.parametrize("data", ["", "data:\n", "data: <html>\n"], ids=repr)
    async def test_event_of_an_error_without_a_text_says_that_it_came(self, hosted, instance, data) -> None:
        instance.says = (EVENTS, f"data: 1\n\nevent: error\n{data}\n".encode())
        answer = await send(hosted, "/api/mlpgateway/account/acme/model/ner/predict", 1)
        shown = data.removeprefix("data:").strip() or "the instance ended its answer with an error"
        assert (answer.status_code, answer.json()["message"]) == (502, shown)

    async def test_findings_of_a_framework_are_shown_as_json(self, hosted, instance) -> None:
        instance.status, instance.says = 422, (JSON, b'{"detail": [{"loc": ["a"], "msg": "missing"}]}')
        answer = await send(hosted, "/api/mlpgateway/account/acme/model/ner/predict", 1)
        assert (answer.status_code, json.loads(answer.json()["message"])[0]["msg"]) == (422, "missing")

    async def test_status_that_is_no_error_becomes_502(self, hosted, instance) -> None:
        instance.status, instance.says = 302, (TEXT, b"elsewhere")
        answer = await send(hosted, "/api/mlpgateway/account/acme/model/ner/predict", 1)
        assert (answer.status_code, answer.json()["message"]) == (502, "elsewhere")

    async def test_event_of_an_error_ends_a_stream_and_is_free(self, hosted, instance, kit, tools) -> None:
        hosted.know(kit.model_changed(http=tools.HTTP, billing=kit.CALLS))
        said = json.dumps({"code": "own.busy", "message": BUSY, "status": 429})
        instance.says = (EVENTS, f"data: 1\n\nevent: error\ndata: {said}\n\n".encode())
        answer = await send(
            hosted, "/api/mlpgateway/account/acme/model/ner/predict-with-config-v2-stream", {"data": "1"}
        )
        first, last = answer.text.splitlines()
        error = json.loads(last)
        assert (first, error["code"], error["message"], error["status"]) == ("1", "own.busy", BUSY, 429)
        assert await hosted.usage() == []


class TestErrorsWithAStatusOfSuccess:
    """Servers of language models send errors so once an answer has begun, and some of them always."""

    @pytest.fixture
    def ask(self, hosted, instance, kit, tools):
        async def asked(name: str, said: object, kind: str = JSON, task_type: str | None = None) -> httpx.Response:
            entry = CALLED[name]
            about = {"task_type": task_type or entry.task_type}
            hosted.know(kit.model_changed(name="m", http=tools.HTTP, billing=kit.CALLS, **about))
            text = json.dumps(said)
            instance.says = (kind, (text if kind == JSON else f"data: {text}\n\ndata: [DONE]\n\n").encode())
            answer = await entry.send(hosted.client, hosted.key())
            assert await hosted.usage() == []
            return answer

        return asked

    @pytest.mark.parametrize("kind", [JSON, EVENTS])
    @pytest.mark.parametrize("name", JUDGED)
    async def test_it_is_the_answer_of_every_adapter(self, ask, name, kind) -> None:
        answer = await ask(
            name, {"error": {"message": BUSY, "type": "BadRequestError", "param": None, "code": 422}}, kind
        )
        error = error_of(answer.text)
        assert (answer.status_code, error["code"], error["message"]) == (422, codes.INTERNAL_ERROR, BUSY)

    @pytest.mark.parametrize("kind", [JSON, EVENTS])
    async def test_it_keeps_the_headers_of_the_answer(self, ask, instance, kind) -> None:
        instance.headers = {"Z-Own": "x", "Retry-After": "7", "Set-Cookie": "a=b"}
        answer = await ask("openaiChatCompletions", {"error": {"message": BUSY, "code": 429}}, kind)
        assert (answer.status_code, answer.headers["z-own"], answer.headers["retry-after"]) == (429, "x", "7")
        assert "set-cookie" not in answer.headers

    async def test_it_keeps_them_after_another_event(self, hosted, instance, kit, tools) -> None:
        """One answer is made of several events, and HTTP has its headers before the first."""
        hosted.know(kit.model_changed(name="m", http=tools.HTTP, billing=kit.CALLS, task_type="chat-completion"))
        said = json.dumps({"error": {"message": BUSY, "code": 429}})
        instance.headers = {"Z-Own": "x", "Retry-After": "7"}
        instance.says = (EVENTS, f"data: {CHUNK}\n\ndata: {said}\n\ndata: [DONE]\n\n".encode())
        answer = await CALLED["openaiChatCompletions"].send(hosted.client, hosted.key())
        assert (answer.status_code, answer.headers["z-own"], answer.headers["retry-after"]) == (429, "x", "7")
        assert await hosted.usage() == []

    @pytest.mark.parametrize("name", ["predict", "openaiChatCompletions"])
    async def test_headers_of_a_joined_answer_arrive_and_its_price_counts_once(
        self, hosted, instance, kit, tools, name
    ) -> None:
        billing = kit.CALLS.model_copy(update={"unit": BillingUnit.CUSTOM})
        hosted.know(kit.model_changed(name="m", http=tools.HTTP, billing=billing, task_type=CALLED[name].task_type))
        instance.headers = {"Z-Own": "x", "Z-custom-billing": "3", "Retry-After": "7"}
        instance.says = (EVENTS, f"data: {CHUNK}\n\ndata: {CHUNK}\n\n".encode())
        answer = await CALLED[name].send(hosted.client, hosted.key())
        assert (answer.status_code, answer.headers["z-own"], "retry-after" in answer.headers) == (200, "x", False)
        assert not {"z-custom-billing"} & {*answer.headers}
        assert [usage.units for usage in await hosted.usage()] == [3]

    @pytest.mark.parametrize(("said", "status"), WITH_STATUS, ids=repr)
    async def test_forms(self, ask, said, status) -> None:
        answer = await ask("openaiChatCompletions", said)
        assert (answer.status_code, error_of(answer.text)["message"]) == (status, BUSY)

    @pytest.mark.parametrize(("said", "status"), WITH_STATUS, ids=repr)
    @pytest.mark.parametrize("name", ["predict", "openaiChatCompletions, streamed"])
    async def test_event_named_error_is_read_like_them(self, hosted, instance, kit, tools, name, said, status) -> None:
        about = {"task_type": CALLED[name].task_type}
        hosted.know(kit.model_changed(name="m", http=tools.HTTP, billing=kit.CALLS, **about))
        instance.says = (EVENTS, f"event: error\ndata: {json.dumps(said)}\n\n".encode())
        instance.headers = {"Z-Own": "x", "Retry-After": "7", "Set-Cookie": "a=b"}
        answer = await CALLED[name].send(hosted.client, hosted.key())
        assert (answer.status_code, error_of(answer.text)["message"]) == (status, BUSY)
        assert (answer.headers["z-own"], answer.headers["retry-after"]) == ("x", "7")
        assert await hosted.usage() == []

    @pytest.mark.parametrize("kind", [JSON, EVENTS])
    @pytest.mark.parametrize("error", [{"error": {"message": BUSY, "code": 503}}, {"object": "error", "detail": BUSY}])
    @pytest.mark.parametrize("name", WITH_LISTS)
    async def test_empty_list_beside_it_changes_nothing(self, ask, name, error, kind) -> None:
        answer = await ask(name, {"choices": [], "data": [], **error}, kind, WITH_LISTS[name])
        assert (answer.status_code, error_of(answer.text)["message"]) == (503 if "error" in error else 502, BUSY)

    @pytest.mark.parametrize("error", [{"error": {"message": BUSY, "code": 503}}, {"object": "error", "detail": BUSY}])
    @pytest.mark.parametrize("name", JUDGED)
    async def test_content_beside_it_changes_nothing(self, ask, name, error) -> None:
        said = {"role": "assistant", "content": "a"}
        content = {
            "choices": [{"index": 0, "message": said, "delta": said, "finish_reason": "error"}], "text": "a",
            "data": [{"b64_json": "aGk="}], "embedded_texts": [{"vector": [1]}], "audio_base64": "AAAA",
        }  # fmt: skip
        answer = await ask(name, {**content, **error})
        assert (answer.status_code, error_of(answer.text)["message"]) == (503 if "error" in error else 502, BUSY)

    @pytest.mark.parametrize("error", [None, "", 0, False, [], {}], ids=repr)
    async def test_empty_error_beside_an_empty_list_is_none(self, hosted, instance, kit, tools, error) -> None:
        for name, task_type in WITH_LISTS.items():
            hosted.know(kit.model_changed(name="m", http=tools.HTTP, billing=kit.CALLS, task_type=task_type))
            instance.says = (JSON, json.dumps({"choices": [], "data": [], "error": error}, indent=1).encode())
            assert (await CALLED[name].send(hosted.client, hosted.key())).status_code == 200
        assert len(await hosted.usage()) == len(WITH_LISTS)

    async def test_large_error_beside_an_empty_list_is_not_read(self, ask) -> None:
        answer = await ask("openaiChatCompletions", {"choices": [], "error": {"message": "x" * MOST_BYTES}})
        assert (answer.status_code, "x" * 9 in answer.text) == (502, False)

    @pytest.mark.parametrize("said", [{"error": None}, {"error": {}}, {"error": ""}, {"message": BUSY}], ids=repr)
    async def test_what_names_no_error_is_another_form(self, ask, said) -> None:
        answer = await ask("openaiChatCompletions", said)
        assert answer.status_code == 502
        assert "choices" in error_of(answer.text)["message"]

    async def test_large_one_is_not_read(self, ask) -> None:
        answer = await ask("openaiChatCompletions", {"error": {"message": "x" * MOST_BYTES}})
        assert (answer.status_code, len(answer.text) < 1000) == (502, True)

    @pytest.mark.parametrize("beside", [{}, {"choices": []}], ids=repr)
    async def test_after_the_first_part_it_ends_the_stream(self, hosted, instance, kit, tools, beside) -> None:
        hosted.know(kit.model_changed(name="m", http=tools.HTTP, billing=kit.CALLS, task_type="chat-completion"))
        part, error = {"choices": [{"index": 0, "delta": {"content": "a"}}]}, {"error": {"message": BUSY, "code": 500}}
        error |= beside
        instance.says = (EVENTS, f"data: {json.dumps(part)}\n\ndata: {json.dumps(error)}\n\ndata: [DONE]\n\n".encode())
        streamed = await STREAMED["openaiChatCompletions, streamed"].send(hosted.client, hosted.key())
        first, last = streamed.text.split("\n\n")[:2]
        assert json.loads(first.removeprefix("data: "))["choices"] == part["choices"]
        assert json.loads(last.removeprefix("data: "))["error"]["message"] == BUSY
        assert "[DONE]" not in streamed.text
        joined = await WHOLE["openaiChatCompletions"].send(hosted.client, hosted.key())
        assert (joined.status_code, error_of(joined.text)["message"]) == (500, BUSY)
        assert await hosted.usage() == []

    async def test_other_entries_do_not_judge_answers(self, hosted, instance, kit, tools) -> None:
        hosted.know(kit.model_changed(name="m", http=tools.HTTP))
        instance.says = (JSON, b'{"error":"none"}')
        answer = await CALLED["predict"].send(hosted.client, hosted.key())
        assert (answer.status_code, answer.content) == (200, b'{"error":"none"}')


class TestErrorsInAVendorsOwnFormat:
    """`openai-direct` returns any JSON as it is, but for errors."""

    DIRECT: Final = ("openaiDirectChatCompletions", "openaiDirectChatCompletions, streamed")
    PART: Final = '{"type":"content_block_delta","delta":{"text":"a"}}'
    ERRORS: Final = (*WITH_STATUS, ({"type": "error", "error": {"type": "overloaded_error", "message": BUSY}}, 502))
    NONE: Final = (
        "[]", "1", '"error"', '["error"]', "{}", PART, '{"error":null}', '{"error":{}}', '{"object":"list","data":[]}',
        '{"a":{"error":"own"}}', '{"type":"error"}', '{"a":"\\"error\\":1"}',
    )  # fmt: skip

    @pytest.fixture
    async def say(self, hosted, instance, kit, tools):
        def said(kind: str, *parts: str) -> None:
            hosted.know(kit.model_changed(name="m", http=tools.HTTP, billing=kit.CALLS))
            instance.says = (kind, (parts[0] if kind == JSON else "".join(f"data: {p}\n\n" for p in parts)).encode())

        return said

    @pytest.mark.parametrize("kind", [JSON, EVENTS])
    @pytest.mark.parametrize(("error", "status"), ERRORS, ids=repr)
    @pytest.mark.parametrize("name", DIRECT)
    async def test_error_is_one_and_free(self, hosted, say, name, error, status, kind) -> None:
        say(kind, json.dumps(error), "[DONE]")
        answer = await CALLED[name].send(hosted.client, hosted.key())
        assert (answer.status_code, error_of(answer.text)["message"]) == (status, BUSY)
        assert await hosted.usage() == []

    @pytest.mark.parametrize(
        "beside",
        [{}, {"choices": []}, {"choices": [{"index": 0, "delta": {}}]}, {"data": [{}]}, {"content": []}],
        ids=repr,
    )
    @pytest.mark.parametrize("first", [PART, '{"choices":[{"index":0,"delta":{"content":"a"}}]}'])
    async def test_after_parts_it_ends_the_answer_and_is_free(self, hosted, say, first, beside) -> None:
        say(EVENTS, first, json.dumps({"error": {"message": BUSY, "code": 429}, **beside}), "[DONE]")
        whole, streamed = [await CALLED[name].send(hosted.client, hosted.key()) for name in self.DIRECT]
        assert (whole.status_code, error_of(whole.text)["message"]) == (429, BUSY)
        shown, last = streamed.text.replace("data: ", "").split("\n\n")[:2]
        assert (json.loads(shown), error_of(last)["message"]) == (json.loads(first), BUSY)
        assert "[DONE]" not in streamed.text
        assert await hosted.usage() == []

    async def test_before_the_last_part_it_is_one(self, hosted, say) -> None:
        say(EVENTS, json.dumps({"error": BUSY}), self.PART)
        for name in self.DIRECT:
            assert (await CALLED[name].send(hosted.client, hosted.key())).status_code == 502
        assert await hosted.usage() == []

    @pytest.mark.parametrize("size", [MOST_BYTES, LARGE_BYTES])
    async def test_large_one_is_an_error_without_its_text(self, hosted, say, size) -> None:
        for kind in (JSON, EVENTS):
            say(kind, json.dumps({"error": {"message": "x" * size}}))
            for name in self.DIRECT:
                answer = await CALLED[name].send(hosted.client, hosted.key())
                assert (answer.status_code, "xxx" in answer.text) == (502, False)
        assert await hosted.usage() == []

    @pytest.mark.parametrize("said", NONE)
    async def test_what_is_no_error_arrives(self, hosted, say, said) -> None:
        for kind in (JSON, EVENTS):
            say(kind, said)
            whole, streamed = [await CALLED[name].send(hosted.client, hosted.key()) for name in self.DIRECT]
            assert (whole.status_code, streamed.text) == (200, f"data: {said}\n\ndata: [DONE]\n\n")
            assert kind == EVENTS or whole.text == said
        assert len(await hosted.usage()) == 4

    async def test_large_answer_that_is_none_arrives(self, hosted, say) -> None:
        said = json.dumps({"content": "x" * LARGE_BYTES, "error": None})
        say(JSON, said)
        assert (await CALLED[self.DIRECT[0]].send(hosted.client, hosted.key())).text == said


class TestCost:
    """`error_in` runs in one turn of the event loop, however many parts an answer has."""

    ERROR = Payload(json=json.dumps({"error": {"message": BUSY, "code": 429}}))

    @staticmethod
    def found(*parts: Payload) -> InstanceError | None:
        return error_in(Answer(Payload(json="{}"), {}, before=parts))

    @pytest.mark.parametrize(
        "text",
        [
            f'{{{names}"b":[{"{}," * 21_000}1]}}'
            for names in ("", '"a":"error",', '"error":null,', '"error":{},', '"object":["error"],')
        ]
        + [f'{{"object":[{"{}," * 21_000}"error"]}}'],
        ids=["no name", "a value", "null", "empty", "a list", "a list of many values"],
    )
    def test_values_of_parts_that_are_no_errors_are_not_built(self, monkeypatch, text) -> None:
        """Building the values of 1,638 such parts takes a second and more."""
        assert 60_000 < len(text) <= MOST_BYTES
        monkeypatch.setattr(error_bodies, "_object", None)
        assert self.found(*[Payload(json=text)] * 200) is None

    def test_only_so_many_parts_that_name_an_error_are_read(self) -> None:
        text = json.dumps({"error": None, "a": "x" * 65_000})
        assert self.found(*[Payload(json=text)] * 250, self.ERROR) is not None
        assert self.found(*[Payload(json=text)] * 260, self.ERROR) is None

    @pytest.mark.parametrize("text", ['{"error":null}', json.dumps({"a": "x" * 65_000}), json.dumps({"a": '"error"'})])
    def test_error_behind_many_parts_is_found(self, text) -> None:
        error = self.found(*[Payload(json=text)] * 1638, self.ERROR)
        assert error is not None
        assert (error.text, error.status) == (BUSY, 429)


class TestHeaders:
    @pytest.mark.parametrize("value", ["0", "17", "999999999", "Wed, 21 Oct 2026 07:28:00 GMT"])
    def test_delay_of_http_is_kept(self, value) -> None:
        assert is_delay(value)
        assert of_refusal({"retry-after": value}) == {"Retry-After": value}

    @pytest.mark.parametrize(
        "value",
        [
            "", "-1", "1.5", "soon", "1" * 10, "١", "1\r\nX: y", "x" * 2000, "1\n",
            "Wed, 21 Oct 99999999999999999999 07:28:00 GMT", "Wed, 21 Oct 2026 07:28:00 +99999999999999999999",
            "Wed, 21 Oct 2026 07:28:00", "21 Oct 2026 07:28:00 GMT", "Wed, 21 Oct 2026 07:28:00 GMT x",
        ],
    )  # fmt: skip
    def test_other_delays_are_dropped(self, value) -> None:
        assert of_refusal({"Retry-After": value}) == {}

    def test_only_headers_of_the_protocol_go_on(self) -> None:
        given = {
            "Z-Own": "x", "z-custom-billing": "5", "Set-Cookie": "a=b", "MLP-Cost": "1", "Z-requestId": "other",
            "Z-Wait-Ms": "1", "Z-b d": "x", "Z-Line": "a\r\nb", "Z-Long": "x" * 2000, "RateLimit": "1",
        }  # fmt: skip
        assert of_refusal(given) == {"Z-Own": "x"}

    def test_their_number_is_bounded(self) -> None:
        given = {f"Z-{n}": "x" for n in range(100)}
        assert len(of_refusal(given)) == MOST_HEADERS
        kept = of_refusal({**given, "Retry-After": "7"})
        assert (len(kept), kept["Retry-After"]) == (MOST_HEADERS, "7"), "they do not displace when to try again"


class TestRpcs:
    """Callers over gRPC get the delay in the message's headers, those of speech as trailing metadata."""

    @pytest.mark.parametrize("delay", ["17", "Wed, 21 Oct 2026 07:28:00 GMT"])
    @pytest.mark.parametrize("name", RPCS)
    async def test_retry_after_arrives(self, world, kit, name, delay) -> None:
        world.know(kit.model_changed(name="m", billing=kit.CALLS))

        async def script(_request: object) -> AsyncGenerator[Answer]:
            headers = {"Retry-After": delay}
            raise InstanceError(code="own.busy", message=BUSY, status=429, details={}, headers=headers)
            yield Answer(Payload(), {})

        world.instance(script)
        error, rpc = await refused(world, name)
        assert (error.code, error.message, error.status) == ("own.busy", BUSY, 429)
        assert rpc.told["retry-after"] == delay
        assert await world.usage() == []

    @pytest.mark.parametrize("name", [name for name in RPCS if name not in {"processStream", "processRecognition"}])
    async def test_retry_after_of_an_instance_that_speaks_http_arrives(
        self, hosted, instance, kit, tools, name
    ) -> None:
        hosted.know(kit.model_changed(name="m", http=tools.HTTP, billing=kit.CALLS))
        instance.status, instance.headers = 429, {"Retry-After": "17"}
        instance.says = (JSON, json.dumps({"code": "own.busy", "message": BUSY}).encode())
        error, rpc = await refused(hosted, name)
        assert (error.code, error.message, error.status) == ("own.busy", BUSY, 429)
        assert rpc.told["retry-after"] == "17"
