"""Limits of keys and accounts, seen by callers: what is refused, how, and what answers say is left."""

import asyncio
import re
from collections.abc import AsyncGenerator
from contextlib import aclosing
from datetime import timedelta
from decimal import Decimal

import pytest

from mlpgateway.call.call import Call, Caller, Operation, Payload
from mlplace_contracts.events import ModelBilling
from mlplace_contracts.limits import KeyLimits, RequestRule, SizeRule, SpendingRule
from mlplace_kit.clock import ManualClock
from mlplace_kit.errors import PayloadTooLarge
from mlplace_kit.money import Currency, to_nano
from mlplace_kit.pricing import BillingUnit
from mlplace_testing.waiting import eventually

DAY = 86_400
PAID = ModelBilling(
    enabled=True, unit=BillingUnit.CALLS, unit_price_nano=10, currency=Currency.RUBLE, free_unit_quota=0
)
CUSTOM = PAID.model_copy(update={"unit": BillingUnit.CUSTOM, "unit_price_nano": 1})


def calls(most: int, period: str = "DAY", seconds: int = DAY) -> KeyLimits:
    return KeyLimits(requests=RequestRule(calls=most, period=period, period_seconds=seconds))  # type: ignore[arg-type]


def spending(clock: ManualClock, nano: int, **about: object) -> SpendingRule:
    values = {
        "amount_nano": nano, "currency": "RUBLE", "period": "DAY", "period_seconds": DAY,
        "available_immediately": True, "since": clock.now(), **about,
    }  # fmt: skip
    return SpendingRule(**values)  # type: ignore[arg-type]


async def burst(world, headers: dict[str, str], count: int) -> list[int]:
    answers = await asyncio.gather(*(world.predict(headers) for _ in range(count)))
    return sorted(answer.status_code for answer in answers)


class TestCallsOfAKey:
    async def test_limit_admits_its_number_and_then_names_itself(self, world) -> None:
        world.instance()
        key = world.key(limits=calls(20))
        assert await burst(world, key, 30) == [200] * 20 + [429] * 10
        refused = await world.predict(key)
        body = refused.json()
        assert (body["code"], body["args"]) == ("mlp.gate.key_limit_exceeded", {"limit": "20", "period": "DAY"})
        assert DAY / 20 - 60 < int(refused.headers["retry-after"]) <= DAY / 20
        assert '"key";r=0;t=' in refused.headers["ratelimit"]

    async def test_every_answer_says_what_is_left_of_which_limit(self, world, kit) -> None:
        world.instance()
        world.know(kit.limits_changed(kit.DEMO, per_second=50))
        headers = (await world.predict(world.key(limits=calls(20)))).headers
        assert headers["ratelimit-policy"] == f'"key";q=20;w={DAY}, "account";q=50;w=1'
        assert re.fullmatch(r'"key";r=19;t=\d+, "account";r=\d+;t=[01]', headers["ratelimit"])
        assert (headers["x-ratelimit-limit"], headers["x-ratelimit-remaining"]) == ("20", "19")
        assert abs(int(headers["x-ratelimit-reset"]) - DAY / 20) < 5

    async def test_key_without_limits_gets_its_accounts_limits(self, world, kit) -> None:
        world.instance()
        world.know(kit.limits_changed(kit.DEMO, per_second=50))
        headers = (await world.predict(world.key())).headers
        assert headers["ratelimit-policy"] == '"account";q=50;w=1'
        assert headers["x-ratelimit-limit"] == "50"

    async def test_instances_cannot_set_limit_headers(self, world, kit) -> None:
        world.instance(kit.says("1", RateLimit="mine", X_RateLimit_Remaining="99", X_RateLimit_Other="mine"))
        headers = (await world.predict(world.key(limits=calls(20)))).headers
        assert "mine" not in str(headers)
        assert headers["x-ratelimit-remaining"] == "19"

    async def test_stream_reports_limits_once_in_its_head(self, world, kit) -> None:
        world.instance(kit.says("1", "2"))
        body = '{"data": "1"}'
        headers = (await world.predict(world.key(limits=calls(9)), body, "predict-with-config-v2-stream")).headers
        assert headers["x-ratelimit-remaining"] == "8"

    async def test_call_refused_by_the_account_does_not_count_for_the_key(self, world, kit) -> None:
        world.instance()
        world.know(kit.limits_changed(kit.DEMO, per_second=0))
        key = world.key(limits=calls(5))
        refused = await world.predict(key)
        assert refused.json()["code"] == "mlp.gate.pps_limit_exceeded"
        world.know(kit.limits_changed(kit.DEMO, per_second=100))
        assert await burst(world, key, 6) == [200] * 5 + [429]

    async def test_keys_have_separate_limits(self, world) -> None:
        world.instance()
        one, other = world.key(limits=calls(1)), world.key(limits=calls(1))
        assert [(await world.predict(key)).status_code for key in (one, other, one)] == [200, 200, 429]


class TestChange:
    async def test_changed_limit_applies_from_the_next_call(self, world) -> None:
        world.instance()
        event, secret = world.key_event(limits=calls(2))
        key = {"MLP-API-KEY": secret}
        world.know(event)
        assert await burst(world, key, 3) == [200, 200, 429]
        world.know(event.model_copy(update={"version": 2, "limits": calls(4)}))
        assert await burst(world, key, 3) == [200, 200, 429]
        world.know(event.model_copy(update={"version": 3, "limits": None}))
        assert await burst(world, key, 3) == [200] * 3

    async def test_lowered_limit_takes_back_leases(self, world) -> None:
        world.instance()
        event, secret = world.key_event(limits=calls(80))
        world.know(event)
        assert (await world.predict({"MLP-API-KEY": secret})).status_code == 200
        world.know(event.model_copy(update={"version": 2, "limits": calls(3)}))
        assert (await burst(world, {"MLP-API-KEY": secret}, 6)).count(200) <= 3

    async def test_change_on_the_bus_applies_to_the_next_calls(self, world) -> None:
        world.instance()
        event, secret = world.key_event(limits=calls(1))
        key = {"MLP-API-KEY": secret}
        world.know(event)
        assert await burst(world, key, 2) == [200, 429]
        await world.publish(event.model_copy(update={"version": 2, "limits": calls(1000)}))

        async def status() -> int:
            return (await world.predict(key)).status_code

        await eventually(status, until=lambda code: code == 200)


class TestSize:
    @pytest.mark.parametrize(
        ("unit", "body", "status"),
        [("BYTES", '"aaaa"', 200), ("BYTES", '"aaaaa"', 413), ("BYTES", '"жж"', 200), ("BYTES", '"жжж"', 413),
         ("CHARACTERS", '"жжжж"', 200), ("CHARACTERS", '"жжжжж"', 413)],
    )  # fmt: skip
    async def test_too_large_request_is_refused_with_limit_and_unit(
        self, world, unit: str, body: str, status: int
    ) -> None:
        twin = world.instance()
        key = world.key(limits=KeyLimits(size=SizeRule(most=6, unit=unit)))  # type: ignore[arg-type]
        answer = await world.predict(key, body)
        assert answer.status_code == status
        assert len(twin.requests) == (status == 200)
        if status == 413:
            assert answer.json()["code"] == "mlp.gate.request_too_large"
            assert answer.json()["args"] == {"limit": "6", "unit": unit.lower()}

    async def test_parts_of_a_request_count_together(self, world) -> None:
        world.instance()
        key = world.key(limits=KeyLimits(size=SizeRule(most=6, unit="BYTES")))["MLP-API-KEY"]
        caller = Caller(key, credential_is_session=False, billing_key=None, client_ip="127.0.0.1")
        call = Call("r", "acme", "ner", Operation.PREDICT, caller)

        async def send(*texts: str) -> str:
            async def inputs() -> AsyncGenerator[Payload]:
                for text in texts:
                    yield Payload(json=text)

            async with aclosing(world.components.pipeline.duplex(call, inputs())) as answers:
                return "".join([answer.payload.json or "" async for answer in answers])

        assert await send("123", "456") == "123456"
        with pytest.raises(PayloadTooLarge):
            await send("123", "456", "7")

    async def test_data_and_config_count_together(self, world) -> None:
        world.instance()
        key = world.key(limits=KeyLimits(size=SizeRule(most=6, unit="BYTES")))
        for config, status in (("12", 200), ("123", 413)):
            body = f'{{"data": 1234, "config": {config}}}'
            assert (await world.predict(key, body, "predict-with-config")).status_code == status


class TestAddresses:
    async def test_only_calls_from_allowed_networks_are_served(self, world, kit) -> None:
        world.instance()
        changed = kit.limits_changed(kit.DEMO)
        keys = world.key(), world.key(kit.OTHER)
        for networks, status in ((("10.0.0.0/8",), 403), (("10.0.0.0/8", "127.0.0.0/8"), 200), ((), 403), (None, 200)):
            changed = changed.model_copy(update={"version": changed.version + 1, "allowed_networks": networks})
            world.know(changed)
            answers = [await world.predict(key) for key in keys]
            assert [answer.status_code for answer in answers] == [status, 200]
            if status == 403:
                assert answers[0].json()["code"] == "mlp.gate.access_denied_for_account_from_ip"
                assert answers[0].json()["args"] == {"address": "127.0.0.1"}


class TestSpending:
    async def test_concurrent_calls_spend_no_more_than_the_limit(self, world, kit, clock: ManualClock) -> None:
        world.instance()
        world.know(kit.model_changed(billing=PAID))
        key = world.key(limits=KeyLimits(spending=(spending(clock, 1000),)))
        assert await burst(world, key, 150) == [200] * 100 + [429] * 50
        refused = await world.predict(key)
        assert refused.json()["code"] == "mlp.gate.key_spending_limit_exceeded"
        assert refused.json()["args"] == {"limit": "0.000001", "currency": "RUBLE", "period": "DAY"}
        assert 0 < int(refused.headers["retry-after"]) <= DAY / 100

    @pytest.mark.parametrize(("roubles", "told"), [(Decimal(100), "100"), (Decimal("0.5"), "0.5"), (Decimal(0), "0")])
    async def test_refusal_of_a_too_expensive_call_reports_the_whole_limit(
        self, world, kit, clock: ManualClock, roubles: Decimal, told: str
    ) -> None:
        world.instance()
        costly = PAID.model_copy(update={"unit_price_nano": 200 * 10**9})
        world.know(kit.model_changed(billing=costly))
        key = world.key(limits=KeyLimits(spending=(spending(clock, to_nano(roubles)),)))
        assert (await world.predict(key)).json()["args"]["limit"] == told

    async def test_failed_calls_give_back_what_was_held(self, world, kit, clock: ManualClock) -> None:
        world.know(kit.model_changed(billing=PAID))
        key = world.key(limits=KeyLimits(spending=(spending(clock, 30),)))
        for _ in range(10):
            assert (await world.predict(key)).status_code == 503, "no instance is there"
        world.instance()
        assert await burst(world, key, 5) == [200] * 3 + [429] * 2

    async def test_actual_cost_replaces_the_estimate(self, world, kit, clock: ManualClock) -> None:
        """The estimate is a million nano-units, the cost 40: under 1.2 million, a thousand such calls pass in sequence."""
        world.know(kit.model_changed(billing=CUSTOM))
        world.instance(kit.says("1", Z_custom_billing="40"))
        key = world.key(limits=KeyLimits(spending=(spending(clock, 1_200_000),)))
        for _ in range(30):
            assert (await world.predict(key)).status_code == 200

    async def test_all_limits_of_a_key_apply(self, world, kit, clock: ManualClock) -> None:
        world.instance()
        world.know(kit.model_changed(billing=PAID))
        narrow = spending(clock, 50, period="MONTH", period_seconds=30 * DAY)
        total = spending(clock, 10**9, period="TOTAL", period_seconds=None, currency=None)
        key = world.key(limits=KeyLimits(spending=(spending(clock, 1000), narrow, total)))
        assert await burst(world, key, 10) == [200] * 5 + [429] * 5
        assert (await world.predict(key)).json()["args"]["period"] == "MONTH"

    async def test_total_never_refills_and_reports_no_refill(self, world, kit, clock: ManualClock) -> None:
        world.instance()
        world.know(kit.model_changed(billing=PAID))
        total = spending(clock, 20, period="TOTAL", period_seconds=None, currency=None)
        key = world.key(limits=KeyLimits(spending=(total,)))
        assert await burst(world, key, 3) == [200, 200, 429]
        assert "retry-after" not in (await world.predict(key)).headers

    async def test_other_currencies_and_own_models_do_not_count(self, world, kit, clock: ManualClock) -> None:
        world.instance()
        world.know(kit.model_changed(billing=PAID))
        other = world.key(limits=KeyLimits(spending=(spending(clock, 0, currency="TOKEN"),)))
        owner = world.key(kit.ACME, limits=KeyLimits(spending=(spending(clock, 0),)))
        assert [(await world.predict(key)).status_code for key in (other, owner)] == [200, 200]

    async def test_limit_of_the_paying_key_counts(self, world, kit, clock: ManualClock) -> None:
        world.instance()
        world.know(kit.model_changed(billing=PAID))
        payer = world.key(limits=KeyLimits(spending=(spending(clock, 10),)))
        caller = world.key(kit.OTHER)
        headers = {**caller, "MLP-BILLING-KEY": payer["MLP-API-KEY"]}
        assert await burst(world, headers, 2) == [200, 429]

    async def test_limit_not_available_at_once_fills_from_its_beginning(self, world, kit, clock: ManualClock) -> None:
        world.instance()
        world.know(kit.model_changed(billing=PAID))
        rules = (spending(clock, 240, available_immediately=False, since=clock.now() - timedelta(hours=2)),)
        key = world.key(limits=KeyLimits(spending=rules))
        assert await burst(world, key, 4) == [200, 200, 429, 429], "ten in an hour"

    async def test_empty_store_starts_with_the_recorded_spending(self, world, kit, clock: ManualClock) -> None:
        world.instance()
        world.know(kit.model_changed(billing=PAID))
        long_ago = clock.now() - timedelta(days=90)
        total = spending(clock, 200, period="TOTAL", period_seconds=None, currency=None, since=long_ago)
        event, secret = world.key_event(limits=KeyLimits(spending=(spending(clock, 100, since=long_ago), total)))
        world.know(event)
        world.billing.spent_by_key[event.key_id] = 70
        assert await burst(world, {"MLP-API-KEY": secret}, 9) == [200] * 3 + [429] * 6
        asked = {(request.currency, request.since) for request in world.billing.asked_for_history}
        assert asked == {("RUBLE", clock.now() - timedelta(days=1)), (None, long_ago)}
        assert len(world.billing.asked_for_history) == 2, "once for each limit"

    async def test_overspending_of_a_total_counts_when_it_is_raised(self, world, kit, clock: ManualClock) -> None:
        world.instance()
        world.know(kit.model_changed(billing=PAID))
        total = spending(clock, 200, period="TOTAL", period_seconds=None, currency=None)
        event, secret = world.key_event(limits=KeyLimits(spending=(total,)))
        world.know(event)
        world.billing.spent_by_key[event.key_id] = 250
        assert await burst(world, {"MLP-API-KEY": secret}, 1) == [429]
        raised = KeyLimits(spending=(total.model_copy(update={"amount_nano": 300}),))
        world.know(event.model_copy(update={"version": 2, "limits": raised}))
        assert await burst(world, {"MLP-API-KEY": secret}, 9) == [200] * 5 + [429] * 4

    async def test_calls_pass_within_the_limit_while_spending_is_unknown(self, world, kit, clock: ManualClock) -> None:
        world.instance()
        world.know(kit.model_changed(billing=PAID))
        assert (await world.predict(world.key())).status_code == 200, "the account's money is leased"
        world.billing.down = True
        key = world.key(limits=KeyLimits(spending=(spending(clock, 50),)))
        assert await burst(world, key, 9) == [200] * 5 + [429] * 4
        world.billing.down = False

    async def test_key_over_its_limit_does_not_hold_the_accounts_money(self, world, kit, clock: ManualClock) -> None:
        world.instance()
        world.know(kit.model_changed(billing=PAID))
        key = world.key(limits=KeyLimits(spending=(spending(clock, 0),)))
        assert await burst(world, key, 3) == [429] * 3
        for balance_lease in world.components.leases._balance_leases.values():
            assert all(lease.idle for lease in balance_lease.leases)
