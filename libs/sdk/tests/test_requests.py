"""Tests the answers of a served function to each type of request."""

import asyncio
import functools
import json
import math
import threading
from typing import Any

import pytest
from pydantic import BaseModel, ConfigDict, Field

import mlplace
from mlplace.errors import from_proto, method_unknown
from mlplace_gateproto import gate_pb2


class Name(BaseModel):
    name: str = Field(min_length=1)


class Style(BaseModel):
    greeting: str = "Hello"


class Scored(BaseModel):
    score: float


class Words(BaseModel):
    model_config = ConfigDict(ser_json_inf_nan="strings")
    score: float


class Greeting(BaseModel):
    text: str


def greet(data: Name, config: Style | None = None) -> Greeting:
    return Greeting(text=f"{(config or Style()).greeting}, {data.name}")


def payload(value) -> gate_pb2.PayloadProto:
    return gate_pb2.PayloadProto(json=json.dumps(value))


def batch(*values, config="{}") -> gate_pb2.BatchRequestProto:
    items = [gate_pb2.BatchPayloadProto(requestId=10 + i, data=payload(v)) for i, v in enumerate(values)]
    return gate_pb2.BatchRequestProto(data=items, config=gate_pb2.PayloadProto(json=config))


class TestPredict:
    async def test_answers_with_the_json_and_type_name_of_the_result(self, gate, settings_for, host):
        host(greet, settings_for(gate))
        answer = await (await gate.stream()).predict('{"name": "Ann"}')
        assert json.loads(answer.predict.data.json) == {"text": "Hello, Ann"}
        assert answer.predict.data.dataType == "Greeting"

    async def test_config_reaches_the_function(self, gate, settings_for, host):
        host(greet, settings_for(gate))
        answer = await (await gate.stream()).predict('{"name": "Ann"}', '{"greeting": "Hi"}')
        assert json.loads(answer.predict.data.json) == {"text": "Hi, Ann"}

    async def test_a_request_without_any_config_is_served(self, gate, settings_for, host):
        host(greet, settings_for(gate))
        request = gate_pb2.PredictRequestProto(data=payload({"name": "Ann"}))
        answer = await (await gate.stream()).call(predict=request)
        assert answer.WhichOneof("body") == "predict"

    async def test_an_empty_config_is_validated_when_the_function_requires_one(self, gate, settings_for, host):
        def strict(data: Name, config: Name) -> str:
            return config.name + data.name

        host(strict, settings_for(gate))
        answer = await (await gate.stream()).predict('{"name": "Ann"}')
        assert answer.error.code == "mlp-action.common.bad-request"
        assert answer.error.message == "config.name: Field required"

    async def test_headers_are_echoed_and_the_server_time_is_sent(self, gate, settings_for, host):
        host(greet, settings_for(gate))
        sent = {"Z-requestId": "trace", "MLP-BILLING-KEY": "payer", "Z-other": "x"}
        answer = await (await gate.stream()).predict('{"name": "Ann"}', headers=sent)
        assert int(answer.headers.pop("Z-Server-Time")) >= 0
        assert dict(answer.headers) == {"Z-requestId": "trace", "MLP-BILLING-KEY": "payer"}

    async def test_without_a_trace_id_the_streams_request_id_is_used(self, gate, settings_for, host):
        host(greet, settings_for(gate))
        answer = await (await gate.stream()).predict('{"name": "Ann"}')
        assert answer.headers["Z-requestId"] == str(answer.requestId)

    async def test_an_author_bills_the_answer_through_the_context(self, gate, settings_for, host):
        async def predict(data: str, context: mlplace.Context) -> str:
            context.bill(len(data), {"letters": len(data)})
            return data

        host(predict, settings_for(gate))
        answer = await (await gate.stream()).predict('"abc"')
        assert answer.headers["Z-custom-billing"] == "3"
        assert json.loads(answer.headers["Z-custom-billing-details"]) == {"letters": 3}

    async def test_bytes_are_sent_as_a_binary_payload(self, gate, settings_for, host):
        def reverse(data: bytes) -> bytes:
            return data[::-1]

        host(reverse, settings_for(gate))
        request = gate_pb2.PredictRequestProto(data=gate_pb2.PayloadProto(protobuf=b"\x00\x01"))
        answer = await (await gate.stream()).call(predict=request)
        assert answer.predict.data.protobuf == b"\x01\x00"

    async def test_plain_functions_run_concurrently_up_to_the_pool_size(self, gate, settings_for, host):
        together = threading.Barrier(3)

        def meet(data: int) -> int:
            together.wait(timeout=60)
            return data

        host(meet, settings_for(gate, MLP_THREAD_POOL_SIZE="3"))
        stream = await gate.stream()
        answers = await asyncio.gather(*(stream.predict(str(n)) for n in range(3)))
        assert sorted(answer.predict.data.json for answer in answers) == ["0", "1", "2"]

    async def test_calls_beyond_the_pool_size_wait(self, gate, settings_for, host):
        running, most = 0, 0

        async def predict(data: int) -> int:
            nonlocal running, most
            running += 1
            most = max(most, running)
            await asyncio.sleep(0.02)
            running -= 1
            return data

        host(predict, settings_for(gate, MLP_THREAD_POOL_SIZE="2"))
        stream = await gate.stream()
        await asyncio.gather(*(stream.predict(str(n)) for n in range(6)))
        assert most == 2

    async def test_wrapped_and_partial_functions_are_served(self, gate, settings_for, host):
        async def add(data: int, config: int) -> int:
            return data + config

        @functools.wraps(add)
        def wrapped(*args, **kwargs):
            return add(*args, **kwargs)

        host(functools.partial(wrapped, config=40), settings_for(gate))
        assert (await (await gate.stream()).predict("2", "")).predict.data.json == "42"


class TestFailures:
    @pytest.mark.parametrize(
        ("json_text", "message"),
        [
            ('{"name": ""}', "data.name: String should have at least 1 character"),
            ("{}", "data.name: Field required"),
            ("[]", "data: Input should be an object"),
            ("{", "data: Invalid JSON: EOF while parsing an object at line 1 column 1"),
        ],
    )
    async def test_invalid_input_is_a_bad_request(self, gate, settings_for, host, json_text, message):
        host(greet, settings_for(gate))
        answer = await (await gate.stream()).predict(json_text)
        assert answer.error.code == "mlp-action.common.bad-request"
        assert answer.error.status == 400
        assert answer.error.message == message
        path, _, text = message.partition(": ")
        assert dict(answer.error.args) == {path: text}

    async def test_errors_have_no_header_but_the_server_time(self, gate, settings_for, host):
        host(greet, settings_for(gate))
        answer = await (await gate.stream()).predict("{}", headers={"Z-requestId": "trace"})
        assert set(answer.headers) == {"Z-Server-Time"}

    async def test_a_binary_payload_where_json_is_declared_is_a_bad_request(self, gate, settings_for, host):
        host(greet, settings_for(gate))
        request = gate_pb2.PredictRequestProto(data=gate_pb2.PayloadProto(protobuf=b"{}"))
        answer = await (await gate.stream()).call(predict=request)
        assert answer.error.message == "data: a JSON payload is expected"

    async def test_an_exception_of_the_author_is_a_processing_exception(self, gate, settings_for, host):
        def predict(data: int) -> float:
            return 1 / data

        host(predict, settings_for(gate))
        answer = await (await gate.stream()).predict("0")
        assert answer.error.code == "mlp-action.common.processing-exception"
        assert answer.error.status == 500
        assert answer.error.message == "division by zero"
        assert answer.error.args["class"] == "ZeroDivisionError"

    async def test_an_error_of_the_author_keeps_its_code_and_any_http_status(self, gate, settings_for, host):
        def predict(data: int) -> int:
            raise mlplace.MlpError("shop.sold_out", "No ${what} left", status=429, args={"what": "tea"})

        host(predict, settings_for(gate))
        answer = await (await gate.stream()).predict("0")
        assert (answer.error.code, answer.error.status, dict(answer.error.args)) == (
            "shop.sold_out",
            429,
            {"what": "tea"},
        )

    async def test_an_answer_of_another_type_than_declared_is_a_processing_exception(self, gate, settings_for, host):
        def predict(data: int) -> int:
            return "many"  # pyright: ignore[reportReturnType] - the mistake under test

        host(predict, settings_for(gate))
        answer = await (await gate.stream()).predict("0")
        assert answer.error.code == "mlp-action.common.processing-exception"
        assert answer.error.message.startswith("the answer is not of type integer: answer: Input should be a valid")
        assert "many" not in answer.error.message

    @pytest.mark.parametrize(
        ("value", "said"),
        [
            (math.nan, "answer is nan"),
            ({"a": None, "scores": [1, 0.5, -math.inf]}, "answer.scores.2 is -inf"),
            ([None, {1.5, math.inf}], "answer.1.0 is inf"),
            (Scored(score=math.nan), "answer.score is nan"),
            ([{"x": Scored(score=math.inf)}], "answer.0.x.score is inf"),
        ],
    )
    async def test_a_number_that_json_does_not_have_is_a_processing_exception(
        self, gate, settings_for, host, value, said
    ):
        def predict(data: Any) -> Any:
            return value

        host(predict, settings_for(gate))
        answer = await (await gate.stream()).predict("0")
        assert (answer.error.code, answer.error.status) == ("mlp-action.common.processing-exception", 500)
        assert answer.error.message == f"{said}, which JSON does not have"

    async def test_such_a_number_is_sent_as_the_author_writes_it(self, gate, settings_for, host):
        def predict(data: Any) -> dict[str, Words | None]:
            return {"none": None, "words": Words(score=math.nan)}

        host(predict, settings_for(gate))
        answer = await (await gate.stream()).predict("0")
        assert json.loads(answer.predict.data.json) == {"none": None, "words": {"score": "NaN"}}

    async def test_a_long_integer_beside_nothing_is_sent(self, gate, settings_for, host):
        def predict(data: Any) -> Any:
            return [None, 1 << 20_000]

        host(predict, settings_for(gate))
        answer = await (await gate.stream()).predict("0")
        assert (answer.WhichOneof("body"), len(answer.predict.data.json)) == ("predict", 6028)

    async def test_values_may_be_nested_200_deep_and_answers_254(self, gate, settings_for, host):
        """Says how deep in docs/calls.md, too."""

        def predict(data: Any) -> Any:
            for _ in range(255 if data == 1 else 54):
                data = [data]
            return data

        host(predict, settings_for(gate))
        stream = await gate.stream()
        for inner in ("1", "null"):
            deepest = await stream.predict("[" * 200 + inner + "]" * 200)
            assert deepest.predict.data.json == "[" * 254 + inner + "]" * 254
        deepest = await stream.predict("[" * 200 + "1" + "]" * 200)
        assert deepest.predict.data.json == "[" * 254 + "1" + "]" * 254
        asked = await stream.predict("[" * 201 + "1" + "]" * 201)
        assert (asked.error.code, asked.error.status) == ("mlp-action.common.bad-request", 400)
        assert "recursion limit exceeded" in asked.error.message
        answered = await stream.predict("1")
        assert (answered.error.code, answered.error.status) == ("mlp-action.common.processing-exception", 500)
        assert "Maximum serialization depth exceeded" in answered.error.message

    async def test_an_unknown_body_is_an_internal_error(self, gate, settings_for, host):
        host(greet, settings_for(gate))
        answer = await (await gate.stream()).call()
        assert answer.error.code == "mlp-action.common.internal-error"
        assert answer.error.message == "Unknown request type: None"

    async def test_unsupported_request_types_are_named_in_the_error(self, gate, settings_for, host):
        host(greet, settings_for(gate))
        stream = await gate.stream()
        asked = {
            "batch": {"batch": batch({"name": "Ann"})},
            "ext": {"ext": gate_pb2.ExtendedRequestProto(methodName="x")},
            "fit": {"fit": gate_pb2.FitRequestProto()},
        }
        for kind, body in asked.items():
            answer = await stream.call(**body)
            assert answer.error.code == "mlp-action.common.method-not-supported"
            assert answer.error.args["type"] == kind
            assert answer.error.status == 400

    async def test_an_answer_over_the_message_limit_fails_without_breaking_the_stream(self, gate, settings_for, host):
        gate.interval_ms = 5_000  # a busy machine needs long for so many bytes, which is not silence

        def predict(data: int) -> bytes:
            return bytes(data)

        host(predict, settings_for(gate))
        stream = await gate.stream()
        answer = await stream.predict(str(101 * 1024 * 1024))
        assert answer.error.code == "mlp-action.common.processing-exception"
        assert len((await stream.predict("10")).predict.data.protobuf) == 10


class TestBatch:
    async def test_items_are_answered_one_by_one_and_a_bad_item_fails_alone(self, gate, settings_for, host):
        class Doubler:
            def predict(self, data: int) -> int:
                return data * 2

            async def predict_batch(self, data: list[int], context: mlplace.Context) -> list[int]:
                context.bill_item(1, 7)
                return [item * 2 for item in data]

        host(Doubler, settings_for(gate))
        answer = await (await gate.stream()).call(batch=batch(1, "two", 3))
        items = list(answer.batch.data)
        assert [item.requestId for item in items] == [10, 11, 12]
        assert [item.predict.data.json for item in items] == ["2", "", "6"]
        assert items[1].error.code == "mlp-action.common.bad-request"
        assert items[2].headers["Z-custom-billing"] == "7"

    async def test_a_wrong_number_of_answers_is_a_processing_exception(self, gate, settings_for, host):
        def predict(data: int) -> int:
            return data

        def predict_batch(data: list[int]) -> list[int]:
            return data[1:]

        host(mlplace.Service(predict, predict_batch=predict_batch), settings_for(gate))
        answer = await (await gate.stream()).call(batch=batch(1, 2))
        assert answer.error.message == "predict_batch must return a list of 2 answers"

    async def test_an_error_returned_for_an_item_becomes_its_answer(self, gate, settings_for, host):
        def predict(data: int) -> int:
            return data

        def predict_batch(data: list[int]) -> list[int | mlplace.MlpError]:
            return [mlplace.MlpError("no.luck", "No", status=400) if item == 13 else item for item in data]

        host(mlplace.Service(predict, predict_batch=predict_batch), settings_for(gate))
        answer = await (await gate.stream()).call(batch=batch(13, 14))
        assert [item.error.code for item in answer.batch.data] == ["no.luck", ""]
        assert [item.headers.get("Retry-After") for item in answer.batch.data] == [None, None]

    async def test_an_error_of_an_item_says_when_to_come_again(self, gate, settings_for, host):
        def predict(data: int) -> int:
            return data

        def predict_batch(data: list[int]) -> list[int | mlplace.MlpError]:
            return [mlplace.MlpError("own.busy", "No room", status=429, retry_after=item / 2) for item in data]

        host(mlplace.Service(predict, predict_batch=predict_batch), settings_for(gate))
        answer = await (await gate.stream()).call(batch=batch(33, 0))
        assert [item.headers["Retry-After"] for item in answer.batch.data] == ["17", "1"]


class TestCancelledParts:
    """What a function waits for may be cancelled without its call, for example by the author's own code."""

    async def test_its_caller_gets_an_error(self, gate, settings_for, host):
        async def predict(data: int) -> int:
            waiting = asyncio.create_task(asyncio.sleep(60))
            asyncio.get_running_loop().call_soon(waiting.cancel)
            await waiting
            return data

        host(predict, settings_for(gate))
        stream = await gate.stream()
        answer = await stream.call(predict=gate_pb2.PredictRequestProto(data=payload(1)))
        assert (answer.error.status, answer.error.message) == (
            500,
            "the function waited for something that was cancelled",
        )
        answer = await stream.call(predict=gate_pb2.PredictRequestProto(data=payload(1)))
        assert answer.WhichOneof("body") == "error"


class Counter:
    def predict(self, data: int) -> int:
        return data

    @mlplace.ext
    def repeat(self, word: str, times: int = 1) -> list[str]:
        return [word] * times

    def fit(
        self,
        train_data: str,
        targets: dict[str, str] | None,
        config: Style,
        model_dir: str,
        previous_model_dir: str | None,
        context: mlplace.Context,
    ) -> None:
        context.progress(50)
        self.fitted = (train_data, targets, config, model_dir, previous_model_dir)


class TestExt:
    async def test_a_marked_method_is_called_by_name(self, gate, settings_for, host):
        host(Counter, settings_for(gate))
        request = gate_pb2.ExtendedRequestProto(methodName="repeat")
        request.params["word"].json = "ah"
        request.params["times"].json = "2"
        answer = await (await gate.stream()).call(ext=request)
        assert json.loads(answer.ext.data.json) == ["ah", "ah"]
        assert set(answer.headers) == {"Z-Server-Time"}

    async def test_an_unknown_method_is_refused_with_those_that_there_are(self, gate, settings_for, host):
        host(Counter, settings_for(gate))
        answer = await (await gate.stream()).call(ext=gate_pb2.ExtendedRequestProto(methodName="nope"))
        assert (answer.error.code, answer.error.status) == ("mlp-action.common.method-not-supported", 400)
        error = from_proto(answer.error, {})
        assert str(error).endswith(": the model has no method nope; it has repeat")

    def test_only_some_of_many_methods_are_listed(self):
        error = method_unknown("x" * 1000, [f"m{number}" for number in range(1000)])
        assert error.args["methods"].startswith("m0, m1, ")
        assert error.args["methods"].endswith("m19, …")
        assert len(error.args["method"]) == 100

    @pytest.mark.parametrize(
        ("params", "message"),
        [
            ({}, "params.word: is required"),
            ({"word": "a", "tone": "b"}, "params.tone: repeat has no such parameter"),
            ({"word": "a", "times": '"x"'}, "params.times: Input should be a valid integer"),
        ],
    )
    async def test_wrong_parameters_are_a_bad_request(self, gate, settings_for, host, params, message):
        host(Counter, settings_for(gate))
        request = gate_pb2.ExtendedRequestProto(methodName="repeat")
        for name, value in params.items():
            request.params[name].json = value
        answer = await (await gate.stream()).call(ext=request)
        assert answer.error.code == "mlp-action.common.bad-request"
        assert answer.error.message.startswith(message)


class TestFit:
    async def test_fit_gets_the_data_set_as_text_and_reports_progress(self, gate, settings_for, host):
        counter = Counter()
        host(counter, settings_for(gate))
        request = gate_pb2.FitRequestProto(
            trainData=gate_pb2.PayloadProto(json="a,b\nc,d"),
            targetsData=gate_pb2.PayloadProto(json="{}"),
            config=gate_pb2.PayloadProto(json='{"greeting": "Hi"}'),
            modelDir="models/1",
            previousModelDir="",
        )
        stream = await gate.stream()
        request_id = await stream.ask(fit=request)
        assert (await stream.answer(request_id)).fitStatus.percentage == 50
        assert (await stream.answer(request_id)).WhichOneof("body") == "fit"
        assert counter.fitted == ("a,b\nc,d", {}, Style(greeting="Hi"), "models/1", None)

    async def test_the_answer_carries_the_price_and_the_headers_that_the_author_set(self, gate, settings_for, host):
        def fit(train_data: str, context: mlplace.Context) -> None:
            context.bill(len(train_data), {"characters": len(train_data)})
            context.set_header("X-Epochs", "3")

        host(mlplace.Service(lambda data: data, fit=fit), settings_for(gate))
        request = gate_pb2.FitRequestProto(trainData=gate_pb2.PayloadProto(json="abcd"))
        answer = await (await gate.stream()).call(fit=request)
        assert answer.WhichOneof("body") == "fit"
        assert answer.headers["Z-custom-billing"] == "4"
        assert json.loads(answer.headers["Z-custom-billing-details"]) == {"characters": 4}
        assert answer.headers["X-Epochs"] == "3"
        assert {"Z-requestId", "Z-Server-Time"} <= set(answer.headers)

    async def test_fit_gets_all_that_the_gate_says_of_the_target_and_the_data_set(self, gate, settings_for, host):
        given = []

        def fit(target_service: dict[str, object], dataset: dict[str, object]) -> None:
            given.append((target_service, dataset))

        host(mlplace.Service(lambda data: data, fit=fit), settings_for(gate))
        stream = await gate.stream()
        target = {"accountId": 1, "modelId": 2, "modelName": "m"}
        access = {"authToken": "t", "bucketName": "b"}
        dataset = {"accountId": 3, "datasetId": 4, "name": "d", "type": "json/texts"}
        for info in (
            gate_pb2.ServiceInfoProto(accountId=1, modelId=2, modelName="m", authToken="t", bucketName="b"),
            gate_pb2.ServiceInfoProto(accountId=1, modelId=2, modelName="m"),
        ):
            request = gate_pb2.FitRequestProto(
                targetServiceInfo=info,
                datasetInfo=gate_pb2.DatasetInfoProto(accountId=3, datasetId=4, name="d", type="json/texts"),
            )
            assert (await stream.call(fit=request)).WhichOneof("body") == "fit"
        absent = dict.fromkeys(access)
        assert given == [({**target, **access}, dataset), ({**target, **absent}, dataset)]
