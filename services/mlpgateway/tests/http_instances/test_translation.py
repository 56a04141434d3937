"""Calls of the predict family to models that speak only HTTP."""

import asyncio
import json
import time
from collections.abc import Iterable
from contextlib import aclosing
from types import SimpleNamespace
from typing import Any, cast
from urllib.parse import urlencode

import pytest

from mlpgateway.call.call import Answer
from mlpgateway.call.large_json import LARGE_BYTES, LargeText
from mlpgateway.errors.calls import BrokenAnswer
from mlpgateway.http2.call import Call as Context
from mlpgateway.instances.http.answer_body import body_of
from mlpgateway.instances.http.client.framing import Headers
from mlpgateway.instances.http.client.response import Response
from mlpgateway.instances.http.translation import answers_of
from mlplace_contracts.events import PredictConfigChanged
from mlplace_gateproto import codes
from mlplace_gateproto import gate_pb2 as pb
from mlplace_gateproto import headers as names
from mlplace_kit.errors import ValidationFailed
from services.mlpgateway.tests.entries import STREAMED, WHOLE
from services.mlpgateway.tests.rpcs import Rpc, answered, client_rpc

MOST = 100
EVENTS, LINES = "text/event-stream", "application/x-ndjson"


class TestPredict:
    async def test_request_is_sent_unchanged(self, hosted, instance) -> None:
        answer = await hosted.predict(hosted.key(), '{"text": "hi"}')
        assert (answer.status_code, answer.content) == (200, b'{"got":{"text": "hi"}}')
        ((method, path, headers, body),) = instance.seen
        assert (method, path, body) == ("POST", "/predict", b'{"text": "hi"}')
        assert (headers["Content-Type"], headers[names.CALLER_ACCOUNT_ID]) == ("application/json", "1000000002")

    async def test_config_is_sent_with_the_data(self, hosted, instance) -> None:
        answer = await hosted.predict(hosted.key(), '{"data": [1], "config": {"a": 2}}', call="predict-with-config")
        assert answer.status_code == 200
        assert instance.seen[0][1] == "/predict-with-config"
        assert json.loads(instance.seen[0][3]) == {"data": [1], "config": {"a": 2}}

    async def test_large_request_is_sent_unchanged(self, hosted, instance) -> None:
        text = '"' + "я" * 700_000 + '"'
        assert (await hosted.predict(hosted.key(), text)).status_code == 200
        body = f'{{"data": {text}, "config": {{"a": 2}}}}'
        assert (await hosted.predict(hosted.key(), body, call="predict-with-config")).status_code == 200
        assert instance.seen[0][3] == text.encode()
        assert instance.seen[1][3] == f'{{"data":{text},"config":{{"a": 2}}}}'.encode()

    async def test_other_method_is_named(self, hosted, instance) -> None:
        answer = await hosted.predict(hosted.key(), '{"methodName": "m", "params": {"p": "1"}}', call="ext")
        assert answer.status_code == 200
        assert instance.seen[0][1] == "/ext"
        assert json.loads(instance.seen[0][3]) == {"methodName": "m", "params": {"p": "1"}}

    @pytest.mark.parametrize(
        ("kind", "query"),
        [
            ("image/png", "?dataType=image%2Fpng"),
            ("a b&c=\r\nHost: d#я", "?dataType=a%20b%26c%3D%0D%0AHost%3A%20d%23%D1%8F"),
            ("", ""),
        ],
    )
    async def test_type_of_the_data_is_sent(self, hosted, instance, kind: str, query: str) -> None:
        key = hosted.key()
        about = {"dataType": kind}
        assert (await hosted.predict(key, "1", f"predict?{urlencode(about)}")).status_code == 200
        body = json.dumps({"data": 1, "config": {"a": 2}, **about})
        assert (await hosted.predict(key, body, "predict-with-config")).status_code == 200
        for data in (pb.PayloadProto(json="1", dataType=kind), pb.PayloadProto(protobuf=b"1", dataType=kind)):
            asked = pb.ClientRequestProto(account="acme", model="ner", authToken=key["MLP-API-KEY"])
            asked.predict.CopyFrom(pb.PredictRequestProto(data=data))
            assert not (await answered(client_rpc(hosted.components), asked, cast("Context", Rpc()))).HasField("error")
        paths = [path for _, path, _, _ in instance.seen]
        assert paths == [f"/predict{query}", "/predict-with-config", f"/predict{query}", f"/predict{query}"]
        assert json.loads(instance.seen[1][3]) == {"data": 1, "config": {"a": 2}, **(about if kind else {})}

    @pytest.mark.parametrize(
        ("about", "field"),
        [
            (
                {"predict": {"data": {"protobuf": b"x"}, "config": {"json": '{"language": "de"}'}}},
                "data",
            ),
            (
                {"predict": {"data": {"json": "1"}, "config": {"protobuf": b"x"}}},
                "config",
            ),
            (
                {"ext": {"methodName": "m", "params": {"p": {"protobuf": b"x"}}}},
                "params.p",
            ),
        ],
    )
    async def test_bytes_that_json_cannot_hold_are_refused(
        self, hosted, instance, kit, tools, about: dict[str, Any], field: str
    ) -> None:
        """Callers of gRPC may send them. Left out, the call would be another one, and charged."""
        hosted.know(kit.model_changed(http=tools.HTTP, billing=kit.CALLS))
        asked = pb.ClientRequestProto(account="acme", model="ner", authToken=hosted.key()["MLP-API-KEY"], **about)
        answer = await answered(client_rpc(hosted.components), asked, cast("Context", Rpc()))
        assert (answer.error.code, answer.error.status) == (ValidationFailed.code, 400)
        assert list(answer.error.args) == [field]
        assert (instance.seen, await hosted.usage()) == ([], [])

    async def test_bytes_beside_the_models_own_config_are_refused(self, hosted, instance, kit) -> None:
        own = PredictConfigChanged(
            version=1,
            config_id=1,
            account_id=kit.ACME,
            model_id=kit.MODEL,
            is_default=True,
            config='{"a":1}',
            active=True,
        )
        hosted.know(own)
        data = pb.PredictRequestProto(data=pb.PayloadProto(protobuf=b"x"))
        asked = pb.ClientRequestProto(account="acme", model="ner", authToken=hosted.key()["MLP-API-KEY"], predict=data)
        answer = await answered(client_rpc(hosted.components), asked, cast("Context", Rpc()))
        assert (answer.error.status, "or the model's own" in answer.error.args["data"]) == (400, True)
        assert instance.seen == []

    async def test_bytes_that_json_cannot_hold_start_nothing(self, hosted, instance, kit, tools) -> None:
        await instance.runner.cleanup()
        await tools.until(lambda: not hosted.components.http_instances.of_model(kit.MODEL))
        ext = pb.ExtendedRequestProto(methodName="m", params={"p": pb.PayloadProto(protobuf=b"x")})
        asked = pb.ClientRequestProto(account="acme", model="ner", authToken=hosted.key()["MLP-API-KEY"], ext=ext)
        answer = await answered(client_rpc(hosted.components), asked, cast("Context", Rpc()))
        assert (answer.error.code, answer.error.status) == (ValidationFailed.code, 400)

    async def test_bytes_are_sent_without_a_config(self, hosted, instance) -> None:
        data = pb.PredictRequestProto(data=pb.PayloadProto(protobuf=b"x"), config=pb.PayloadProto(json="{}"))
        asked = pb.ClientRequestProto(account="acme", model="ner", authToken=hosted.key()["MLP-API-KEY"], predict=data)
        await answered(client_rpc(hosted.components), asked, cast("Context", Rpc()))
        ((method, path, headers, body),) = instance.seen
        assert (method, path, body) == ("POST", "/predict", b"x")
        assert headers["Content-Type"] == "application/octet-stream"

    async def test_error_keeps_the_instances_text_and_is_free(self, hosted, instance, kit, tools) -> None:
        hosted.know(kit.model_changed(http=tools.HTTP, billing=kit.CALLS))
        instance.status = 422
        answer = await hosted.predict(hosted.key())
        assert (answer.status_code, answer.json()["code"], answer.json()["args"]["a"]) == (422, "my.code", "b")
        assert await hosted.usage() == []

    async def test_call_is_recorded_once(self, hosted, kit, tools) -> None:
        hosted.know(kit.model_changed(http=tools.HTTP, billing=kit.CALLS))
        await hosted.predict(hosted.key())
        assert [(usage.units, usage.instance_id) for usage in await hosted.usage()] == [(1, 7)]

    @pytest.mark.parametrize("kind", ["application/json", EVENTS, LINES])
    async def test_broken_answer_is_a_lost_instance_and_free(self, hosted, instance, kit, tools, kind: str) -> None:
        hosted.know(kit.model_changed(http=tools.HTTP, billing=kit.CALLS))
        begun = b'data: {"n":1}\n\n' if kind == EVENTS else b'{"n":1}\n'
        instance.begins, instance.headers = begun, {"Content-Type": kind}
        answer = await hosted.predict(hosted.key())
        assert (answer.status_code, answer.json()["code"]) == (503, codes.CHANNEL_CLOSED)
        assert await hosted.usage() == []


CHUNKED = ((b"Transfer-Encoding", b"chunked"),)
UNTIL_CLOSED = ((b"Connection", b"close"),)


def coming(pieces: Iterable[bytes], headers: Headers) -> Response:
    """Returns a response whose body comes in exactly these pieces, which sockets do not guarantee."""
    left = iter(pieces)

    async def piece() -> bytes:
        return next(left, b"")

    async def turn() -> None:
        await asyncio.sleep(0)

    return cast("Response", SimpleNamespace(status=200, headers=headers, piece=piece, turn=turn))


async def read(kind: str, *pieces: bytes, most: int = MOST, headers: Headers = CHUNKED) -> list[Answer]:
    response = coming(pieces, (*headers, (b"Content-Type", kind.encode())))
    async with aclosing(answers_of(response, most, whole=False)) as answers:
        return [answer async for answer in answers]


async def texts(kind: str, *pieces: bytes) -> list[str | None]:
    """Returns the texts without the empty end mark."""
    return [answer.payload.json for answer in await read(kind, *pieces)][:-1]


class TestParts:
    BODY = b': hi\r\ndata: {"a":\r\ndata:1}\r\nid: 7\r\n\r\n\r\ndata: 2\n\ndata: [DONE]\n\ndata: 3\n\n'

    @pytest.mark.parametrize("size", [1, 2, 7, 1000])
    async def test_events_are_the_same_however_they_are_split(self, size: int) -> None:
        pieces = [self.BODY[at : at + size] for at in range(0, len(self.BODY), size)]
        assert await texts(EVENTS, *pieces) == ['{"a":\n1}', "2"]

    @pytest.mark.parametrize("size", [1, 2, 7, 1000])
    async def test_lines_are_the_same_however_they_are_split(self, size: int) -> None:
        body = b'{"a":1}\r\n\n2\n3'
        assert await texts(LINES, *(body[at : at + size] for at in range(0, len(body), size))) == ['{"a":1}', "2", "3"]

    async def test_last_event_needs_no_empty_line(self) -> None:
        assert await texts(EVENTS, b"data: 1\n\ndata: 2\n") == ["1", "2"]
        assert await texts(EVENTS, b"data: 1\n\ndata: [DONE]\n") == ["1"]

    @pytest.mark.parametrize("body", [b"data: 1\n\ndata: 12", b"data: 1\n\ndata: [DONE]"])
    async def test_last_line_needs_its_end_if_the_body_ends_with_the_connection(self, body: bytes) -> None:
        assert (await read(EVENTS, body))[-1].last
        with pytest.raises(BrokenAnswer, match="last line is not complete"):
            await read(EVENTS, body, headers=UNTIL_CLOSED)
        with pytest.raises(BrokenAnswer, match="last line is not complete"):
            await read(LINES, b"1\n12", headers=UNTIL_CLOSED)
        assert (await read(EVENTS, body + b"\n\n", headers=UNTIL_CLOSED))[-1].last
        assert (await read(LINES, b"1\n12\n", headers=UNTIL_CLOSED))[-1].last


class TestBounds:
    async def test_bound_of_an_event_covers_all_its_lines(self) -> None:
        opened, closed = b"[" + b"1" * 47 + b",", b"1" * 49 + b"]"
        begun, ended = b"data: " + opened + b"\n", b"data: " + closed + b"\n"
        whole = f"{opened.decode()}\n{closed.decode()}"
        assert len(whole) == MOST
        assert await texts(EVENTS, begun, ended, b"\n", begun, ended) == [whole, whole]
        with pytest.raises(BrokenAnswer, match="is larger"):
            await read(EVENTS, begun, ended, b"data:\n", b"data:\n")

    async def test_bound_of_an_event_covers_empty_data_lines(self) -> None:
        with pytest.raises(BrokenAnswer, match="is larger"):
            await read(EVENTS, *[b"data:\n"] * (MOST + 2))

    @pytest.mark.parametrize("kind", [EVENTS, LINES])
    async def test_bound_of_a_line_holds_with_and_without_its_end(self, kind: str) -> None:
        with pytest.raises(BrokenAnswer, match="is larger"):
            await read(kind, b"1" * 60, b"1" * 60)
        with pytest.raises(BrokenAnswer, match="is larger"):
            await read(kind, b"1" * 60, b"1" * 60 + b"\n")

    async def test_cost_of_a_long_line_is_linear(self) -> None:
        """Joining and searching it again with each piece would take half a minute or more."""
        pieces = [b'"', *[b"x" * 2048] * 8192, b'"']
        began = time.process_time()
        await read(LINES, *pieces, most=2**30)
        assert time.process_time() - began < 5


class TestLargeAnswers:
    LARGE = '{"choices":[],"text":"' + "я" * LARGE_BYTES + '"}'

    @pytest.mark.parametrize("mark", ["", "\ufeff"], ids=["plain", "marked"])
    def test_text_stays_the_bytes_that_came(self, mark) -> None:
        """A string of a large text would be decoded, checked and encoded again, all in one turn of the event loop."""
        body = body_of(200, ((b"Content-Type", b"application/json"),), 4 * LARGE_BYTES, whole=False)
        for _ in body.piece(f"{mark}{self.LARGE}".encode()):
            pass
        (answer,) = body.end()
        assert type(answer.payload) is LargeText
        assert bytes(answer.payload.source.view) == self.LARGE.encode()

    @pytest.mark.parametrize("mark", ["", "\ufeff"], ids=["plain", "marked"])
    async def test_it_arrives_at_every_kind_of_entry(self, hosted, instance, kit, tools, mark) -> None:
        hosted.know(kit.model_changed(name="m", http=tools.HTTP, task_type="chat-completion"))
        instance.says = ("application/json", f"{mark}{self.LARGE}".encode())
        for name in ("predict", "ext", "openaiChatCompletions", "openaiChatCompletions, streamed"):
            answer = await {**WHOLE, **STREAMED}[name].send(hosted.client, hosted.key())
            assert (answer.status_code, self.LARGE[1:] in answer.text) == (200, True)
        key = {**hosted.key(), "Idempotency-Key": "one"}
        answers = [await WHOLE["predict"].send(hosted.client, key) for _ in range(2)]
        assert [answer.text == self.LARGE for answer in answers] == [True, True]

    async def test_large_part_of_a_stream_arrives(self, hosted, instance, kit, tools) -> None:
        hosted.know(kit.model_changed(name="m", http=tools.HTTP))
        instance.says = (LINES, f"1\n{self.LARGE}\n2\n".encode())
        answer = await STREAMED["predictWithConfig_v2_stream"].send(hosted.client, hosted.key())
        assert answer.text.split() == ["1", self.LARGE, "2"]

    @pytest.mark.parametrize("end", [b"", b'"} x', b'\xff"}'], ids=["cut", "two values", "not UTF-8"])
    async def test_what_is_not_json_is_an_error_and_free(self, hosted, instance, kit, tools, end) -> None:
        hosted.know(kit.model_changed(name="m", http=tools.HTTP, billing=kit.CALLS))
        instance.says = ("application/json", self.LARGE[:-2].encode() + end)
        answer = await WHOLE["predict"].send(hosted.client, hosted.key())
        assert (answer.status_code, answer.json()["code"]) == (502, codes.INTERNAL_ERROR)
        assert await hosted.usage() == []
