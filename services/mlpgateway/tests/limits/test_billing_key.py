"""A key that pays instead of the caller's is held to all its own limits."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from datetime import timedelta

import pytest

from mlpgateway.call.call import Answer, Call, Caller, Operation, Payload
from mlpgateway.errors.limits import LlmNotAllowed
from mlplace_contracts.enums import KeyPermission
from mlplace_contracts.limits import KeyLimits, RequestRule, SizeRule, SpendingRule
from mlplace_kit.clock import ManualClock
from mlplace_kit.errors import DomainError, PayloadTooLarge
from mlplace_testing.waiting import eventually

DAY = 86_400


def requests(calls: int) -> KeyLimits:
    return KeyLimits(requests=RequestRule(calls=calls, period="DAY", period_seconds=DAY))


def spending(clock: ManualClock, nano: int) -> KeyLimits:
    rule = SpendingRule(
        amount_nano=nano, currency=None, period="TOTAL", period_seconds=None, available_immediately=True,
        since=clock.now(),
    )  # fmt: skip
    return KeyLimits(spending=(rule,))


@pytest.fixture
def paid(world, kit):
    """Calls made by `DEMO`, for which a key of `OTHER` pays."""
    world.know(kit.model_changed(billing=kit.CALLS))
    world.billing.money[kit.OTHER] = 10**12
    world.instance()
    caller = world.key()

    async def call(call: str = "predict", body: object = None, **about: object):
        paying = world.key(kit.OTHER, **about)["MLP-API-KEY"]
        return lambda: world.predict({**caller, "MLP-BILLING-KEY": paying}, body, call)

    return call


@pytest.mark.parametrize("kind", ["unknown", "not to call"])
async def test_refusal_names_the_paying_key(world, kit, paid, kind) -> None:
    if kind == "unknown":
        refused = await world.predict({**world.key(), "MLP-BILLING-KEY": f"{kit.OTHER}.999.{'x' * 40}"})
    else:
        refused = await (await paid(permissions=(KeyPermission.READ,)))()
    told = refused.json()
    assert (refused.status_code, told["code"]) == (401, "mlp.gate.billing_key_not_valid")
    assert refused.headers["www-authenticate"] == "Bearer"


class TestParts:
    """A request that comes in parts is held to what a whole one is held to."""

    @pytest.mark.parametrize(
        ("limits", "refusal"),
        [
            (KeyLimits(llms=("gpt",)), LlmNotAllowed),
            (KeyLimits(size=SizeRule(most=40, unit="BYTES")), PayloadTooLarge),
            (KeyLimits(), None),
        ],
        ids=["language models", "size", "none"],
    )
    async def test_of_a_request(self, world, kit, limits: KeyLimits, refusal: type[DomainError] | None) -> None:
        world.know(kit.model_changed(501, "llm", task_type="chat-completion"))
        world.instance(model_id=501)
        world.billing.money[kit.OTHER] = 10**12
        paying = world.key(kit.OTHER, limits=limits)["MLP-API-KEY"]
        caller = Caller(
            world.key()["MLP-API-KEY"], credential_is_session=False, billing_key=paying, client_ip="127.0.0.1"
        )
        call = Call("r", "acme", "llm", Operation.PREDICT, caller, None, Payload(json='{"model": "gpt"}'))

        async def parts() -> AsyncGenerator[Payload]:
            for _ in range(3):
                yield Payload(json='{"model": "other"}')

        async def send() -> None:
            async with aclosing(world.components.pipeline.duplex(call, parts())) as answers:
                async for _ in answers:
                    pass

        if refusal is None:
            await send()
        else:
            with pytest.raises(refusal):
                await send()


class TestAllowedModels:
    @pytest.mark.parametrize("call", ["predict", "predict-with-config-v2-stream"])
    async def test_other_models_are_refused_and_the_header_is_named(self, paid, call: str) -> None:
        body = '{"data": "1"}' if "stream" in call else None
        refused = await (await paid(call, body, allowed_models=(1,)))()
        assert (refused.status_code, refused.json()["code"]) == (403, "mlp.gate.access_denied")
        assert refused.json()["args"] == {"header": "MLP-BILLING-KEY"}

    async def test_listed_models_are_paid_for(self, paid, kit) -> None:
        assert (await (await paid(allowed_models=(kit.MODEL,)))()).status_code == 200

    async def test_restriction_holds_for_nested_calls(self, world, kit) -> None:
        """The outer model is listed, the inner one is not."""
        world.know(kit.model_changed(501, "inner", billing=kit.CALLS))
        world.instance(model_id=501)
        world.billing.money[kit.OTHER] = 10**12
        paying, own = world.key(kit.OTHER, allowed_models=(kit.MODEL,))["MLP-API-KEY"], world.key(kit.ACME)
        inner: list[int] = []

        async def asks(request):
            headers = {**own, "MLP-BILLING-KEY": request.headers["MLP-BILLING-KEY"]}
            inner.append((await world.predict(headers, model="inner")).status_code)
            yield Answer(Payload(json="1"), {})

        world.instance(asks)
        assert (await world.predict({**world.key(), "MLP-BILLING-KEY": paying})).status_code == 200
        assert inner == [403]


class TestCalls:
    async def test_calls_count_for_it_and_for_the_callers_key(self, paid) -> None:
        call = await paid(limits=requests(2))
        answers = [await call() for _ in range(3)]
        assert [answer.status_code for answer in answers] == [200, 200, 429]
        assert answers[2].json()["code"] == "mlp.gate.key_limit_exceeded"
        assert '"billing-key";r=1' in answers[0].headers["ratelimit"]

    async def test_calls_count_once_when_one_key_calls_and_pays(self, world) -> None:
        world.instance()
        key = world.key(limits=requests(3))
        named = {**key, "MLP-BILLING-KEY": key["MLP-API-KEY"]}
        assert [(await world.predict(named)).status_code for _ in range(4)] == [200, 200, 200, 429]


class TestMoney:
    async def test_spending_limit_bounds_what_it_pays(self, paid, clock: ManualClock) -> None:
        call = await paid(limits=spending(clock, 25))
        assert [(await call()).status_code for _ in range(3)] == [200, 200, 429]

    async def test_maximum_price_bounds_a_call(self, paid) -> None:
        refused = await (await paid(max_price_nano=9))()
        assert (refused.status_code, refused.json()["code"]) == (402, "mlp.gate.price_above_cap")

    async def test_maximum_price_of_the_callers_key_does_not_apply(self, world, kit) -> None:
        world.know(kit.model_changed(billing=kit.CALLS))
        world.instance()
        world.billing.money[kit.OTHER] = 10**12
        paying = world.key(kit.OTHER)["MLP-API-KEY"]
        assert (await world.predict({**world.key(max_price_nano=1), "MLP-BILLING-KEY": paying})).status_code == 200


class TestOtherLimits:
    async def test_size_limit_applies(self, paid) -> None:
        refused = await (
            await paid(body='"' + "a" * 50 + '"', limits=KeyLimits(size=SizeRule(most=20, unit="BYTES")))
        )()
        assert refused.status_code == 413

    async def test_networks_of_its_account_apply(self, world, kit, paid) -> None:
        limits = kit.limits_changed(kit.OTHER)
        world.know(limits.model_copy(update={"allowed_networks": ("10.0.0.0/8",), "version": limits.version + 1000}))
        refused = await (await paid())()
        assert (refused.status_code, refused.json()["code"]) == (403, "mlp.gate.access_denied_for_account_from_ip")

    async def test_expired_key_is_refused(self, paid, clock: ManualClock) -> None:
        call = await paid(expires_at=clock.now() + timedelta(seconds=5))
        assert (await call()).status_code == 200
        clock.advance(timedelta(seconds=6))
        assert (await call()).status_code == 401

    async def test_key_that_expires_during_the_wait_is_refused(
        self, world, kit, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("mlpgateway.delivery.queue.request_queues._RECHECK_SECONDS", 0.0)
        world.know(kit.model_changed(billing=kit.CALLS, reject_if_inactive=False, hosting_type="DOCKER"))
        world.billing.money[kit.OTHER] = 10**12
        event, paying = world.key_event(kit.OTHER)
        world.know(event)
        call = asyncio.create_task(world.predict({**world.key(), "MLP-BILLING-KEY": paying}))

        async def waits() -> bool:
            return world.billing.asked > 0

        await eventually(waits)
        world.know(event.model_copy(update={"version": 2, "active": False}))
        world.instance()
        assert (await call).status_code == 401
