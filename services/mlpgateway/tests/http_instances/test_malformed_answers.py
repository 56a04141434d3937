"""Answers that claim to be JSON and are not, at every entry: none is a success, and none costs anything."""

import asyncio
import json
import uuid
from collections.abc import AsyncGenerator, Sequence
from typing import Any

import httpx
import pytest

from mlpgateway.call.call import Answer, Operation, Payload
from mlpgateway.call.ports import ConnectedInstance, InstanceEntry
from mlpgateway.entry.call_options import SERVED
from mlpgateway.entry.grpc.audio import wav_header
from mlpgateway.instances.grpc.link import StreamLink
from mlplace_contracts.events import ModelPublicity
from mlplace_gateproto import codes
from mlplace_gateproto import gate_pb2 as pb
from mlplace_testing.waiting import eventually
from services.mlpgateway.tests.entries import ENTRIES, MODEL, STREAMED, WHOLE, Entry
from services.mlpgateway.tests.rpcs import Rpc, client_rpc, refused_with, speech_rpc

JSON, EVENTS, LINES = "application/json", "text/event-stream", "application/x-ndjson"
BYTES, PAGE = "application/octet-stream", "text/html; charset=utf-8"
RPCS = [name for name, entry in ENTRIES.items() if not entry.path]
TAKES_PARTS = ["processStream", "processRecognition"]
"""RPCs whose input comes in parts."""
ADAPTERS = [name for name in WHOLE if name.startswith(("openai", "tts", "postTts"))]
SPEECH = ["openaiSpeech", "ttsByQuery", "ttsByBody", "tts", "postTts"]
LATER = [name for name, served in SERVED.items() if served.respond_async]
CHATS = ["openaiChatCompletions, streamed", "openaiCompletions, streamed"]
JSON_TYPES = ["text/json", "Application/JSON", "application/problem+json; charset=utf-8", 'application/json;a="b,c"']
NO_TYPES = [
    ("text/plain", JSON), (JSON, JSON), f"{JSON}, {JSON}", f"text/plain;a=b, {JSON}", f'text/plain;a="b", {JSON}', "json",
    f"{JSON} x", "application/json-seq", "application/geo+json-seq", "application/x-json",
]  # fmt: skip
"""Two headers, lists, what is no media type, and JSON in a form that the gate does not read."""
OTHER_FORMS = [
    b'{"ok":1}', b"{}", b"[1]", b'"hello"', b"null",
    b'{"choices":null,"data":null,"embedded_texts":null,"text":null,"alternatives":null,"audio_base64":null}',
    b'{"choices":[1],"data":[1],"embedded_texts":[1],"text":1,"alternatives":[1],"audio_base64":[1]}',
    b'{"choices":[{},1],"data":[{},1],"embedded_texts":[{"vector":[1]},1],"alternatives":[{"text":"a"},1]}',
    b'{"choices":{},"data":{},"embedded_texts":{},"alternatives":{},"audio_base64":{}}',
    b'{"choices":[],"data":[],"embedded_texts":[{"vector":[1]}],"text":"a","audio_base64":"AAAA","own":"\\ud800"}',
]  # fmt: skip
"""Of no adapter. The last one only has half a surrogate pair."""
NO_AUDIO = [
    (JSON, b'{"audio_base64":""}'),
    (BYTES, b""),
    (BYTES, wav_header(24_000, None)),
    (BYTES, wav_header(24_000, 50) + b"abcd"),
    (PAGE, b"<html>err</html>"),
]
NOT_JSON = [b'{"n":', b"", b"NaN", b'{"a":1} x', b'"\xff"', b"hello", b'{"a" 1}', b"[" * 5000]
ONE = b'{"choices":[{"index":0,"delta":{"content":"a"}}]}'
BROKEN_PARTS = {
    "an event that was never finished": (EVENTS, b"data: " + ONE + b'\n\ndata: {"n":'),
    "an event that is text": (EVENTS, b"data: " + ONE + b"\n\ndata: hello\n\ndata: [DONE]\n\n"),
    "a cut end mark": (EVENTS, b"data: " + ONE + b"\n\ndata: [DON"),
    "a line that was never finished": (LINES, ONE + b'\n{"n":'),
    "a line that is text": (LINES, ONE + b"\nhello\n"),
}


@pytest.fixture
async def priced(hosted, kit, tools):
    """Returns a function that prices the calls of the model."""

    def known(task_type: str = "custom") -> None:
        public = ModelPublicity(is_public=True, hidden=False, public_testing_allowed=True)
        hosted.know(
            kit.model_changed(
                name="m",
                http=tools.HTTP,
                billing=kit.CALLS,
                task_type=task_type,
                publicity=public,
                visitor_calls_per_day=1000,
            )
        )

    return known


@pytest.fixture
async def link(world, kit) -> StreamLink:
    world.know(kit.model_changed(name="m", billing=kit.CALLS))
    entry = InstanceEntry(1, kit.MODEL, kit.ACME, "m", accepts_connections=True)
    link = StreamLink(ConnectedInstance(uuid.uuid4(), entry, "gate:1", "", 2, "", None))
    world.components.links.add(link)
    return link


async def said_to(link: StreamLink, calling: asyncio.Task[Any], said: Sequence[Any]) -> Any:
    """Answers the call with these messages of an instance that speaks the gate protocol. Returns the call's result."""

    async def sent() -> bool:
        return link.active_requests > 0 or calling.done()

    await eventually(sent)
    (number,) = link._pending or (0,)
    for message in said:
        message.requestId = number
        link.accept(message, message.ByteSize())
    return await calling


async def send(world: Any, path: str, body: object, **headers: str) -> httpx.Response:
    return await world.client.post(path, json=body, headers={**world.key(), **headers})


def asked_by(world: Any) -> pb.ClientRequestProto:
    predict = pb.PredictRequestProto(data=pb.PayloadProto(json="1"))
    key = world.key()["MLP-API-KEY"]
    return pb.ClientRequestProto(account="acme", model="m", authToken=key, predict=predict)


def told_before_the_end(rpc: Rpc) -> list[tuple[str, bool, bool]]:
    """Returns text, start and finish of the parts that a caller over gRPC got before its last message."""
    parts = [pb.ClientResponseProto.FromString(message).partialPredict for message in rpc.written[:-1]]
    return [(part.data.json, part.start, part.finish) for part in parts]


def error_of(text: str) -> dict[str, Any]:
    """Returns an error, also in OpenAI's form."""
    body = json.loads(text)
    return body.get("error", body)


class TestWhole:
    @pytest.mark.parametrize("said", NOT_JSON, ids=repr)
    @pytest.mark.parametrize("name", WHOLE)
    async def test_it_is_an_error_and_free(self, hosted, instance, priced, name, said) -> None:
        priced(WHOLE[name].task_type)
        instance.says = (JSON, said)
        answer = await WHOLE[name].send(hosted.client, hosted.key())
        assert (answer.status_code, error_of(answer.text)["code"]) == (502, codes.INTERNAL_ERROR)
        assert await hosted.usage() == []

    @pytest.mark.parametrize("name", WHOLE)
    async def test_cut_by_the_end_of_the_connection_it_is_an_error_and_free(
        self, hosted, instance, priced, name
    ) -> None:
        priced(WHOLE[name].task_type)
        instance.says, instance.unframed = (JSON, ONE[:-1]), True
        answer = await WHOLE[name].send(hosted.client, hosted.key())
        assert (answer.status_code, error_of(answer.text)["code"]) == (502, codes.INTERNAL_ERROR)
        assert await hosted.usage() == []

    @pytest.mark.parametrize("status", [200, 206])
    @pytest.mark.parametrize("name", WHOLE)
    async def test_an_answer_with_a_coding_or_a_part_of_one_is_an_error_and_free(
        self, hosted, instance, priced, name, status
    ) -> None:
        priced(WHOLE[name].task_type)
        instance.says, instance.status = ("audio/wav", b"\x1f\x8b"), status
        instance.headers = {} if status == 206 else {"Content-Encoding": "identity, GZIP"}
        answer = await WHOLE[name].send(hosted.client, hosted.key())
        assert (answer.status_code, error_of(answer.text)["code"]) == (502, codes.INTERNAL_ERROR)
        assert await hosted.usage() == []

    @pytest.mark.parametrize("kind", JSON_TYPES)
    async def test_every_type_of_json_is_read_as_json(self, hosted, instance, priced, kind) -> None:
        priced()
        instance.says = (kind, b'{"n":1}')
        answer = await send(hosted, f"{MODEL}/predict", 1)
        assert (answer.status_code, answer.content, answer.headers["content-type"]) == (200, b'{"n":1}', JSON)
        instance.says = (kind, b'{"n":')
        assert (await send(hosted, f"{MODEL}/predict", 1)).status_code == 502
        assert len(await hosted.usage()) == 1

    @pytest.mark.parametrize("said", [b'{"n":', b'{"n":1}'])
    @pytest.mark.parametrize("kind", NO_TYPES, ids=repr)
    @pytest.mark.parametrize("name", ["predict", "predictWithConfig_v2_stream", "openaiDirectChatCompletions", "tts"])
    async def test_no_type_and_unknown_json_are_errors_and_free(
        self, hosted, instance, priced, name, kind, said
    ) -> None:
        priced()
        instance.says = (kind, said)
        answer = await ENTRIES[name].send(hosted.client, hosted.key())
        assert (answer.status_code, error_of(answer.text)["code"]) == (502, codes.INTERNAL_ERROR)
        assert await hosted.usage() == []

    @pytest.mark.parametrize("kind", ["application/octet-stream", "text/plain", 'text/plain; note="a, b"'])
    async def test_bytes_of_another_type_are_not_looked_at(self, hosted, instance, priced, kind) -> None:
        priced()
        instance.says = (kind, b'{"n":')
        answer = await send(hosted, f"{MODEL}/predict", 1)
        assert (answer.status_code, answer.content) == (200, b'{"n":')

    async def test_a_request_that_is_passed_on_gets_what_the_instance_sends(self, hosted, instance, priced) -> None:
        priced()
        instance.says = (JSON, b'{"n":')
        answer = await send(hosted, f"{MODEL}/http/predict", 1)
        assert (answer.status_code, answer.content) == (200, b'{"n":')

    @pytest.mark.parametrize(
        ("said", "shown"),
        [
            (b'\xef\xbb\xbf{"a":1}', b'{"a":1}'),
            (b'"\\ud800"', b'"\\ud800"'),
            (b' {"a":"\\ud83d\\ude00"} ', b' {"a":"\\ud83d\\ude00"} '),
            (b"12", b"12"),
        ],
    )
    async def test_what_is_json_arrives(self, hosted, instance, priced, said, shown) -> None:
        priced()
        instance.says = (JSON, said)
        answer = await send(hosted, f"{MODEL}/predict", 1)
        assert (answer.status_code, answer.content) == (200, shown)


class TestPredictions:
    @pytest.mark.parametrize("said", [(JSON, b'{"n":'), *BROKEN_PARTS.values()], ids=["cut", *BROKEN_PARTS])
    @pytest.mark.parametrize("name", LATER)
    async def test_it_fails_and_costs_nothing(self, hosted, instance, priced, name, said) -> None:
        priced()
        instance.says = said
        key = hosted.key()
        answer = await WHOLE[name].send(hosted.client, {**key, "Prefer": "respond-async"})
        runner = asyncio.create_task(hosted.components.entry_points.runner.run())
        try:

            async def look() -> dict[str, Any]:
                return (await hosted.client.get(answer.json()["urls"]["get"], headers=key)).json()

            ended = await eventually(look, until=lambda made: made["status"] not in {"queued", "running"}, seconds=60)
        finally:
            runner.cancel()
        assert (ended["status"], ended["error"]["code"]) == ("failed", codes.INTERNAL_ERROR)
        assert (ended["output"], await hosted.usage()) == (None, [])


class TestOtherForms:
    """JSON, or bytes, that are not what an adapter's caller asked for."""

    @pytest.mark.parametrize("said", OTHER_FORMS, ids=repr)
    @pytest.mark.parametrize("name", [name for name in ADAPTERS if name != "openaiDirectChatCompletions"])
    async def test_whole_answer_is_an_error_and_free(self, hosted, instance, priced, name, said) -> None:
        priced(WHOLE[name].task_type)
        instance.says = (JSON, said)
        answer = await WHOLE[name].send(hosted.client, hosted.key())
        assert (answer.status_code, error_of(answer.text)["code"]) == (502, codes.INTERNAL_ERROR)
        assert await hosted.usage() == []

    @pytest.mark.parametrize("task_type", ["custom", "chat-completion"])
    @pytest.mark.parametrize("said", OTHER_FORMS, ids=repr)
    @pytest.mark.parametrize("name", CHATS)
    async def test_streamed_chat_is_an_error_and_free(self, hosted, instance, priced, name, said, task_type) -> None:
        priced(task_type)
        good, other = b"data: " + ONE + b"\n\n", b"data: " + said + b"\n\n"
        for instance.says in ((JSON, said), (EVENTS, other), (EVENTS, good + other + good)):
            answer = await STREAMED[name].send(hosted.client, hosted.key())
            error = answer.text if answer.status_code == 502 else answer.text.rpartition("data: ")[2]
            assert error_of(error)["code"] == codes.INTERNAL_ERROR
        assert await hosted.usage() == []

    @pytest.mark.parametrize("said", OTHER_FORMS, ids=repr)
    async def test_vendors_own_format_is_not_judged(self, hosted, instance, priced, said) -> None:
        priced()
        instance.says = (JSON, said)
        answer = await WHOLE["openaiDirectChatCompletions"].send(hosted.client, hosted.key())
        assert (answer.status_code, answer.content) == (200, said)

    @pytest.mark.parametrize("said", [b"[1]", b'{"ok":1}', b'{"choices":[1]}'])
    async def test_parts_of_a_joined_conversation_are_checked(self, hosted, instance, priced, said) -> None:
        priced("chat-completion")
        instance.says = (EVENTS, b"data: " + ONE + b"\n\ndata: " + said + b"\n\n")
        for name in ("openaiChatCompletions", "openaiCompletions"):
            assert (await WHOLE[name].send(hosted.client, hosted.key())).status_code == 502
        assert await hosted.usage() == []

    @pytest.mark.parametrize("index", ["[]", "{}", '"a"', "1.5", "true"])
    async def test_index_that_is_no_number_is_an_error_and_free(self, hosted, instance, priced, index) -> None:
        priced("chat-completion")
        instance.says = (EVENTS, b'data: {"choices":[{"index":%s,"delta":{}}]}\n\n' % index.encode())
        answer = await WHOLE["openaiChatCompletions"].send(hosted.client, hosted.key())
        assert (answer.status_code, await hosted.usage()) == (502, [])

    @pytest.mark.parametrize("name", [name for name in ADAPTERS if name != "openaiDirectChatCompletions"])
    async def test_very_many_values_of_its_own_change_nothing(self, hosted, instance, priced, name) -> None:
        """As objects, values may take thirty times the memory of their text: no adapter builds them."""
        priced("chat-completion" if name == "openaiCompletions" else WHOLE[name].task_type)
        fits = {"choices": [], "data": [], "embedded_texts": [{"vector": [1]}], "text": "a", "audio_base64": "AAAA"}
        said = json.dumps(fits).encode()[:-1] + b',"own":[' + b"{}," * 260_000 + b"1]}"
        instance.says = (JSON, said)
        answer = await WHOLE[name].send(hosted.client, hosted.key())
        assert answer.status_code == 200
        assert len(await hosted.usage()) == 1

    @pytest.mark.parametrize("name", [*ADAPTERS, *STREAMED])
    async def test_status_without_content_is_an_error_and_free(self, hosted, instance, priced, name) -> None:
        entry = {**WHOLE, **STREAMED}[name]
        priced(entry.task_type)
        instance.status, instance.says = 204, ((), b"")
        answer = await entry.send(hosted.client, hosted.key())
        assert (answer.status_code, error_of(answer.text)["code"]) == (502, codes.INTERNAL_ERROR)
        assert await hosted.usage() == []

    @pytest.mark.parametrize("accept", ["*/*", EVENTS])
    @pytest.mark.parametrize("name", [*ADAPTERS, *STREAMED])
    async def test_page_is_an_error_and_free(self, hosted, instance, priced, name, accept) -> None:
        entry = {**WHOLE, **STREAMED}[name]
        priced(entry.task_type)
        instance.says = (PAGE, b"<html>err</html>")
        answer = await entry.send(hosted.client, {**hosted.key(), "Accept": accept})
        assert (answer.status_code, error_of(answer.text)["code"]) == (502, codes.INTERNAL_ERROR)
        assert await hosted.usage() == []

    @pytest.mark.parametrize("said", NO_AUDIO, ids=repr)
    @pytest.mark.parametrize("name", SPEECH)
    async def test_speech_without_audio_is_an_error_and_free(self, hosted, instance, priced, name, said) -> None:
        priced(WHOLE[name].task_type)
        instance.says = said
        for headers in ({}, {"Idempotency-Key": name}):
            answer = await WHOLE[name].send(hosted.client, {**hosted.key(), **headers})
            assert (answer.status_code, error_of(answer.text)["code"]) == (502, codes.INTERNAL_ERROR)
        assert await hosted.usage() == []

    @pytest.mark.parametrize("kind", ["audio/wav", "Audio/L16; rate=24000", BYTES])
    async def test_audio_of_these_types_is_speech(self, hosted, instance, priced, kind) -> None:
        priced("tts")
        instance.says = (kind, b"abcd")
        answer = await WHOLE["tts"].send(hosted.client, hosted.key())
        assert (answer.status_code, answer.content) == (200, b"abcd")

    @pytest.mark.parametrize("name", [name for name in STREAMED if name.startswith("openai")])
    async def test_stream_whose_parts_are_all_empty_is_an_error_and_free(self, kit, world, name) -> None:
        world.know(kit.model_changed(name="m", task_type=STREAMED[name].task_type, billing=kit.CALLS))

        async def script(_request: object) -> AsyncGenerator[Answer]:
            yield Answer(Payload(), {}, last=False, partial=True)
            yield Answer(Payload(), {}, first=False, partial=True)

        world.instance(script)
        for entry in (STREAMED[name], WHOLE[name.removesuffix(", streamed")]):
            answer = await entry.send(world.client, world.key())
            assert error_of(answer.text.removeprefix("data: "))["code"] == codes.INTERNAL_ERROR
        assert await world.usage() == []


class TestParts:
    @pytest.mark.parametrize("broken", BROKEN_PARTS)
    @pytest.mark.parametrize("name", STREAMED)
    async def test_a_stream_ends_with_an_error_and_is_free(self, hosted, instance, priced, name, broken) -> None:
        priced(STREAMED[name].task_type)
        instance.says = BROKEN_PARTS[broken]
        answer = await STREAMED[name].send(hosted.client, {**hosted.key(), "Accept": EVENTS})
        first, *_, last = [line for line in answer.text.split("\n") if line.startswith("data: ")]
        assert answer.status_code == 200
        assert json.loads(first.removeprefix("data: "))["choices"][0]["delta"] == {"content": "a"}
        assert error_of(last.removeprefix("data: "))["code"] == codes.INTERNAL_ERROR
        assert "[DONE]" not in answer.text
        assert await hosted.usage() == []

    @pytest.mark.parametrize("broken", BROKEN_PARTS)
    @pytest.mark.parametrize("name", WHOLE)
    async def test_a_whole_answer_from_broken_parts_is_an_error(self, hosted, instance, priced, name, broken) -> None:
        priced(WHOLE[name].task_type)
        instance.says = BROKEN_PARTS[broken]
        answer = await WHOLE[name].send(hosted.client, hosted.key())
        assert (answer.status_code, error_of(answer.text)["code"]) == (502, codes.INTERNAL_ERROR)
        assert await hosted.usage() == []

    @pytest.mark.parametrize(
        "said",
        [
            (EVENTS, b"data: 1\n\ndata: 2\n\n"),
            (EVENTS, b"data: 1\n\ndata: 2\n"),
            (EVENTS, b"data: 1\n\ndata: 2"),
            (EVENTS, b"\xef\xbb\xbfdata: 1\n\ndata:\n\ndata: 2\n\nevent: end\ndata: {}\n\n"),
            (LINES, b"1\n2"),
            ("application/ndjson", b"1\n2\n"),
            ("application/jsonl; charset=utf-8", b"1\n2\n"),
            ("text/x-jsonl", b"1\n2\n"),
            (LINES, b"\xef\xbb\xbf1\r\n \r\n2\r\n"),
            (LINES, b"1\n2\n  "),
            (LINES, b"1\n2\n\r"),
        ],
        ids=repr,
    )
    async def test_a_stream_whose_parts_are_whole_is_charged_once(self, hosted, instance, priced, said) -> None:
        priced()
        instance.says = said
        answer = await send(hosted, f"{MODEL}/predict-with-config-v2-stream", {"data": "1"})
        assert answer.text.split() == ["1", "2"]
        assert [usage.amount_nano for usage in await hosted.usage()] == [10]

    @pytest.mark.parametrize("name", STREAMED)
    @pytest.mark.parametrize("last", [True, False])
    async def test_bytes_among_texts_are_an_error_and_free(self, kit, world, name, last) -> None:
        world.know(kit.model_changed(name="m", task_type=STREAMED[name].task_type, billing=kit.CALLS))

        async def script(_request: object) -> AsyncGenerator[Answer]:
            yield Answer(Payload(json=ONE.decode()), {}, last=False, partial=True)
            yield Answer(Payload(protobuf=b"bytes"), {}, first=False, last=last, partial=True)
            yield Answer(Payload(json=ONE.decode()), {}, first=False, partial=True)

        world.instance(script)
        answer = await STREAMED[name].send(world.client, world.key())
        assert codes.INTERNAL_ERROR in answer.text
        assert "[DONE]" not in answer.text
        assert await world.usage() == []

    async def test_bytes_in_a_conversation_that_is_joined_are_an_error_and_free(self, kit, world) -> None:
        world.know(kit.model_changed(name="m", task_type="chat-completion", billing=kit.CALLS))

        async def script(_request: object) -> AsyncGenerator[Answer]:
            yield Answer(Payload(protobuf=b"bytes"), {}, last=False, partial=True)
            yield Answer(Payload(json=ONE.decode()), {}, first=False, partial=True)

        world.instance(script)
        for name in ("openaiChatCompletions", "openaiCompletions"):
            assert (await WHOLE[name].send(world.client, world.key())).status_code == 502
        assert await world.usage() == []

    @pytest.mark.parametrize("mark", [Payload(), Payload(json=""), Payload(protobuf=b"")], ids=repr)
    @pytest.mark.parametrize("name", STREAMED)
    async def test_empty_last_part_is_an_end_mark(self, kit, world, name, mark) -> None:
        world.know(kit.model_changed(name="m", task_type=STREAMED[name].task_type, billing=kit.CALLS))

        async def script(_request: object) -> AsyncGenerator[Answer]:
            yield Answer(Payload(json=ONE.decode()), {}, last=False, partial=True)
            yield Answer(mark, {}, first=False, partial=True)

        world.instance(script)
        answer = await STREAMED[name].send(world.client, world.key())
        assert ("error" in answer.text, answer.text.count("choices"), "\n\n\n" in answer.text) == (False, 1, False)
        assert len(await world.usage()) == 1


class TestOverGrpc:
    """Instances that speak the gate protocol."""

    async def _answered(self, world: Any, link: StreamLink, entry: Entry, said: Sequence[Any]) -> Any:
        return await said_to(link, asyncio.create_task(entry.send(world.client, world.key())), said)

    @staticmethod
    def whole(operation: Operation, text: str) -> pb.ServiceToGateProto:
        payload = pb.PayloadProto(json=text)
        if operation is Operation.EXT:
            return pb.ServiceToGateProto(ext=pb.ExtendedResponseProto(data=payload))
        return pb.ServiceToGateProto(predict=pb.PredictResponseProto(data=payload))

    @staticmethod
    def part(text: str | None, *, start: bool = False, finish: bool = False) -> pb.ServiceToGateProto:
        data = None if text is None else pb.PayloadProto(json=text)
        part = pb.PartialPredictResponseProto(data=data, start=start, finish=finish)
        return pb.ServiceToGateProto(partialPredict=part)

    @pytest.mark.parametrize("text", ['{"n":', "", "NaN", "hello"])
    @pytest.mark.parametrize("name", [name for name in WHOLE if name != "tryWithoutSigningIn"])
    async def test_a_whole_answer_is_an_error_and_free(self, world, link, name, text) -> None:
        operation = Operation.EXT if name == "ext" else Operation.PREDICT
        answer = await self._answered(world, link, WHOLE[name], [self.whole(operation, text)])
        assert (answer.status_code, error_of(answer.text)["code"]) == (502, codes.INTERNAL_ERROR)
        assert await world.usage() == []

    @pytest.mark.parametrize("name", ["predict", "ext"])
    async def test_byte_order_mark_is_no_part_of_a_whole_answer(self, world, link, name) -> None:
        operation = Operation.EXT if name == "ext" else Operation.PREDICT
        answer = await self._answered(world, link, WHOLE[name], [self.whole(operation, '\ufeff{"a":1}')])
        assert (answer.status_code, answer.content) == (200, b'{"a":1}')
        two = await self._answered(world, link, WHOLE[name], [self.whole(operation, "\ufeff\ufeff1")])
        assert two.status_code == 502

    async def test_byte_order_mark_is_no_part_of_a_part(self, world, link) -> None:
        said = [self.part("\ufeff1", start=True), self.part("\ufeff2"), self.part("\ufeff", finish=True)]
        answer = await self._answered(world, link, STREAMED["predictWithConfig_v2_stream"], said)
        assert answer.content.split() == [b"1", b"2"]

    @pytest.mark.parametrize("name", STREAMED)
    async def test_a_part_is_an_error_and_free(self, world, link, name) -> None:
        one = ONE.decode()
        said = [self.part(one, start=True), self.part('{"n":'), self.part(one, finish=True)]
        answer = await self._answered(world, link, STREAMED[name], said)
        first, last = [line.removeprefix("data: ") for line in answer.text.splitlines() if line]
        assert json.loads(first)["choices"] == json.loads(one)["choices"]
        assert error_of(last)["code"] == codes.INTERNAL_ERROR
        assert await world.usage() == []

    async def test_an_empty_last_part_is_an_end_mark(self, world, link) -> None:
        said = [self.part("1", start=True), self.part("2"), self.part(None, finish=True)]
        answer = await self._answered(world, link, STREAMED["predictWithConfig_v2_stream"], said)
        assert answer.text.split() == ["1", "2"]
        assert [usage.amount_nano for usage in await world.usage()] == [10]


class TestRpcs:
    """Callers over gRPC."""

    @pytest.mark.parametrize("said", [b'{"n":', b"", b"hello"])
    @pytest.mark.parametrize("name", [name for name in RPCS if name not in TAKES_PARTS])
    async def test_answer_over_http_is_an_error_and_free(self, hosted, instance, priced, name, said) -> None:
        priced()
        instance.says = (JSON, said)
        parts = hosted.components
        error = await refused_with(name, client_rpc(parts), speech_rpc(parts), asked_by(hosted), Rpc())
        assert (error.code, error.status) == (codes.INTERNAL_ERROR, 502)
        assert await hosted.usage() == []

    @pytest.mark.parametrize("broken", BROKEN_PARTS)
    @pytest.mark.parametrize("name", ["process", "processSynthesis"])
    async def test_whole_answer_from_broken_parts_is_an_error_and_free(
        self, hosted, instance, priced, name, broken
    ) -> None:
        priced()
        instance.says = BROKEN_PARTS[broken]
        parts = hosted.components
        error = await refused_with(name, client_rpc(parts), speech_rpc(parts), asked_by(hosted), Rpc())
        assert (error.code, error.status) == (codes.INTERNAL_ERROR, 502)
        assert await hosted.usage() == []

    @pytest.mark.parametrize("broken", BROKEN_PARTS)
    async def test_stream_of_broken_parts_ends_with_an_error_and_is_free(
        self, hosted, instance, priced, broken
    ) -> None:
        priced()
        instance.says = BROKEN_PARTS[broken]
        rpc, parts = Rpc(), hosted.components
        error = await refused_with("processResponseStream", client_rpc(parts), speech_rpc(parts), asked_by(hosted), rpc)
        assert (error.code, error.status) == (codes.INTERNAL_ERROR, 502)
        assert told_before_the_end(rpc) == [(ONE.decode(), True, False)]
        assert await hosted.usage() == []

    @pytest.mark.parametrize("name", ["processResponseStream", "processStream"])
    async def test_broken_part_over_grpc_ends_a_stream_with_an_error_and_is_free(self, world, link, name) -> None:
        rpc, parts, one = Rpc(), world.components, ONE.decode()
        calling = refused_with(name, client_rpc(parts), speech_rpc(parts), asked_by(world), rpc)
        said = [TestOverGrpc.part(one, start=True), TestOverGrpc.part('{"n":'), TestOverGrpc.part(one, finish=True)]
        error = await said_to(link, asyncio.create_task(calling), said)
        assert (error.code, error.status) == (codes.INTERNAL_ERROR, 502)
        assert told_before_the_end(rpc) == [(one, True, False)]
        assert await world.usage() == []

    @pytest.mark.parametrize("name", TAKES_PARTS)
    async def test_input_in_parts_never_reaches_an_instance_that_speaks_http(
        self, hosted, instance, priced, name
    ) -> None:
        priced()
        parts = hosted.components
        error = await refused_with(name, client_rpc(parts), speech_rpc(parts), asked_by(hosted), Rpc())
        assert (error.code, error.status) == (codes.METHOD_NOT_SUPPORTED, 400)
        assert (instance.seen, await hosted.usage()) == ([], [])

    @pytest.mark.parametrize("in_parts", [False, True])
    @pytest.mark.parametrize("said", ['{"n":', "NaN", "hello"])
    @pytest.mark.parametrize("name", RPCS)
    async def test_answer_over_grpc_is_an_error_and_free(self, world, link, name, said, in_parts) -> None:
        parts = world.components
        calling = refused_with(name, client_rpc(parts), speech_rpc(parts), asked_by(world), Rpc())
        message = (
            TestOverGrpc.part(said, start=True, finish=True)
            if in_parts
            else TestOverGrpc.whole(Operation.PREDICT, said)
        )
        error = await said_to(link, asyncio.create_task(calling), [message])
        assert (error.code, error.status) == (codes.INTERNAL_ERROR, 502)
        assert await world.usage() == []

    @pytest.mark.parametrize(
        ("name", "said"),
        [
            ("processSynthesis", '{"audio_base64":5}'),
            ("processSynthesis", "[1]"),
            ("processRecognition", "[1]"),
            ("processRecognition", '{"chunks":5}'),
            ("processSynthesis", '{"ok":1}'),
            ("processSynthesis", '{"audio_base64":""}'),
            ("processRecognition", '{"ok":1}'),
        ],
    )
    async def test_answer_that_is_no_speech_is_an_error_and_free(self, world, kit, name, said) -> None:
        world.know(kit.model_changed(name="m", billing=kit.CALLS))
        world.instance(kit.says(said))
        asked = pb.ClientRequestProto(account="acme", model="m", authToken=world.key()["MLP-API-KEY"])
        parts = world.components
        error = await refused_with(name, client_rpc(parts), speech_rpc(parts), asked, Rpc())
        assert (error.code, error.status) == (codes.INTERNAL_ERROR, 502)
        assert await world.usage() == []
