"""Tests calls to services: over HTTP, through a gate, and from within a service."""

import asyncio
import contextvars
import json
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import httpx
import pytest
from pydantic import BaseModel
from pydantic_core import PydanticSerializationError

import mlplace
from mlplace.context import Context, enter_context
from mlplace_gateproto import gate_pb2

FAST = mlplace.Retry(attempts=3, pause=0.01, budget=5)


UNREADABLE = {"a page": "<html>", "cut": '{"n":', "too many digits": "1" * 5000, "too deep": "[" * 100_000}
"""Answers that are no JSON, or none that Python reads."""


class Question(BaseModel):
    text: str


class TwinGateway:
    """Returns prepared responses and records the requests."""

    def __init__(self, *responses: httpx.Response | Exception) -> None:
        self.requests: list[httpx.Request] = []
        self._responses = list(responses)

    def __call__(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        response = self._responses.pop(0)
        if isinstance(response, Exception):
            raise response
        return response


def error(code: str, status: int = 400, **more) -> httpx.Response:
    body = {"code": code, "message": "Wrong ${what}", "status": status, "args": {"what": "day"}, "requestId": "r-1"}
    return httpx.Response(status, json=body | more)


def client_of(gateway: TwinGateway, **options) -> mlplace.Client:
    options.setdefault("retry", FAST)
    return mlplace.Client("http://here", "1.2.key", transport=httpx.MockTransport(gateway), **options)


def async_client_of(gateway: TwinGateway) -> mlplace.AsyncClient:
    return mlplace.AsyncClient("http://here", "1.2.key", transport=httpx.MockTransport(gateway), retry=FAST)


class TestHttpPredict:
    def test_the_request_itself_is_the_body(self):
        gateway = TwinGateway(httpx.Response(200, json={"answer": 42}))
        with client_of(gateway, billing_key="1.3.payer") as client:
            assert client.predict("acme", "ner-ru", Question(text="?"), config_id=7, request_id="t") == {"answer": 42}
        request = gateway.requests[0]
        assert str(request.url) == "http://here/api/mlpgateway/account/acme/model/ner-ru/predict?configId=7"
        assert json.loads(request.content) == {"text": "?"}
        assert request.headers["MLP-API-KEY"] == "1.2.key"
        assert request.headers["MLP-BILLING-KEY"] == "1.3.payer"
        assert request.headers["Z-requestId"] == "t"

    def test_a_config_is_sent_next_to_the_data(self):
        gateway = TwinGateway(httpx.Response(200, json=1))
        client_of(gateway).predict("acme", "a/b", [1], config={"k": True})
        assert gateway.requests[0].url.raw_path == b"/api/mlpgateway/account/acme/model/a%2Fb/predict-with-config"
        assert json.loads(gateway.requests[0].content) == {"data": [1], "config": {"k": True}}

    def test_an_error_answer_is_raised_with_all_its_parts(self):
        gateway = TwinGateway(error("mlp.gate.access_denied", 403))
        with pytest.raises(mlplace.MlpError) as raised:
            client_of(gateway).predict("acme", "m", 1)
        failure = raised.value
        assert (failure.code, failure.message, failure.status) == ("mlp.gate.access_denied", "Wrong ${what}", 403)
        assert (failure.args, failure.request_id) == ({"what": "day"}, "r-1")
        assert str(failure) == "mlp.gate.access_denied: Wrong day"
        assert len(gateway.requests) == 1

    @pytest.mark.parametrize(("told", "seconds"), [("17", 17.0), ("Sun, 06 Nov 1994 08:49:37 GMT", 0.0), (None, None)])
    def test_an_error_says_when_to_try_again(self, told, seconds):
        answer = error("own.busy", 429)
        answer.headers.update({} if told is None else {"Retry-After": told})
        with pytest.raises(mlplace.MlpError) as raised:
            client_of(TwinGateway(answer)).predict("acme", "m", 1)
        assert raised.value.retry_after == seconds

    def test_an_error_without_the_usual_body_keeps_its_status(self):
        gateway = TwinGateway(httpx.Response(502, text="Bad Gateway"))
        with pytest.raises(mlplace.MlpError) as raised:
            client_of(gateway).predict("acme", "m", 1)
        assert (raised.value.code, raised.value.status) == ("http.502", 502)

    def test_an_empty_answer_is_none(self):
        assert client_of(TwinGateway(httpx.Response(200))).predict("acme", "m", 1) is None

    @pytest.mark.parametrize("passing", [error("mlp.gate.pps_limit_exceeded", 429), httpx.ConnectError("refused")])
    def test_temporary_failures_are_retried(self, passing):
        gateway = TwinGateway(passing, httpx.Response(200, json="ok"))
        assert client_of(gateway).predict("acme", "m", 1, request_id="same") == "ok"
        assert [request.headers["Z-requestId"] for request in gateway.requests] == ["same", "same"]

    def test_the_number_of_attempts_is_limited(self):
        gateway = TwinGateway(*[error("mlp.gate.pps_limit_exceeded", 429)] * 3)
        with pytest.raises(mlplace.MlpError, match="pps_limit"):
            client_of(gateway).predict("acme", "m", 1)
        assert len(gateway.requests) == 3

    def test_a_connection_lost_during_the_call_is_not_retried(self):
        gateway = TwinGateway(httpx.ReadError("reset"))
        with pytest.raises(mlplace.MlpError, match="connection_lost"):
            client_of(gateway).predict("acme", "m", 1)

    @pytest.mark.parametrize("text", UNREADABLE.values(), ids=UNREADABLE)
    def test_an_answer_that_is_no_json_is_an_error(self, text):
        gateway = TwinGateway(httpx.Response(200, text=text))
        with pytest.raises(mlplace.MlpError) as raised:
            client_of(gateway).predict("acme", "m", 1)
        assert (raised.value.code, len(gateway.requests)) == ("mlplace.unreadable_answer", 1)


class TestHttpExt:
    def test_parameters_are_sent_as_texts(self):
        gateway = TwinGateway(httpx.Response(200, json=["ah"]))
        assert client_of(gateway).ext("acme", "m", "repeat", {"word": "ah", "times": 2}) == ["ah"]
        expected = {"methodName": "repeat", "params": {"word": "ah", "times": "2"}}
        assert json.loads(gateway.requests[0].content) == expected


def events(*parts: str, last: str = "event: end\ndata: {}\n\n") -> httpx.Response:
    """A streamed answer, in pieces that end anywhere."""
    content = ("".join(f"data: {part}\n\n" for part in parts) + last).encode()
    return httpx.Response(200, content=iter([content[at : at + 7] for at in range(0, len(content), 7)]))


class Chunks(httpx.AsyncByteStream):
    def __init__(self, response: httpx.Response) -> None:
        self._content = response.read()

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for at in range(0, len(self._content), 7):
            yield self._content[at : at + 7]


class TestHttpStream:
    def test_each_event_is_a_part(self):
        gateway = TwinGateway(events('{"n": 1}', '{"n": 2}'))
        parts = list(client_of(gateway).stream("acme", "m", {"q": 1}, config={"c": 2}))
        assert parts == [{"n": 1}, {"n": 2}]
        assert gateway.requests[0].url.path.endswith("/predict-with-config-v2-stream")
        assert gateway.requests[0].headers["accept"] == "text/event-stream"
        assert json.loads(gateway.requests[0].content) == {"data": '{"q":1}', "config": '{"c":2}'}

    def test_an_event_named_error_ends_the_stream_with_that_error(self):
        error = 'event: error\ndata: {"code": "x.y", "message": "m", "status": 500, "args": {}}\n\n'
        parts = client_of(TwinGateway(events('{"n": 1}', last=error))).stream("acme", "m", 1)
        assert next(parts) == {"n": 1}
        with pytest.raises(mlplace.MlpError, match=r"x\.y"):
            next(parts)

    @pytest.mark.parametrize(
        "part",
        [
            {"text": "a\u2028b\u0085c\x1cd"},
            {"code": 7, "message": "m", "status": "delivered"},
            {"code": "a", "message": "m", "status": 500, "args": ["x"]},
        ],
    )
    async def test_a_part_is_what_the_model_says(self, part):
        text = json.dumps(part, ensure_ascii=False)
        assert list(client_of(TwinGateway(events(text, "2"))).stream("acme", "m", 1)) == [part, 2]
        response = httpx.Response(200, stream=Chunks(events(text, "2")))
        async with async_client_of(TwinGateway(response)) as client:
            assert [each async for each in client.stream("acme", "m", 1)] == [part, 2]

    def test_a_stream_without_its_end_has_broken_off(self):
        parts = client_of(TwinGateway(events("1", last=""))).stream("acme", "m", 1)
        assert next(parts) == 1
        with pytest.raises(mlplace.MlpError, match="connection_lost"):
            next(parts)

    def test_a_refused_stream_raises_at_the_first_part(self):
        parts = client_of(TwinGateway(error("mlp.gate.unauthorized", 401))).stream("acme", "m", 1)
        with pytest.raises(mlplace.MlpError, match="unauthorized"):
            next(parts)

    @pytest.mark.parametrize("text", UNREADABLE.values(), ids=UNREADABLE)
    def test_a_part_that_is_no_json_is_an_error_after_those_before_it(self, text):
        parts = client_of(TwinGateway(events("1", text, "2"))).stream("acme", "m", 1)
        assert next(parts) == 1
        with pytest.raises(mlplace.MlpError, match="unreadable_answer"):
            next(parts)

    @pytest.mark.parametrize(("said", "code"), [("<html>", "mlplace.unreadable_answer"), ("[1]", "http.500")])
    def test_an_event_with_an_error_of_another_form_is_an_error(self, said, code):
        parts = client_of(TwinGateway(events(last=f"event: error\ndata: {said}\n\n"))).stream("acme", "m", 1)
        with pytest.raises(mlplace.MlpError) as raised:
            next(parts)
        assert raised.value.code == code


class TestAsyncClient:
    """It answers like ``Client``."""

    async def test_temporary_failures_are_retried(self):
        gateway = TwinGateway(error("mlp.gate.gate_is_shut_down", 503), httpx.Response(200, json="ok"))
        async with async_client_of(gateway) as client:
            assert await client.predict("1", "2", "x") == "ok"
        assert gateway.requests[1].url.path == "/api/mlpgateway/account/1/model/2/predict"

    @pytest.mark.parametrize(("told", "seconds"), [("17", 17.0), ("Sun, 06 Nov 1994 08:49:37 GMT", 0.0), (None, None)])
    @pytest.mark.parametrize("streamed", [False, True])
    async def test_an_error_says_when_to_try_again(self, told, seconds, streamed):
        answer = error("own.busy", 429)
        answer.headers.update({} if told is None else {"Retry-After": told})
        async with async_client_of(TwinGateway(answer)) as client:
            with pytest.raises(mlplace.MlpError) as raised:
                await (anext(client.stream("acme", "m", 1)) if streamed else client.predict("acme", "m", 1))
        assert (raised.value.code, raised.value.args, raised.value.retry_after) == (
            "own.busy",
            {"what": "day"},
            seconds,
        )

    @pytest.mark.parametrize("text", UNREADABLE.values(), ids=UNREADABLE)
    async def test_an_answer_that_is_no_json_is_an_error(self, text):
        async with async_client_of(TwinGateway(httpx.Response(200, text=text))) as client:
            with pytest.raises(mlplace.MlpError, match="unreadable_answer"):
                await client.predict("acme", "m", 1)

    async def test_a_connection_lost_during_the_call_is_not_retried(self):
        async with async_client_of(TwinGateway(httpx.ReadError("reset"))) as client:
            with pytest.raises(mlplace.MlpError, match="connection_lost"):
                await client.predict("acme", "m", 1)

    async def test_each_event_is_a_part(self):
        async with async_client_of(TwinGateway(httpx.Response(200, stream=Chunks(events("1", "2"))))) as client:
            assert [part async for part in client.stream("acme", "m", 1)] == [1, 2]

    @pytest.mark.parametrize(
        ("last", "code"),
        [
            ("", "mlplace.connection_lost"),
            ("data: 2", "mlplace.connection_lost"),
            ('event: error\ndata: {"code": "x.y", "message": "m", "status": 500, "args": {}}\n\n', "x.y"),
            ("data: <html>\n\n", "mlplace.unreadable_answer"),
        ],
        ids=["no end", "a part without its end", "an error", "a part that is no JSON"],
    )
    async def test_a_stream_that_does_not_end_well_is_an_error_after_its_parts(self, last, code):
        response = httpx.Response(200, stream=Chunks(events("1", last=last)))
        async with async_client_of(TwinGateway(response)) as client:
            parts = client.stream("acme", "m", 1)
            assert await anext(parts) == 1
            with pytest.raises(mlplace.MlpError) as raised:
                await anext(parts)
        assert raised.value.code == code


def answered(value) -> gate_pb2.ClientResponseProto:
    data = gate_pb2.PayloadProto(json=json.dumps(value))
    return gate_pb2.ClientResponseProto(predict=gate_pb2.PredictResponseProto(data=data))


def part(value, *, finish: bool = False) -> gate_pb2.ClientResponseProto:
    data = gate_pb2.PayloadProto(json=json.dumps(value))
    answer = gate_pb2.PartialPredictResponseProto(data=data, finish=finish)
    return gate_pb2.ClientResponseProto(partialPredict=answer)


def ended() -> gate_pb2.ClientResponseProto:
    """As older gates end an answer whose parts have all been sent."""
    answer = gate_pb2.PartialPredictResponseProto(data=gate_pb2.PayloadProto(json=""), finish=True)
    return gate_pb2.ClientResponseProto(partialPredict=answer)


def refused(code: str) -> gate_pb2.ClientResponseProto:
    failure = gate_pb2.ApiErrorProto(code=code, message="No", args={"a": "b"}, status=gate_pb2.BAD_REQUEST)
    return gate_pb2.ClientResponseProto(error=failure, headers={"Z-requestId": "r-1"})


def grpc_client(*gates, **options) -> mlplace.GrpcClient:
    addresses = [gate if isinstance(gate, str) else gate.address for gate in gates]
    return mlplace.GrpcClient(addresses, "1.2.key", secure=False, retry=FAST, **options)


async def refused_with(gate, retry_after: str) -> mlplace.MlpError:
    """Returns the error of a call that the gate refuses, telling the caller when to try again."""
    reply = refused("own.busy")
    reply.headers["Retry-After"] = retry_after
    gate.replies = [[reply]]
    async with grpc_client(gate) as client:
        with pytest.raises(mlplace.MlpError) as raised:
            await client.predict("acme", "m", 1)
    return raised.value


class TestGrpcPredict:
    async def test_request_and_answer_cross_the_gate(self, gate):
        gate.replies = [[answered({"n": 1})]]
        async with grpc_client(gate, billing_key="payer", timeout=7) as client:
            assert await client.predict("acme", "m", {"q": 1}, request_id="t", data_type="Q") == {"n": 1}
        call = gate.calls[0]
        assert (call.account, call.model, call.authToken, call.timeoutSec) == ("acme", "m", "1.2.key", 7)
        assert (call.predict.data.json, call.predict.data.dataType) == ('{"q":1}', "Q")
        assert dict(call.headers) == {"Z-requestId": "t", "MLP-BILLING-KEY": "payer"}

    async def test_only_a_config_of_the_caller_is_sent(self, gate):
        """Without one, the gate uses the model's own."""

        async def speak() -> AsyncIterator[int]:
            yield 1

        async with grpc_client(gate) as client:
            for config in (None, {"k": 1}):
                gate.replies = [[answered(1)], [part(1)]]
                await client.predict("acme", "m", 1, config=config)
                for parts in (
                    client.stream("acme", "m", 1, config=config), client.converse("acme", "m", speak(), config=config),
                ):  # fmt: skip
                    assert [each async for each in parts] == [1]
        first = [call for call in gate.calls if call.account]  # only the first message of a call names it
        sent = [call.predict if call.HasField("predict") else call.partialPredict for call in first]
        assert [each.config.json if each.HasField("config") else None for each in sent] == [None] * 3 + ['{"k":1}'] * 3

    async def test_bytes_are_sent_as_bytes(self, gate):
        data = gate_pb2.PayloadProto(protobuf=b"\x01")
        gate.replies = [[gate_pb2.ClientResponseProto(predict=gate_pb2.PredictResponseProto(data=data))]]
        async with grpc_client(gate) as client:
            assert await client.predict("acme", "m", b"\x00") == b"\x01"
        assert gate.calls[0].predict.data.protobuf == b"\x00"

    async def test_an_error_is_raised_with_all_its_parts(self, gate):
        gate.replies = [[refused("mlp.gate.unauthorized")]]
        async with grpc_client(gate) as client:
            with pytest.raises(mlplace.MlpError) as raised:
                await client.predict("acme", "m", 1)
        failure = raised.value
        assert (failure.code, failure.status, failure.args) == ("mlp.gate.unauthorized", 400, {"a": "b"})
        assert failure.request_id == "r-1"

    @pytest.mark.parametrize(
        ("told", "least", "most"),
        [
            ("17", 17, 17),
            (format_datetime(datetime.now(UTC) + timedelta(days=1), usegmt=True), 3600, 24 * 3600),
            ("Sun, 06 Nov 1994 08:49:37 GMT", 0, 0),
        ],
        ids=["seconds", "a date", "a past date"],
    )
    async def test_an_error_says_when_to_try_again(self, gate, told, least, most):
        assert least <= (await refused_with(gate, told)).retry_after <= most

    @pytest.mark.parametrize(
        "told", ["soon", "", "06 Nov 1994 08:49:37", "Mon, 01 Jan 99999999999999999999 00:00:00 GMT", "\u0661"]
    )
    async def test_what_is_no_time_is_none(self, gate, told):
        assert (await refused_with(gate, told)).retry_after is None

    @pytest.mark.parametrize("text", UNREADABLE.values(), ids=UNREADABLE)
    async def test_an_answer_that_is_no_json_is_an_error(self, gate, text):
        data = gate_pb2.PayloadProto(json=text)
        whole = gate_pb2.ClientResponseProto(predict=gate_pb2.PredictResponseProto(data=data))
        in_parts = gate_pb2.ClientResponseProto(partialPredict=gate_pb2.PartialPredictResponseProto(data=data))

        async def speak() -> AsyncIterator[int]:
            yield 1

        gate.replies = [[whole], [part(1), in_parts], [part(1), in_parts]]
        async with grpc_client(gate) as client:
            with pytest.raises(mlplace.MlpError, match="unreadable_answer"):
                await client.predict("acme", "m", 1)
            for parts in (client.stream("acme", "m", 1), client.converse("acme", "m", speak())):
                assert await anext(parts) == 1
                with pytest.raises(mlplace.MlpError, match="unreadable_answer"):
                    await anext(parts)
        assert gate.replies == []

    @pytest.mark.parametrize(
        "code", ["mlp.gate.pps_limit_exceeded", "mlp.gate.gate_is_shut_down", "mlp-action.common.channel-closed-error"]
    )
    async def test_temporary_failures_are_retried(self, gate, code):
        gate.replies = [[refused(code)], [answered("ok")]]
        async with grpc_client(gate) as client:
            assert await client.predict("acme", "m", 1) == "ok"
        assert len(gate.calls) == 2

    async def test_an_unreachable_gate_is_replaced_by_the_next_address(self, make_gate):
        gone, here = await make_gate(), await make_gate()
        await gone.stop()
        here.replies = [[answered("ok")]]
        async with grpc_client(gone, here) as client:
            assert await client.predict("acme", "m", 1) == "ok"

    async def test_without_any_gate_the_call_fails_after_its_attempts(self, make_gate):
        gone = await make_gate()
        await gone.stop()
        async with grpc_client(gone) as client:
            with pytest.raises(mlplace.MlpError, match="connection_failed"):
                await client.predict("acme", "m", 1)

    async def test_an_address_without_tls_is_named_as_a_reason(self, gate):
        async with mlplace.GrpcClient(gate.address, "1.2.key", retry=mlplace.Retry(1)) as client:
            with pytest.raises(mlplace.MlpError, match=r"uses TLS: pass secure=False") as failed:
                await client.predict("acme", "m", 1)
            assert failed.value.code == "mlplace.connection_failed"
            with pytest.raises(mlplace.MlpError, match=r"uses TLS: pass secure=False"):
                await anext(client.stream("acme", "m", 1))

    async def test_ext_sends_named_payloads(self, gate):
        data = gate_pb2.PayloadProto(json="[1]")
        gate.replies = [[gate_pb2.ClientResponseProto(ext=gate_pb2.ExtendedResponseProto(data=data))]]
        async with grpc_client(gate) as client:
            assert await client.ext("acme", "m", "repeat", {"word": "ah"}) == [1]
        assert gate.calls[0].ext.params["word"].json == '"ah"'


class TestRetryAfter:
    def test_an_attempt_waits_as_long_as_the_error_says(self):
        attempts = mlplace.Retry(attempts=3, pause=0.3, budget=20).begin()
        assert attempts.may_repeat(mlplace.MlpError("mlp.gate.pps_limit_exceeded", "m", retry_after=7))
        assert attempts.pause == 7
        assert attempts.may_repeat(mlplace.MlpError("mlp.gate.pps_limit_exceeded", "m"))
        assert attempts.pause == 0.3

    def test_an_attempt_beyond_the_budget_is_not_made(self):
        attempts = mlplace.Retry(attempts=3, pause=0.3, budget=20).begin()
        assert not attempts.may_repeat(mlplace.MlpError("mlp.gate.pps_limit_exceeded", "m", retry_after=30))


class TestGrpcStream:
    async def test_an_answer_may_last_as_long_as_its_parts_come(self, gate):
        async def speak() -> AsyncIterator[int]:
            yield 1

        gate.replies = [[part(1), part(2, finish=True)]]
        async with grpc_client(gate) as client:
            assert [value async for value in client.stream("acme", "m", "q")] == [1, 2]
            assert [value async for value in client.converse("acme", "m", speak())] == [1]
        assert gate.deadlines == [None, None]
        assert {call.timeoutSec for call in gate.calls if call.account} == {60}, "the gate bounds each part"

    async def test_a_part_that_does_not_come_ends_the_call(self, gate):
        gate.replies, gate.silent = [[part(1)]], True
        async with grpc_client(gate, timeout=-4.5) as client:  # with the margin, half a second
            parts = client.stream("acme", "m", "q")
            assert await anext(parts) == 1
            with pytest.raises(mlplace.MlpError, match="deadline_exceeded"):
                await anext(parts)

    async def test_parts_arrive_in_order(self, gate):
        gate.replies = [[part(1), part(2, finish=True)]]
        async with grpc_client(gate) as client:
            assert [value async for value in client.stream("acme", "m", "q")] == [1, 2]

    async def test_a_stream_is_retried_only_before_its_first_part(self, gate):
        late = refused("mlp.gate.pps_limit_exceeded")
        gate.replies = [[late], [part(1), late]]
        async with grpc_client(gate) as client:
            parts = client.stream("acme", "m", "q")
            assert await anext(parts) == 1
            with pytest.raises(mlplace.MlpError, match="pps_limit"):
                await anext(parts)
        assert len(gate.calls) == 2

    @pytest.mark.parametrize("talking", [False, True])
    async def test_a_refusal_after_a_part_says_when_to_try_again(self, gate, talking):
        async def speak() -> AsyncIterator[int]:
            yield 1

        reply = refused("own.busy")
        reply.headers["Retry-After"] = "17"
        gate.replies = [[part(1), reply]]
        async with grpc_client(gate) as client:
            parts = client.converse("acme", "m", speak()) if talking else client.stream("acme", "m", 1)
            assert await anext(parts) == 1
            with pytest.raises(mlplace.MlpError) as raised:
                await anext(parts)
        assert (raised.value.code, raised.value.args, raised.value.retry_after) == ("own.busy", {"a": "b"}, 17)

    async def test_a_refusal_is_raised_though_later_parts_could_not_be_sent(self, gate):
        async def speak() -> AsyncIterator[int]:
            for number in range(20):
                yield number
                await asyncio.sleep(0.02)

        gate.replies = [[part(1), refused("own.busy")]]
        async with grpc_client(gate) as client:
            parts = client.converse("acme", "m", speak())
            assert await anext(parts) == 1
            await asyncio.sleep(0.3)  # the gate has ended the call, and parts are still sent
            with pytest.raises(mlplace.MlpError, match=r"own\.busy"):
                await anext(parts)

    async def test_a_conversation_sends_and_receives_in_turns(self, gate):
        heard: list[int] = []

        async def speak() -> AsyncIterator[int]:
            yield 1
            while not heard:
                await take_a_breath()
            yield heard[-1] + 1

        async with grpc_client(gate) as client:
            async for value in client.converse("acme", "m", speak()):
                heard.append(value)  # noqa: PERF401 - the speaker reads it meanwhile
        assert heard == [1, 2]
        sent = [call.partialPredict for call in gate.calls]
        assert [(p.start, p.finish) for p in sent] == [(True, False), (False, False), (False, True)]
        assert [call.account for call in gate.calls] == ["acme", "", ""]

    async def test_an_empty_text_is_the_end_of_the_answer_and_no_part(self, gate):
        gate.replies = [[part(1), ended()]]
        async with grpc_client(gate) as client:
            assert [value async for value in client.stream("acme", "m", "q")] == [1]

    async def test_an_exception_of_the_callers_parts_reaches_the_caller(self, gate):
        cause = ValueError("why")

        async def speak() -> AsyncIterator[int]:
            yield 1
            raise KeyError("mine") from cause

        async with grpc_client(gate) as client:
            with pytest.raises(KeyError, match="mine") as raised:
                _ = [value async for value in client.converse("acme", "m", speak())]
        assert (raised.value.__cause__, raised.value.__context__) == (cause, None)

    async def test_a_part_that_is_no_json_is_the_callers_error(self, gate):
        async def speak() -> AsyncIterator[object]:
            yield 1
            yield object()

        async with grpc_client(gate) as client:
            with pytest.raises(PydanticSerializationError):
                _ = [value async for value in client.converse("acme", "m", speak())]

    async def test_a_cancelled_caller_stays_cancelled_when_its_parts_fail(self, gate):
        async def speak() -> AsyncIterator[int]:
            conversing.cancel()
            raise KeyError("mine")
            yield 1

        async def converse() -> None:
            async for _ in client.converse("acme", "m", speak()):
                pass

        async with grpc_client(gate) as client:
            conversing = asyncio.create_task(converse())
            with pytest.raises(asyncio.CancelledError):
                await conversing


async def take_a_breath() -> None:
    await asyncio.sleep(0.01)


class TestNestedCalls:
    async def test_a_nested_call_carries_trace_payer_and_chain_of_the_answered_call(self, gate, settings_for, host):
        gateway = TwinGateway(httpx.Response(200, json="plain"))
        gate.replies = [[answered("async")]]
        settings = settings_for(gate, MLP_CLIENT_TOKEN="1.2.client", MLP_BILLING_TOKEN="")
        blocking = client_of(gateway)
        nested = mlplace.GrpcClient.from_environment(settings)

        def ask_http() -> str:
            return blocking.predict("acme", "m", 1)

        async def predict(data: str) -> list[str]:
            return [await asyncio.to_thread(ask_http), await nested.predict("acme", "m", 1)]

        host(predict, settings)
        stream = await gate.stream()
        passed = {"Z-requestId": "trace", "MLP-BILLING-KEY": "payer", "MLP-CALL-CHAIN": "7,8"}
        expected = {**passed, "traceparent": f"00-{'a' * 32}-{'b' * 16}-01"}
        answer = await stream.predict('""', headers=expected)
        assert json.loads(answer.predict.data.json) == ["plain", "async"]
        for sent in (gateway.requests[0].headers, dict(gate.calls[0].headers)):
            told = {name: sent[name] for name in expected}
            # If spans are recorded, the call is made within a span of this trace.
            assert told.pop("traceparent")[:36] == f"00-{'a' * 32}-"
            assert told == passed
        assert gate.calls[0].authToken == "1.2.client"
        await nested.close()

    def test_a_plain_function_passes_the_headers_on_from_its_thread(self):
        gateway = TwinGateway(httpx.Response(200, json=1))

        def answering() -> None:
            enter_context(Context("trace", {"MLP-BILLING-KEY": "payer"}))
            client_of(gateway, billing_key="own").predict("acme", "m", 1)

        contextvars.copy_context().run(answering)  # otherwise the following tests would run within that call
        assert gateway.requests[0].headers["Z-requestId"] == "trace"
        assert gateway.requests[0].headers["MLP-BILLING-KEY"] == "own"

    def test_from_environment_requires_platform_and_token(self):
        with pytest.raises(mlplace.SettingsError, match="MLP_CLIENT_TOKEN"):
            mlplace.Client.from_environment(mlplace.Settings(rest_url="http://here"))
