"""Language models that keys allow: which ones a call names, and which calls pass."""

import tracemalloc
from collections.abc import AsyncGenerator
from contextlib import aclosing

import pytest

from mlpgateway.call.call import Call, Caller, InputPart, Operation, Payload
from mlpgateway.call.large_json import LargeText, TextBuffer
from mlpgateway.errors.limits import LlmNotAllowed
from mlpgateway.policy.limits import content
from mlpgateway.policy.limits.content import check_llms, check_llms_of_part
from mlplace_contracts.events import PredictConfigChanged
from mlplace_contracts.limits import KeyLimits
from mlplace_kit.errors import DomainError

UNREADABLE = {
    "a list": Payload(json='[{"model": "x"}]'),
    "null": Payload(json='{"model": null}'),
    "bytes": Payload(protobuf=b'{"model": "x"}'),
    "no number": Payload(json='{"model": "x", "a": NaN}'),
    "half a pair": Payload(json='{"model": "x", "a": "\\ud800"}'),
    "deep": Payload(json='{"model": "x", "a": ' + "[" * 5000 + "]" * 5000 + "}"),
    "a text": Payload(json='"{}"'),
    "a large list": LargeText(source=TextBuffer(b'[{"model": "x"}]')),
}


class TestManyNames:
    """Each name of a field is compared with each spelling, on the loop."""

    @pytest.mark.parametrize("large", [False, True])
    @pytest.mark.parametrize(("number", "named"), [(60_000, ["gpt"]), (130_000, [None])])
    def test_text_of_very_many_names_is_not_searched(self, large: bool, number: int, named: list[str | None]) -> None:
        text = '{"model":"gpt"' + ',"mode1":1' * (number - 2) + "}"
        payload = LargeText(source=TextBuffer(text.encode())) if large else Payload(json=text)
        assert content._named(payload) == named or list(content._named(payload)) == named


class TestLlms:
    @pytest.mark.parametrize(
        ("allowed", "body", "status"),
        [
            (("gpt",), '{"model": "gpt"}', 200),
            (("gpt",), '{"model": "other"}', 403),
            (("gpt",), "{}", 403),
            (("acme/llm",), '{"model": "other"}', 200),
            (("acme/llm",), "{}", 200),
            (("acme/llm/gpt",), '{"model": "gpt"}', 200),
            (("acme/llm/gpt",), '{"model": "other"}', 403),
            (("gpt",), '{"model": "other", "model": "gpt"}', 403),
            (("gpt",), '{"model": "gpt", "model": "other"}', 403),
            (("gpt",), '{"model": "other", "mod\\u0065l": "gpt"}', 403),
            (("gpt",), '{"model": "gpt", "model": null}', 403),
            (("gpt",), '{"model": null, "model": "gpt"}', 403),
            (("gpt",), '{"model": null}', 403),
            (("gpt",), '{"model": "gpt", "Model": "other"}', 403),
            (("gpt",), '{"MODEL": "other"}', 403),
            (("gpt",), '{"model": "gpt", "\\u004dodel": "other"}', 403),
            (("gpt",), '{"model": "gpt", "mODEL": ["other"]}', 403),
            (("gpt",), '{"model": "gpt", "Model": "gpt", "models": "other"}', 200),
            (("gpt",), '[{"model": "gpt"}]', 403),
            (("acme/llm",), "[]", 200),
            (("gpt",), '{"model": "gpt", "model": "gpt"}', 200),
            (("gpt",), '{"model": "gpt", "messages": [{"model": "other"}]}', 200),
            (("gpt",), '{"model": ["gpt"]}', 403),
            (("gpt",), '{"model": ["gpt"], "model": "gpt"}', 403),
            (("gpt",), "{" + '"model": "gpt", ' * 15 + '"model": "gpt"}', 200),
            (("gpt",), "{" + '"model": "gpt", ' * 16 + '"model": "gpt"}', 403),
            ((), '{"model": "gpt"}', 403),
            (None, '{"model": "gpt"}', 200),
        ],
    )
    async def test_only_allowed_language_models_are_called(
        self, world, kit, allowed: tuple[str, ...] | None, body: str, status: int
    ) -> None:
        world.know(kit.model_changed(501, "llm", task_type="chat-completion"))
        world.instance(model_id=501)
        key = world.key(limits=KeyLimits(llms=allowed))
        answer = await world.predict(key, body, model="llm")
        assert answer.status_code == status
        if status == 403:
            assert answer.json()["code"] == "mlp.gate.llm_not_allowed"

    async def test_language_model_in_the_config_counts_and_other_models_are_exempt(self, world, kit) -> None:
        world.know(kit.model_changed(501, "llm", task_type="chat-completion"))
        world.instance()
        world.instance(model_id=501)
        key = world.key(limits=KeyLimits(llms=("gpt",)))
        for config, status in (('{"model": "gpt"}', 200), ('{"model": "x"}', 403)):
            body = f'{{"data": {{"messages": []}}, "config": {config}}}'
            assert (await world.predict(key, body, "predict-with-config", model="llm")).status_code == status
        for data in ('{"model": "gpt"}', '{"model": "x"}'):
            body = f'{{"data": {data}, "config": {{"model": "{"x" if "gpt" in data else "gpt"}"}}}}'
            assert (await world.predict(key, body, "predict-with-config", model="llm")).status_code == 403
        assert (await world.predict(key, '{"model": "x"}')).status_code == 200

    @pytest.mark.parametrize("name", UNREADABLE)
    @pytest.mark.parametrize("in_parts", [False, True])
    async def test_request_that_the_gate_cannot_read_needs_the_services_entry(self, world, kit, name, in_parts) -> None:
        data = UNREADABLE[name]
        world.know(kit.model_changed(501, "llm", task_type="chat-completion"))
        twin = world.instance(model_id=501)

        async def outcome(allowed: str) -> type[DomainError] | None:
            key = world.key(limits=KeyLimits(llms=(allowed,)))["MLP-API-KEY"]
            caller = Caller(key, credential_is_session=False, billing_key=None, client_ip="127.0.0.1")
            config = Payload(json='{"model": "gpt"}')
            call = Call("r", "acme", "llm", Operation.PREDICT, caller, None if in_parts else data, config)
            handler = world.components.pipeline
            try:
                async with aclosing(handler.duplex(call, one(data)) if in_parts else handler.stream(call)) as answers:
                    async for _ in answers:
                        pass
            except DomainError as error:
                return type(error)
            return None

        async def one(part: Payload) -> AsyncGenerator[Payload]:
            yield part

        assert await outcome("gpt") is LlmNotAllowed
        assert twin.finished == 0
        assert await outcome("acme/llm") is None

    @pytest.fixture(params=["a request", "a config", "a part"])
    def checked(self, request, kit):
        """Returns a function that checks a text against a list of one entry."""
        model = kit.model_changed(501, "llm", task_type="chat-completion")

        def check(text: bytes, allowed: str) -> None:
            limits = [KeyLimits(llms=(allowed,))]
            match request.param:
                case "a request":
                    check_llms(limits, LargeText(source=TextBuffer(text)), None, model)
                case "a config":
                    check_llms(limits, None, Payload(json=text.decode()), model)
                case _:
                    check_llms_of_part(limits, InputPart(json=text.decode()), model)

        return check

    def test_value_that_is_no_text_is_not_built(self, kit) -> None:
        model = kit.model_changed(501, "llm", task_type="chat-completion")
        data = Payload(json='{"model": [' + "{}," * 100_000 + "1]}")
        tracemalloc.start()
        try:
            with pytest.raises(LlmNotAllowed) as refused:
                check_llms([KeyLimits(llms=("gpt",))], data, None, model)
            assert tracemalloc.get_traced_memory()[1] < 100_000
        finally:
            tracemalloc.stop()
        assert refused.value.details["llm"].startswith("[{},{}")

    def test_text_of_too_many_values_is_not_searched(self, checked) -> None:
        def check(values: int, allowed: str) -> None:
            checked(b'{"model": "gpt", "m": [' + b"1," * values + b"1]}", allowed)

        check(249_999, "gpt")
        with pytest.raises(LlmNotAllowed):
            check(250_000, "gpt")
        check(250_000, "acme/llm")

    @pytest.mark.parametrize("in_parts", [False, True])
    def test_key_that_pays_and_that_of_the_caller_must_both_allow_it(self, kit, in_parts) -> None:
        model = kit.model_changed(501, "llm", task_type="chat-completion")
        limits = [KeyLimits(llms=("gpt", "a")), KeyLimits(llms=("gpt", "b"))]

        def check(name: str) -> None:
            data = Payload(json=f'{{"model": "{name}"}}')
            check_llms_of_part(limits, data, model) if in_parts else check_llms(limits, data, None, model)

        check("gpt")
        for name in ("a", "b"):
            with pytest.raises(LlmNotAllowed):
                check(name)

    @pytest.mark.parametrize("filling", ["x", "é"])
    def test_very_long_text_is_not_searched(self, checked, filling) -> None:
        rest = b'{"model": "gpt", "m": ""}'

        def check(size: int, allowed: str) -> None:
            number, over = divmod(size - len(rest), len(filling.encode()))
            checked(rest[:-2] + filling.encode() * number + b"x" * over + rest[-2:], allowed)

        check(32 * 2**20, "gpt")
        with pytest.raises(LlmNotAllowed):
            check(32 * 2**20 + 1, "gpt")
        check(32 * 2**20 + 1, "acme/llm")

    @pytest.mark.parametrize("paying", [False, True])
    async def test_stored_config_that_the_call_names_counts_and_the_models_own_does_not(
        self, world, kit, paying
    ) -> None:
        world.know(kit.model_changed(501, "llm", task_type="chat-completion"))
        for config_id, text in ((5, '{"model": "x"}'), (6, '{"model": "gpt"}'), (7, '{"model": "x"}')):
            about = {"account_id": kit.ACME, "model_id": 501, "is_default": config_id == 7, "active": True}
            world.know(PredictConfigChanged(version=1, config_id=config_id, config=text, **about))
        twin = world.instance(model_id=501)
        limited = world.key(limits=KeyLimits(llms=("gpt",)))
        headers = {**world.key(), "MLP-BILLING-KEY": limited["MLP-API-KEY"]} if paying else limited
        for query, status in (("?configId=5", 403), ("?configId=6", 200), ("", 200)):
            answer = await world.client.post(f"/p/acme/llm{query}", content='{"model": "gpt"}', headers=headers)
            assert answer.status_code == status, answer.text
        assert [request.config.json for request in twin.requests] == ['{"model": "gpt"}', '{"model": "x"}']

    async def test_parts_of_a_request_are_read_too(self, world, kit) -> None:
        world.know(kit.model_changed(501, "llm", task_type="chat-completion"))
        world.instance(model_id=501)
        key = world.key(limits=KeyLimits(llms=("gpt",)))["MLP-API-KEY"]
        caller = Caller(key, credential_is_session=False, billing_key=None, client_ip="127.0.0.1")
        call = Call("r", "acme", "llm", Operation.PREDICT, caller, None, Payload(json='{"model": "gpt"}'))

        async def send(*texts: str) -> int:
            async def inputs() -> AsyncGenerator[Payload]:
                for text in texts:
                    yield Payload(json=text)

            async with aclosing(world.components.pipeline.duplex(call, inputs())) as answers:
                return len([answer async for answer in answers])

        assert await send("{}", '{"model": "gpt"}', "") == 1
        with pytest.raises(LlmNotAllowed):
            await send("{}", '{"model": "x"}')
