"""Bodies of calls on every route of the predict family."""

import gzip
import json

import pytest

from mlplace_kit.json_text import HALF_A_PAIR

HOSTILE = [
    b"",
    b"{",
    b"nan",
    b"[1,]",
    b"\xff\xfe",
    b'{"a":"\xff"}',
    b"[" * 100_000,
    b'{"a":1} x',
    b"\x00",
    b'{"a":"\\ud800"}',
    b'"\\udc00\\ud800"',
    b"\xef\xbb\xbf",
    b"\xef\xbb\xbf\xef\xbb\xbf1",
    '{"a":1}'.encode("utf-16"),
]
MARK = b"\xef\xbb\xbf"
PAIR = b'{"a":"\\ud83d\\ude00"}'


class TestPredict:
    @pytest.mark.parametrize(
        "body", [b"1", b'"text"', b'{"a": [1.50, null]}', '{"я":"ю"}'.encode(), b'{"d":1e999,"d":2}']
    )
    async def test_body_is_passed_on_unchanged(self, world, body: bytes) -> None:
        world.instance()
        assert (await world.predict(world.key(), body)).content == body

    @pytest.mark.parametrize("body", HOSTILE)
    async def test_invalid_json_or_utf8_is_refused(self, world, body: bytes) -> None:
        twin = world.instance()
        answer = await world.predict(world.key(), body)
        assert (answer.status_code, answer.json()["code"], twin.requests) == (400, "mlp.core.malformed_request", [])

    @pytest.mark.parametrize("body", [b"{}", PAIR, b'"' + b"x" * 1024 * 1024 + b'"'], ids=["small", "pair", "large"])
    async def test_byte_order_mark_is_left_out(self, world, body: bytes) -> None:
        world.instance()
        assert (await world.predict(world.key(), MARK + body)).content == body

    @pytest.mark.parametrize("call", ["predict", "predict-with-config", "predict-with-config-v2", "ext"])
    async def test_half_a_surrogate_pair_is_called_so(self, world, call: str) -> None:
        body = b'{"data":"\\ud800","methodName":"m"}'
        answer = await world.predict(world.key(), body, call)
        assert (answer.status_code, answer.json()["code"]) == (400, "mlp.core.malformed_request")
        assert answer.json()["args"] == {"reason": HALF_A_PAIR}

    @pytest.mark.parametrize(
        ("call", "body", "said"),
        [
            ("predict", "%s", "nested more than 900 deep"),
            ("predict-with-config", '{"data": %s}', "nested more than 900 deep"),
            ("predict-with-config-v2", '{"data": "%s"}', "data: must be nested at most 900 deep"),
            ("predict-with-config-v2", '{"data": "1", "config": "%s"}', "config: must be nested at most 900 deep"),
        ],
    )
    async def test_too_deep_a_body_is_called_so(self, world, call: str, body: str, said: str) -> None:
        answer = await world.predict(world.key(), body % ("[" * 2000 + "]" * 2000), call)
        assert answer.status_code == 400
        assert said in answer.json()["message"]

    async def test_data_type_is_passed_on_and_unknown_stored_config_is_refused(self, world) -> None:
        twin = world.instance()
        path = "/api/mlpgateway/account/acme/model/ner/predict"
        key = world.key()
        assert (await world.client.post(f"{path}?dataType=t", content="{}", headers=key)).status_code == 200
        assert (twin.requests[0].data.data_type, twin.requests[0].config.json) == ("t", "{}")
        missing = await world.client.post(f"{path}?configId=5", content="{}", headers=key)
        assert (missing.status_code, missing.json()["code"]) == (404, "mlp.gate.config_not_found")
        for wrong in ("x", "-1", "9" * 30, ""):
            answer = await world.client.post(f"{path}?configId={wrong}", content="{}", headers=key)
            assert answer.json()["args"] == {"configId": "must be an id"}
        for query, said in (
            ("configId=5&configId=6", {"configId": "was sent with two different values; send one"}),
            ("dataType=%ff", {"dataType": "must be UTF-8"}),
        ):
            answer = await world.client.post(f"{path}?{query}", content="{}", headers=key)
            assert (answer.status_code, answer.json()["args"]) == (400, said)

    async def test_missing_config_costs_nothing(self, world, kit) -> None:
        world.know(kit.model_changed(billing=kit.CALLS))
        await world.client.post("/p/acme/ner?configId=5", content="{}", headers=world.key())
        assert world.billing.asked == 0

    async def test_answer_without_json_is_an_empty_body(self, world, kit) -> None:
        async def empty(_request):
            yield kit.Answer(kit.Payload(), {})

        world.instance(empty)
        answer = await world.predict(world.key())
        assert (answer.status_code, answer.content) == (200, b"")

    async def test_answer_in_bytes_stays_bytes(self, world, kit) -> None:
        async def binary(_request):
            yield kit.Answer(kit.Payload(protobuf=b"\x00\xff"), {})

        world.instance(binary)
        answer = await world.predict(world.key())
        assert (answer.content, answer.headers["content-type"]) == (b"\x00\xff", "application/octet-stream")


class TestPredictWithConfig:
    async def test_data_and_config_keep_their_text(self, world) -> None:
        twin = world.instance()
        body = b'{"config": {"b": 1.00}, "data": {"x": 18446744073709551617}, "dataType": "t"}'
        answer = await world.predict(world.key(), body, "predict-with-config")
        assert answer.content == b'{"x": 18446744073709551617}'
        assert twin.requests[0].config.json == '{"b": 1.00}'
        assert twin.requests[0].data.data_type == "t"

    @pytest.mark.parametrize("body", [b'{"data": 1}', b'{"data": 1, "config": null}'])
    async def test_missing_config_becomes_an_empty_object(self, world, body: bytes) -> None:
        twin = world.instance()
        await world.predict(world.key(), body, "predict-with-config")
        assert twin.requests[0].config.json == "{}"

    @pytest.mark.parametrize(
        ("body", "path"),
        [
            (b"{}", "data"),
            (b'{"data": 1, "extra": 2}', "extra"),
            (b'{"data": 1, "dataType": 5}', "dataType"),
            (b"[]", "body"),
            (b'{"data": 1, "dataType": "' + b"x" * 300 + b'"}', "dataType"),
        ],
    )
    async def test_error_names_the_invalid_field(self, world, body: bytes, path: str) -> None:
        answer = await world.predict(world.key(), body, "predict-with-config")
        assert (answer.status_code, answer.json()["code"]) == (400, "mlp.core.validation_error")
        assert list(answer.json()["args"]) == [path]

    @pytest.mark.parametrize("body", HOSTILE)
    async def test_invalid_json_or_utf8_is_refused(self, world, body: bytes) -> None:
        answer = await world.predict(world.key(), body, "predict-with-config")
        assert answer.json()["code"] == "mlp.core.malformed_request"

    async def test_byte_order_mark_is_left_out(self, world) -> None:
        world.instance()
        assert (await world.predict(world.key(), MARK + b'{"data":1}', "predict-with-config")).content == b"1"


class TestCompressed:
    @pytest.mark.parametrize(
        "path",
        [
            "/api/mlpgateway/account/acme/model/ner/predict",
            "/api/mlpgateway/account/acme/model/ner/predict-with-config-v2-stream",
            "/api/adapters/openai/chat/completions",
            "/api/mlpgateway/account/acme/model/ner/try",
        ],
    )
    async def test_compressed_body_is_refused(self, world, kit, path: str) -> None:
        twin = world.instance()
        shown = kit.PUBLIC.model_copy(update={"public_testing_allowed": True})
        world.know(kit.model_changed(publicity=shown, visitor_calls_per_day=100))
        headers = {**world.key(), "Content-Encoding": "gzip"}
        answer = await world.client.post(path, content=gzip.compress(b"{}"), headers=headers)
        assert (answer.status_code, twin.requests) == (415, [])
        assert "Content-Encoding" in answer.text
        assert answer.headers["accept-encoding"] == "identity"


class TestPredictWithConfigV2:
    @pytest.mark.parametrize("mark", ["", r"\ufeff"])
    async def test_strings_contain_the_json(self, world, mark) -> None:
        twin = world.instance()
        body = r'{"data": "MARK{\"x\": 1.0}", "config": "MARK[]"}'.replace("MARK", mark)
        assert (await world.predict(world.key(), body, "predict-with-config-v2")).text == '{"x": 1.0}'
        assert twin.requests[0].config.json == "[]"

    @pytest.mark.parametrize(
        ("body", "path"),
        [
            (b'{"data": {}}', "data"),
            (b'{"data": "{"}', "data"),
            (b'{"data": "1", "config": "nope"}', "config"),
            (b'{"data": "' + b"[" * 5000 + b'"}', "data"),
        ],
    )
    async def test_error_names_the_string_without_json(self, world, body: bytes, path: str) -> None:
        answer = await world.predict(world.key(), body, "predict-with-config-v2")
        assert (answer.status_code, list(answer.json()["args"])) == (400, [path])


class TestExt:
    async def test_method_and_params_are_sent(self, world, kit) -> None:
        twin = world.instance(kit.says('"done"'))
        body = b'{"methodName": "train", "params": {"a": "1", "b": "not json"}}'
        assert (await world.predict(world.key(), body, "ext")).text == '"done"'
        request = twin.requests[0]
        assert (request.operation, request.method_name, request.config) == ("ext", "train", None)
        assert {name: value.json for name, value in request.params.items()} == {"a": "1", "b": "not json"}
        (usage,) = await world.usage()
        assert usage.operation == "ext"

    @pytest.mark.parametrize(
        ("params", "named"),
        [
            ('{"a": 5}', "a"),
            ('{"a": "1", "b c": {"d": []}}', "b c"),
            ('{"a": null}', "a"),
            ('{"a": "1", "b": 1e999}', "b"),
        ],
    )
    async def test_param_that_is_no_text_is_refused_with_its_name(self, world, params: str, named: str) -> None:
        body = f'{{"methodName": "m", "params": {params}}}'
        answer = await world.predict(world.key(), body, "ext")
        assert (answer.status_code, answer.json()["args"]) == (
            400, {f"params.{named}": "must be text that holds JSON"},
        )  # fmt: skip

    @pytest.mark.parametrize("number", [1001, 300_000])
    async def test_too_many_params_are_refused(self, world, number: int) -> None:
        body = json.dumps({"methodName": "m", "params": {str(place): "" for place in range(number)}}).encode()
        answer = await world.predict(world.key(), body, "ext")
        assert (answer.status_code, list(answer.json()["args"])) == (400, ["params"])

    async def test_maximum_of_params_with_many_quotes_is_accepted(self, world, kit) -> None:
        twin = world.instance(kit.says("1"))
        params = {str(place): '{"a":"' + "\\" * place + '"}' for place in range(1000)}
        assert (await world.predict(world.key(), json.dumps({"methodName": "m", "params": params}), "ext")).text == "1"
        assert {name: value.json for name, value in twin.requests[0].params.items()} == params

    @pytest.mark.parametrize("body", [b"{}", b'{"methodName": ""}', b'{"methodName": "m", "params": {"a": 1}}'])
    async def test_invalid_method_is_refused(self, world, body: bytes) -> None:
        assert (await world.predict(world.key(), body, "ext")).status_code == 400


class TestLarge:
    """Texts that are passed on without being decoded."""

    TEXT = '["' + "я" * 700_000 + '"]'

    @pytest.mark.parametrize(
        ("call", "body"),
        [
            ("predict", TEXT),
            ("predict-with-config", f'{{"data": {TEXT}, "config": {{"b": 1.00}}, "dataType": "t"}}'),
            ("predict-with-config-v2", json.dumps({"data": TEXT, "config": '{"b": 1.00}', "dataType": "t"})),
        ],
    )
    async def test_text_stays_unchanged(self, world, call: str, body: str) -> None:
        twin = world.instance()
        assert (await world.predict(world.key(), body, call)).content == self.TEXT.encode()
        (request,) = twin.requests
        assert request.data.json == self.TEXT
        if call != "predict":
            assert (request.config.json, request.data.data_type) == ('{"b": 1.00}', "t")

    async def test_call_can_be_repeated_with_its_key(self, world) -> None:
        twin = world.instance()
        key = world.key() | {"Idempotency-Key": "large"}
        for _ in range(2):
            assert (await world.predict(key, self.TEXT)).content == self.TEXT.encode()
        assert len(twin.requests) == 1
        assert (await world.predict(key, self.TEXT + " ")).status_code == 422

    async def test_text_keeps_its_data_type(self, world) -> None:
        twin = world.instance()
        path = "/api/mlpgateway/account/acme/model/ner/predict?dataType=t"
        assert (await world.client.post(path, content=self.TEXT, headers=world.key())).content == self.TEXT.encode()
        assert (twin.requests[0].data.json, twin.requests[0].data.data_type) == (self.TEXT, "t")

    @pytest.mark.parametrize("end", [b"", b'"', b'"] x', b'\xff"]', b'\xd1"]'])
    @pytest.mark.parametrize("call", ["predict", "predict-with-config", "ext"])
    async def test_invalid_json_or_utf8_is_refused(self, world, call: str, end: bytes) -> None:
        twin = world.instance()
        answer = await world.predict(world.key(), self.TEXT.encode()[:-2] + end, call)
        assert (answer.status_code, answer.json()["code"], twin.requests) == (400, "mlp.core.malformed_request", [])


class TestLimits:
    async def test_long_body_without_a_length_is_told_to_have_one(self, world, kit) -> None:
        async def chunks():
            for _ in range(5):
                yield b" " * 1024 * 1024

        path = "/api/mlpgateway/account/acme/model/ner/predict"
        answer = await world.client.post(path, content=chunks(), headers=world.key())
        assert (answer.status_code, answer.json()["code"]) == (413, "mlp.gate.request_too_large")
        assert answer.json()["message"] == "a body of more than 4194304 bytes needs a Content-Length"

    async def test_body_above_the_limit_is_refused_before_it_is_read(self, open_world) -> None:
        async with open_world(max_body_bytes=100) as world:
            twin = world.instance()
            answer = await world.predict(world.key(), b'"' + b"x" * 99 + b'"')
            assert (answer.status_code, answer.json()["code"]) == (413, "mlp.gate.request_too_large")
            assert twin.requests == []

            async def chunks():
                for _ in range(20):
                    yield b"[1,2,3],  "

            undeclared = await world.client.post("/p/acme/ner", content=chunks(), headers=world.key())
            assert undeclared.status_code == 413

    async def test_other_methods_and_paths_are_answered(self, world) -> None:
        for path, allowed in (
            ("/api/mlpgateway/account/acme/model/ner/predict", "POST"),
            ("/p/acme/ner", "GET, HEAD, POST"),  # mlpcore answers GET and HEAD there
        ):
            refused = await world.client.put(path)
            assert (refused.status_code, refused.headers["allow"]) == (405, allowed)
        for path in ("/api/mlpgateway/account/acme/model/a/b/predict", "/api/mlpgateway/account//model/x/predict",
                     "/api/mlpgateway/account/acme/model/ner/nothing", "/p/acme"):  # fmt: skip
            answer = await world.client.post(path, content="{}", headers=world.key())
            assert (answer.status_code, answer.json()["code"]) == (404, "mlp.core.route_not_found")
