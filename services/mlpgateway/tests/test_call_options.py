"""Idempotency-Key, Prefer and MLP-Webhook at every entry: what is served, and what is refused, with which status and charge.

MATRIX has a row for each entry. A new entry needs one here, in `entries.py`, and in `entry/call_options.py`.
"""

import asyncio
import base64
from collections.abc import AsyncGenerator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import count
from typing import Any, cast

import httpx
import orjson
import pytest
import sqlalchemy as sa
from starlette.routing import Route

from mlpgateway.call.call import Answer, Payload
from mlpgateway.call.transport import InstanceRequest
from mlpgateway.entry.adapters.routes import ADAPTER_ROUTES
from mlpgateway.entry.call_options import DECIDED, SERVED, documented, options_of
from mlpgateway.entry.grpc.client_rpc import ClientRpc
from mlpgateway.entry.grpc.speech_rpc import SpeechRpc
from mlpgateway.entry.http.routes import RAW_ROUTES
from mlpgateway.entry.http.visitors import VISITOR_ROUTE
from mlpgateway.entry.sockets.openapi import HTTP_ROUTES
from mlpgateway.features.idempotency.tables import IdempotentCall
from mlpgateway.http2.call import Call as Context
from mlpgateway.main import build_app
from mlpgateway.policy.money.ceiling import PriceAboveCap
from mlpgateway.registry import ROUTERS
from mlpgateway.warm.heads import WITHOUT_EFFECT, plain_head
from mlplace_contracts.events import ModelPublicity
from mlplace_gateproto import gate_pb2 as pb
from mlplace_kit.errors import HeaderNotServed
from services.mlpgateway.tests.entries import ENTRIES, MODEL, OPENAI, STREAMED
from services.mlpgateway.tests.rpcs import Rpc, answered, client_rpc, refused_with, speech_rpc

PRICE = 10


class Key(StrEnum):
    """What an entry does with an idempotency key, and the code of its refusal."""

    ONCE = "the first answer again, charged once"
    STREAM = "mlp.gate.idempotency_not_for_streams"
    REFUSED = "mlp.gate.header_not_served"
    PASSED_ON = "the model's server gets it"
    NO_EFFECT = "nothing is done that could be done twice"


class Prefer(StrEnum):
    """What an entry does with `Prefer: respond-async`, and the code of its refusal."""

    PREDICTION = "202 with a prediction"
    REFUSED = "mlp.gate.header_not_served"
    PASSED_ON = "the model's server gets it"
    NO_EFFECT = "nothing is done that one could wait for"


@dataclass(frozen=True, slots=True)
class Row:
    key: Key
    prefer: Prefer


_CALL = Row(Key.ONCE, Prefer.PREDICTION)
_ONCE = Row(Key.ONCE, Prefer.REFUSED)
_STREAM = Row(Key.STREAM, Prefer.REFUSED)
_NEITHER = Row(Key.REFUSED, Prefer.REFUSED)
_READS = Row(Key.NO_EFFECT, Prefer.NO_EFFECT)

MATRIX: Mapping[str, Row] = {
    "predict": _CALL,
    "predictWithConfig": _CALL,
    "predictWithConfig_v2": _CALL,
    "predictWithConfig_v2_stream": _STREAM,
    "ext": _CALL,
    "servletPredict": _CALL,
    "tryWithoutSigningIn": _NEITHER,
    "httpInterface": Row(Key.PASSED_ON, Prefer.PASSED_ON),
    "openaiChatCompletions": _ONCE,
    "openaiCompletions": _ONCE,
    "openaiDirectChatCompletions": _ONCE,
    "openaiEmbeddings": _ONCE,
    "openaiImages": _ONCE,
    "openaiSpeech": _ONCE,
    "openaiTranscriptions": _ONCE,
    "openaiModels": _READS,
    "openaiModel": _READS,
    "ttsByQuery": _ONCE,
    "ttsByBody": _ONCE,
    "tts": _ONCE,
    "postTts": _ONCE,
    "process": _ONCE,
    "processResponseStream": _STREAM,
    "processStream": _STREAM,
    "processSynthesis": _STREAM,
    "processRecognition": _STREAM,
    "control": _NEITHER,
    "controlReads": _READS,
}
# Requests that are passed on need a model's own server: tests/http_instances/test_requests.py has their tests.
OVER_HTTP = {name: row for name, row in MATRIX.items() if ENTRIES[name].path and row.key is not Key.PASSED_ON}
STREAMED_BODIES = [name for name in STREAMED if name not in MATRIX]
INVALID_KEYS = ["", "a b", "x" * 256, "a\x01", "clé"]


def rows(*keys: Key):
    return pytest.mark.parametrize("name", [name for name, row in OVER_HTTP.items() if row.key in keys])


@dataclass
class Site:
    """A world with one model, whose instance never gives the same answer twice, and a caller."""

    world: Any
    caller: dict[str, str]
    asked: list[InstanceRequest] = field(default_factory=list)

    async def send(self, name: str, *, other: bool = False, body: object = None, **headers: str) -> httpx.Response:
        named = {**self.caller, **{header.replace("_", "-"): value for header, value in headers.items()}}
        entry = ENTRIES.get(name) or STREAMED[name]
        return await entry.send(self.world.client, named, other=other, body=body)

    async def charged(self) -> list[int]:
        return [usage.amount_nano for usage in await self.world.usage()]

    async def stored(self) -> int:
        async with self.world.components.database.transaction() as session:
            return (await session.execute(sa.select(sa.func.count()).select_from(IdempotentCall))).scalar_one()

    async def expect_nothing(self) -> None:
        assert (self.asked, await self.charged(), await self.stored()) == ([], [], 0)


def code_of(answer: httpx.Response) -> tuple[str, str]:
    """Returns code and message, also of an error in OpenAI's form."""
    body = answer.json()
    error = body.get("error", body)
    return error["code"], error["message"]


@pytest.fixture
def site(world, kit):
    def opened(task_type: str = "custom") -> Site:
        public = ModelPublicity(is_public=True, hidden=False, public_testing_allowed=True)
        about = {"billing": kit.CALLS, "publicity": public, "visitor_calls_per_day": 1000}
        world.know(kit.model_changed(name="m", task_type=task_type, **about))
        made, numbers = Site(world, world.key()), count(1)

        async def script(request: InstanceRequest) -> AsyncGenerator[Answer]:
            made.asked.append(request)
            number = next(numbers)
            said = {
                "n": number, "text": str(number), "audio_base64": base64.b64encode(bytes([number]) * 512).decode(),
                "choices": [{"index": 0, "message": {"content": str(number)}}],
                "embedded_texts": [{"vector": [number]}], "data": [], "chunks": [],
            }  # fmt: skip
            yield Answer(Payload(json=orjson.dumps(said).decode()), {"Z-own": "x"})

        world.instance(script)
        return made

    return opened


class TestMatrix:
    def test_every_entry_has_a_row(self) -> None:
        rpcs = pb.DESCRIPTOR.services_by_name["Gate"].methods
        entries = {
            *(route.name for route in (*RAW_ROUTES, VISITOR_ROUTE, *ADAPTER_ROUTES)),
            *(rpc.name for rpc in rpcs if rpc.input_type.name.startswith("Client")),
            "httpInterface",
            "control",
            "controlReads",
        }
        assert all(route.name.startswith("httpInterface") for route in HTTP_ROUTES)
        assert set(MATRIX) == set(SERVED) == set(ENTRIES) == entries

    def test_code_serves_what_the_matrix_says(self) -> None:
        for name, row in MATRIX.items():
            served = SERVED[name]
            assert served.key == (row.key is Key.ONCE), name
            assert served.respond_async == (row.prefer is Prefer.PREDICTION), name
            assert served.passed_on == (row.key is Key.PASSED_ON) == (row.prefer is Prefer.PASSED_ON), name
            assert served.reads == (row.key is Key.NO_EFFECT) == (row.prefer is Prefer.NO_EFFECT), name

    def test_document_names_the_headers_that_are_served(self) -> None:
        paths = build_app().openapi()["paths"]
        operations = [operation for path in paths.values() for operation in path.values()]
        told = {
            operation["operationId"]: {
                given["name"] for given in operation.get("parameters", ()) if given["name"].lower() in DECIDED
            }
            for operation in operations
        }
        for name, row in OVER_HTTP.items():
            wanted = {header for header in documented(name) if header.lower() in DECIDED}
            assert told.get(name, set()) == wanted, name
            assert ("Idempotency-Key" in wanted, "Prefer" in wanted) == (
                row.key is Key.ONCE, row.prefer is Prefer.PREDICTION,
            )  # fmt: skip

    def test_no_control_route_is_an_entry_for_calls(self) -> None:
        routes = {route.path for router in ROUTERS for route in router.routes if isinstance(route, Route)}
        assert routes
        assert not routes & {route.path for route in (*RAW_ROUTES, *ADAPTER_ROUTES)}


class TestRepeatedKey:
    @rows(Key.ONCE)
    async def test_second_call_gets_the_first_answer_and_one_is_charged(self, site, name) -> None:
        opened = site(ENTRIES[name].task_type)
        first, second = [await opened.send(name, Idempotency_Key="one") for _ in range(2)]
        assert first.status_code == second.status_code == 200, first.text
        assert first.content == second.content
        assert first.headers["content-type"] == second.headers["content-type"]
        assert "z-idempotent-replayed" not in first.headers
        assert second.headers["z-idempotent-replayed"] == "true"
        assert (first.headers["z-own"], first.headers["mlp-cost"]) == ("x", "0.00000001")
        assert "mlp-cost" not in second.headers
        assert (len(opened.asked), await opened.charged()) == (1, [PRICE])

    @rows(Key.ONCE)
    async def test_answer_is_the_one_of_a_call_without_a_key(self, site, name) -> None:
        opened = site(ENTRIES[name].task_type)
        keyed, plain = await opened.send(name, Idempotency_Key="one"), await opened.send(name)
        assert (keyed.status_code, keyed.headers["content-type"]) == (200, plain.headers["content-type"])
        assert len(keyed.content) == pytest.approx(len(plain.content), abs=8)
        assert (len(opened.asked), await opened.charged()) == (2, [PRICE, PRICE])

    @rows(Key.ONCE)
    async def test_key_with_another_request_is_refused(self, site, name) -> None:
        opened = site(ENTRIES[name].task_type)
        assert (await opened.send(name, Idempotency_Key="one")).status_code == 200
        answer = await opened.send(name, other=True, Idempotency_Key="one")
        assert (answer.status_code, code_of(answer)[0]) == (422, "mlp.gate.idempotency_key_reused")
        assert (len(opened.asked), await opened.charged()) == (1, [PRICE])

    @rows(Key.ONCE)
    async def test_key_of_another_account_finds_nothing(self, site, world, kit, name) -> None:
        world.billing.money[kit.OTHER] = 10**15
        world.know(kit.limits_changed(kit.OTHER))
        opened = site(ENTRIES[name].task_type)
        first = await opened.send(name, Idempotency_Key="one")
        opened.caller = world.key(kit.OTHER)
        foreign = await opened.send(name, Idempotency_Key="one")
        assert (foreign.status_code, "z-idempotent-replayed" in foreign.headers) == (200, False)
        assert foreign.content != first.content
        assert (len(opened.asked), await opened.charged()) == (2, [PRICE, PRICE])

    @rows(Key.ONCE)
    @pytest.mark.parametrize("key", INVALID_KEYS)
    async def test_invalid_key_is_refused(self, site, name, key) -> None:
        opened = site(ENTRIES[name].task_type)
        answer = await opened.send(name, Idempotency_Key=key)
        code, message = code_of(answer)
        assert (answer.status_code, code) == (400, "mlp.core.validation_error")
        assert message.startswith("Idempotency-Key: ")
        await opened.expect_nothing()

    async def test_two_different_keys_are_no_valid_key(self, site) -> None:
        opened = site()
        headers = [*opened.caller.items(), ("Idempotency-Key", "one"), ("Idempotency-Key", "two")]
        answer = await opened.world.client.post(f"{MODEL}/predict", content="1", headers=headers)
        said = "Idempotency-Key: was sent with two different values; send one"
        assert (answer.status_code, code_of(answer)) == (400, ("mlp.core.validation_error", said))
        await opened.expect_nothing()

    @rows(Key.STREAM, Key.REFUSED)
    async def test_key_is_refused_where_it_is_not_served(self, site, name) -> None:
        opened = site(ENTRIES[name].task_type)
        answer = await opened.send(name, Idempotency_Key="one")
        code, message = code_of(answer)
        assert (answer.status_code, code) == (400, MATRIX[name].key.value)
        assert "Idempotency-Key" in message
        await opened.expect_nothing()

    @rows(Key.NO_EFFECT)
    async def test_key_changes_nothing_where_only_something_is_read(self, site, name) -> None:
        opened = site(ENTRIES[name].task_type)
        plain, *keyed = [await opened.send(name), *[await opened.send(name, Idempotency_Key="one") for _ in range(2)]]
        assert plain.status_code == 200
        assert [answer.content for answer in keyed] == [plain.content] * 2
        await opened.expect_nothing()

    @pytest.mark.parametrize("name", STREAMED_BODIES)
    async def test_key_is_refused_for_a_body_that_asks_for_a_stream(self, site, name) -> None:
        opened = site(STREAMED[name].task_type)
        answer = await opened.send(name, Idempotency_Key="one")
        code, message = code_of(answer)
        assert (answer.status_code, code) == (400, Key.STREAM.value)
        assert "Idempotency-Key" in message
        await opened.expect_nothing()


class TestRespondAsync:
    @pytest.mark.parametrize(
        "value", ["respond-async", "wait=5, Respond-Async", 'respond-async=""', "respond-async = ; a=b"]
    )
    @pytest.mark.parametrize("name", OVER_HTTP)
    async def test_it_is_served_with_a_prediction_or_refused(self, site, name, value) -> None:
        opened = site(ENTRIES[name].task_type)
        answer = await opened.send(name, Prefer=value)
        if MATRIX[name].prefer is Prefer.NO_EFFECT:
            assert answer.status_code == 200
        elif MATRIX[name].prefer is Prefer.PREDICTION:
            assert (answer.status_code, answer.json()["status"]) == (202, "queued")
            assert answer.headers["preference-applied"] == "respond-async"
        else:
            code, message = code_of(answer)
            assert (answer.status_code, code) == (400, MATRIX[name].prefer.value)
            assert "Prefer: respond-async" in message
        await opened.expect_nothing()

    async def test_second_prefer_header_counts(self, site) -> None:
        opened = site()
        headers = [*opened.caller.items(), ("Prefer", "wait=5"), ("Prefer", "respond-async")]
        answer = await opened.world.client.post(f"{MODEL}/predict", content="1", headers=headers)
        assert answer.status_code == 202

    @pytest.mark.parametrize("name", ["predict", "predictWithConfig_v2_stream", "openaiEmbeddings"])
    async def test_other_preferences_change_nothing(self, site, name) -> None:
        opened = site(ENTRIES[name].task_type)
        answer = await opened.send(
            name, Prefer='wait=5, not-respond-async, respond-async=0, x; respond-async, y="a, respond-async, b"'
        )
        assert (answer.status_code, await opened.charged()) == (200, [PRICE])


class TestWebhook:
    """There is nothing to notify of but a prediction."""

    @pytest.mark.parametrize("header", ["MLP-Webhook", "MLP-Webhook-Events"])
    @pytest.mark.parametrize("name", OVER_HTTP)
    async def test_it_is_refused_without_respond_async(self, site, name, header) -> None:
        opened = site(ENTRIES[name].task_type)
        answer = await opened.send(name, **{header: "https://example.org/"})
        if MATRIX[name].prefer is Prefer.NO_EFFECT:
            assert answer.status_code == 200
            return
        code, message = code_of(answer)
        assert (answer.status_code, code) == (400, "mlp.gate.header_not_served")
        served = MATRIX[name].prefer is Prefer.PREDICTION
        assert message.startswith(f"{header} needs Prefer: respond-async" if served else f"{header} is not")
        await opened.expect_nothing()

    async def test_a_request_that_is_passed_on_has_none(self) -> None:
        scope = {"headers": [(b"mlp-webhook", b"https://example.org/"), (b"prefer", b"respond-async")]}
        with pytest.raises(HeaderNotServed, match="MLP-Webhook"):
            options_of(scope, {"mlp-webhook": "https://example.org/", "prefer": "respond-async"}, "httpInterface")


class TestAdapters:
    """What only adapters do with a key: they give the model's answer another form."""

    async def test_answer_without_that_form_is_neither_kept_nor_charged(self, site, world, kit) -> None:
        world.know(kit.model_changed(name="m", task_type="text2vec", billing=kit.CALLS))
        world.instance(kit.says("[1]"))
        opened = Site(world, world.key())
        answers = [await opened.send("openaiEmbeddings", Idempotency_Key="one") for _ in range(2)]
        assert [answer.status_code for answer in answers] == [502, 502]
        await opened.expect_nothing()

    async def test_repetition_of_a_running_call_is_told_to_wait(self, site, world) -> None:
        opened, began, go = site(), asyncio.Event(), asyncio.Event()

        async def slow(_request: InstanceRequest) -> AsyncGenerator[Answer]:
            began.set()
            await go.wait()
            yield Answer(Payload(json='{"data":[]}'), {})

        world.components.links.all()[0]._script = slow
        running = asyncio.create_task(opened.send("openaiImages", Idempotency_Key="one"))
        await began.wait()
        answer = await opened.send("openaiImages", Idempotency_Key="one")
        assert (answer.status_code, code_of(answer)[0]) == (409, "mlp.gate.idempotent_call_running")
        go.set()
        assert (await running).status_code == 200
        assert await opened.charged() == [PRICE]

    async def test_call_is_served_again_after_an_error(self, site, world, kit) -> None:
        opened, scripts = site(), [kit.fails(kit.Failing), kit.says('{"data":[]}')]

        def script(request: InstanceRequest) -> AsyncGenerator[Answer]:
            return scripts.pop(0)(request)

        world.components.links.all()[0]._script = script
        answers = [await opened.send("openaiImages", Idempotency_Key="one") for _ in range(3)]
        assert [answer.status_code for answer in answers] == [503, 200, 200]
        assert answers[1].content == answers[2].content
        assert await opened.charged() == [PRICE]

    async def test_speech_in_parts_is_one_file_of_known_length(self, site, world, kit) -> None:
        async def in_parts(_request: InstanceRequest) -> AsyncGenerator[Answer]:
            yield Answer(Payload(protobuf=b"ab"), {}, last=False, partial=True)
            yield Answer(Payload(protobuf=b"cd"), {}, first=False, partial=True)

        world.know(kit.model_changed(name="m", task_type="tts", billing=kit.CALLS))
        world.instance(in_parts)
        opened = Site(world, world.key())
        first, second = [await opened.send("openaiSpeech", Idempotency_Key="one") for _ in range(2)]
        assert first.content == second.content
        assert (first.content[40:44], first.content[44:]) == ((4).to_bytes(4, "little"), b"abcd")
        assert await opened.charged() == [PRICE]

    async def test_pieces_of_speech_have_the_requested_size(self, site, world, raw) -> None:
        opened = site()
        body = orjson.dumps({"text": "x", "outputAudioSpec": {"chunkSizeKb": 1}})

        async def script(_request: InstanceRequest) -> AsyncGenerator[Answer]:
            yield Answer(Payload(protobuf=bytes(1536)), {})

        world.components.links.all()[0]._script = script
        for _ in range(2):
            request = raw(world.app, f"{MODEL}/tts", {**opened.caller, "Idempotency-Key": "one"}, body)
            await request.task
            assert [len(chunk) for chunk in request.chunks] == [1024, 512, 0]

    async def test_form_with_another_boundary_is_the_same_request(self, site) -> None:
        opened = site("asr")
        first, second = [await opened.send("openaiTranscriptions", Idempotency_Key="one") for _ in range(2)]
        sent = [answer.request.headers["content-type"] for answer in (first, second)]
        assert sent[0] != sent[1]
        assert first.content == second.content == b'{"text":"1"}'

    async def test_transcript_as_text_is_repeated_as_text(self, site) -> None:
        opened, body = site("asr"), {"model": "acme/m", "response_format": "text"}
        answers = [await opened.send("openaiTranscriptions", body=body, Idempotency_Key="one") for _ in range(2)]
        assert [answer.text for answer in answers] == ["1\n", "1\n"]
        assert answers[1].headers["z-idempotent-replayed"] == "true"


class TestRpcs:
    """Clients over gRPC send the headers as metadata, or in the message."""

    @pytest.fixture
    def client(self, world) -> ClientRpc:
        return client_rpc(world.components)

    @pytest.fixture
    def speech(self, world) -> SpeechRpc:
        return speech_rpc(world.components)

    @staticmethod
    def request(opened: Site, text: str = "1", **headers: str) -> pb.ClientRequestProto:
        predict = pb.PredictRequestProto(data=pb.PayloadProto(json=text))
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        key = opened.caller["MLP-API-KEY"]
        return pb.ClientRequestProto(account="acme", model="m", authToken=key, predict=predict, headers=named)

    @staticmethod
    async def _process(client: ClientRpc, request: pb.ClientRequestProto, **metadata: str) -> pb.ClientResponseProto:
        return await answered(client, request, cast("Context", Rpc(**metadata)))

    async def test_second_call_gets_the_first_answer_and_one_is_charged(self, site, client) -> None:
        opened = site()
        first = await self._process(client, self.request(opened), idempotency_key="one")
        second = await self._process(client, self.request(opened, Idempotency_Key="one"))
        assert first.predict == second.predict
        assert "Z-idempotent-replayed" not in first.headers
        assert second.headers["Z-idempotent-replayed"] == "true"
        assert (len(opened.asked), await opened.charged()) == (1, [PRICE])

    async def test_key_with_another_request_is_refused(self, site, client) -> None:
        opened = site()
        await self._process(client, self.request(opened), idempotency_key="one")
        answer = await self._process(client, self.request(opened, "2"), idempotency_key="one")
        assert (answer.error.code, answer.error.status) == ("mlp.gate.idempotency_key_reused", 422)

    async def test_key_of_another_account_finds_nothing(self, site, client, world, kit) -> None:
        world.know(kit.limits_changed(kit.OTHER))
        world.billing.money[kit.OTHER] = 10**15
        opened = site()
        for account in (kit.DEMO, kit.OTHER):
            opened.caller = world.key(account)
            answer = await self._process(client, self.request(opened), idempotency_key="one")
            assert "Z-idempotent-replayed" not in answer.headers
        assert (len(opened.asked), await opened.charged()) == (2, [PRICE, PRICE])

    async def test_last_of_several_parts_looks_the_same_when_it_is_repeated(self, site, client, world, kit) -> None:
        opened = site()
        world.components.links.all()[0]._script = kit.says("1", "2")
        first, second = [await self._process(client, self.request(opened), idempotency_key="one") for _ in range(2)]
        assert first.predict.data.json == second.predict.data.json == "2"

    @pytest.mark.parametrize("key", INVALID_KEYS)
    async def test_invalid_key_is_refused(self, site, client, key) -> None:
        opened = site()
        answer = await self._process(client, self.request(opened), idempotency_key=key)
        assert (answer.error.code, answer.error.status) == ("mlp.core.validation_error", 400)
        await opened.expect_nothing()

    @pytest.mark.parametrize("in_message", [False, True])
    @pytest.mark.parametrize("name", [name for name in MATRIX if name.startswith("process")])
    @pytest.mark.parametrize(("header", "value"), [("idempotency_key", "one"), ("prefer", "respond-async")])
    async def test_headers_that_are_not_served_are_refused(
        self, site, client, speech, name, header, value, in_message
    ) -> None:
        wanted = MATRIX[name].key if header == "idempotency_key" else MATRIX[name].prefer
        if wanted is Key.ONCE or (in_message and name in {"processSynthesis", "processRecognition"}):
            return  # served, or the message has no headers
        opened = site()
        asked = self.request(opened, **({header: value} if in_message else {}))
        context = Rpc(**({} if in_message else {header: value}))
        error = await refused_with(name, client, speech, asked, context)
        assert (error.code, error.status) == (wanted.value, 400)
        assert ("Idempotency-Key" if header == "idempotency_key" else "Prefer: respond-async") in error.message
        await opened.expect_nothing()


class TestMetadata:
    """Speech calls have no headers in their messages, and proxies add headers to all calls."""

    @pytest.fixture
    def call(self, site, world, kit):
        """Returns a function that calls an RPC of the model. It returns the error, and who paid."""
        world.know(kit.limits_changed(kit.OTHER))
        world.billing.money[kit.OTHER] = 10**15
        opened = site()
        link = world.components.links.all()[0]
        link.send_stream = lambda request, _inputs: link._script(request)
        asked = TestRpcs.request(opened)

        async def called(name: str, in_message: Mapping[str, str], **metadata: str) -> tuple[str, list[int]]:
            asked.headers.update(in_message)
            rpcs = client_rpc(world.components), speech_rpc(world.components)
            error = await refused_with(name, *rpcs, asked, Rpc(**metadata))
            return error.code, [usage.payer_account_id for usage in await world.usage()]

        return called

    @pytest.mark.parametrize("name", [name for name in MATRIX if name.startswith("process")])
    async def test_its_billing_key_pays(self, call, world, kit, name) -> None:
        paying, secret = world.key_event(kit.OTHER)
        world.know(paying)
        assert await call(name, {}, mlp_billing_key=secret) == ("", [kit.OTHER])

    @pytest.mark.parametrize("name", [name for name in MATRIX if name.startswith("process")])
    async def test_its_invalid_billing_key_is_refused(self, call, name) -> None:
        assert await call(name, {}, mlp_billing_key="1.2.nobodys") == ("mlp.gate.billing_key_not_valid", [])

    async def test_billing_key_may_be_told_twice_but_not_two(self, call, world, kit) -> None:
        paying, secret = world.key_event(kit.OTHER)
        world.know(paying)
        named = {"MLP-Billing-Key": secret}
        assert await call("process", named, mlp_billing_key=secret) == ("", [kit.OTHER])
        code, payers = await call("process", named, mlp_billing_key="another")
        assert (code, payers) == ("mlp.core.validation_error", [kit.OTHER])

    @pytest.mark.parametrize(("told", "added"), [("0.000000001", "1"), ("1", "0.000000001")])
    async def test_smaller_price_of_message_and_metadata_counts(self, call, told, added) -> None:
        code, payers = await call("process", {"mlp-max-price": told}, mlp_max_price=added)
        assert (code, payers) == (PriceAboveCap.code, [])


class TestWarmPath:
    """It serves no request with such a header; the ordinary way decides."""

    @pytest.mark.parametrize("header", sorted(DECIDED))
    @pytest.mark.parametrize("path", [f"{MODEL}/predict", f"{OPENAI}/chat/completions", f"{MODEL}/http/x"])
    def test_request_with_such_a_header_is_not_served_there(self, path, header) -> None:
        plain = [(b"mlp-api-key", b"1.1.secret"), (b"content-length", b"2")]
        assert plain_head(path.encode(), plain, "192.0.2.1") is not None
        assert plain_head(path.encode(), [*plain, (header.encode(), b"x")], "192.0.2.1") is None
        assert header.encode() not in WITHOUT_EFFECT
