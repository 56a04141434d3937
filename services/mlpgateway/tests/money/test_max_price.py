"""No answer costs more than the smallest bound on its call, whatever the model reports."""

import asyncio
from collections.abc import AsyncGenerator

import pytest

from mlpgateway.call.call import Answer, Payload
from mlpgateway.call.transport import InstanceRequest
from mlplace_contracts.events import ChargeCapped
from mlplace_contracts.limits import KeyLimits, SpendingRule
from mlplace_kit.clock import ManualClock
from mlplace_kit.money import NANO, Currency
from mlplace_kit.pricing import BillingUnit
from mlplace_testing.events import published
from mlplace_testing.waiting import eventually

ABSURD = "999999999999999999"
STREAM = "predict-with-config-v2-stream"
MODEL = "/api/mlpgateway/account/acme/model/ner/predict"


def at_most(clock: ManualClock, nano: int, *, period: str = "TOTAL") -> KeyLimits:
    rule = SpendingRule(
        amount_nano=nano, currency=None if period == "TOTAL" else "RUBLE", period=period,  # type: ignore[arg-type]
        period_seconds=None if period == "TOTAL" else 86_400, available_immediately=True, since=clock.now(),
    )  # fmt: skip
    return KeyLimits(spending=(rule,))


@pytest.fixture(params=["direct", "custom"])
def terms(request, kit):
    """Billing of the model, whose units cost one nano-unit each."""
    return kit.CALLS.model_copy(update={"unit": BillingUnit(request.param), "unit_price_nano": 1})


@pytest.fixture
def hostile(world, kit, terms):
    """A model that reports whatever it can."""

    def opened(reported: str = ABSURD, **about: object):
        world.know(kit.model_changed(billing=terms, **about))
        return world.instance(kit.says("{}", Z_custom_billing=reported))

    return opened


class TestTwoBoundsOfACaller:
    @pytest.mark.parametrize("amounts", [("0.000002", "100"), ("100", "0.000002")])
    async def test_smaller_bound_applies(self, world, hostile, amounts: tuple[str, str]) -> None:
        """A proxy may have added one; their order means nothing."""
        hostile(max_price_nano=5000)
        headers = [*world.key().items(), *(("MLP-Max-Price", amount) for amount in amounts)]
        answer = await world.client.post(MODEL, content="{}", headers=headers)
        assert answer.status_code == 200, answer.text
        (usage,) = await world.usage()
        assert (usage.amount_nano, usage.capped_by) == (2000, "caller")


class TestBounds:
    async def test_owners_published_price_cap_applies(self, world, hostile) -> None:
        hostile(max_price_nano=5000)
        assert (await world.predict(world.key())).status_code == 200
        (usage,) = await world.usage()
        assert (usage.amount_nano, usage.max_price_nano, usage.capped_by) == (5000, 5000, "model")
        assert (usage.reported_amount_nano, usage.reported_units) == (int(ABSURD), int(ABSURD))

    async def test_platforms_bound_applies_without_a_published_cap(self, open_world, kit, terms) -> None:
        async with open_world(default_max_price="0.5") as world:
            world.know(kit.model_changed(billing=terms))
            world.instance(kit.says("{}", Z_custom_billing=ABSURD))
            assert (await world.predict(world.key())).status_code == 200
            (usage,) = await world.usage()
            assert (usage.amount_nano, usage.capped_by) == (NANO // 2, "platform")

    @pytest.mark.parametrize(("caller", "key", "charged", "by"), [
        ("0.000002", None, 2000, "caller"), (None, 3000, 3000, "key"), ("0.000002", 3000, 2000, "caller"),
        ("0.000004", 3000, 3000, "key"), ("7", 10**15, 5000, "model"),
    ])  # fmt: skip
    async def test_smallest_bound_applies_and_is_reported_to_the_model(
        self, world, hostile, caller: str | None, key: int | None, charged: int, by: str
    ) -> None:
        twin = hostile(max_price_nano=5000)
        headers = world.key(max_price_nano=key) | ({} if caller is None else {"MLP-Max-Price": caller})
        assert (await world.predict(headers)).status_code == 200
        (usage,) = await world.usage()
        assert (usage.amount_nano, usage.max_price_nano, usage.capped_by) == (charged, charged, by)
        assert twin.requests[0].headers["MLP-Max-Price"] == f"0.{charged:09}".rstrip("0")

    async def test_parts_of_a_stream_count_together(self, world, kit, terms) -> None:
        world.know(kit.model_changed(billing=terms, max_price_nano=5000))
        world.instance(kit.says(*"12345678", Z_custom_billing="900"))
        answer = await world.predict(world.key(), '{"data": "1"}', call=STREAM)
        assert len(answer.text.splitlines()) == 8
        (usage,) = await world.usage()
        assert (usage.amount_nano, usage.reported_units) == (5000, 7200)

    async def test_only_whole_units_are_charged(self, world, kit) -> None:
        terms = kit.CALLS.model_copy(update={"unit": BillingUnit.CUSTOM, "unit_price_nano": 30})
        world.know(kit.model_changed(billing=terms, max_price_nano=100))
        world.instance(kit.says("{}", Z_custom_billing="50"))
        await world.predict(world.key())
        (usage,) = await world.usage()
        assert (usage.units, usage.amount_nano, usage.reported_amount_nano) == (3, 90, 1500)

    async def test_free_units_are_bounded_too(self, world, kit) -> None:
        terms = kit.CALLS.model_copy(
            update={"unit": BillingUnit.CUSTOM, "unit_price_nano": 10, "free_unit_quota": 1000}
        )
        world.know(kit.model_changed(billing=terms, max_price_nano=100))
        world.instance(kit.says("{}", Z_custom_billing="900"))
        await world.predict(world.key())
        (usage,) = await world.usage()
        assert usage.units == 10

    async def test_answer_within_the_bounds_is_charged_in_full(self, world, hostile) -> None:
        hostile("4000", max_price_nano=5000)
        await world.predict(world.key())
        (usage,) = await world.usage()
        assert (usage.amount_nano, usage.capped_by, usage.reported_units) == (4000, None, None)

    async def test_owners_own_calls_are_free_and_keep_their_units(self, world, kit, hostile) -> None:
        hostile("70000", max_price_nano=5000)
        await world.predict(world.key(kit.ACME))
        (usage,) = await world.usage()
        assert (usage.units, usage.amount_nano, usage.capped_by) == (70000, 0, None)
        assert await published(world.components.database, ChargeCapped) == []


class TestKnownPrices:
    async def test_price_above_the_callers_bound_is_refused_before_the_call(self, world, kit) -> None:
        world.know(kit.model_changed(billing=kit.CALLS))
        twin = world.instance()
        for headers in (world.key() | {"MLP-Max-Price": "0.000000009"}, world.key(max_price_nano=9)):
            refused = await world.predict(headers)
            assert (refused.status_code, refused.json()["code"]) == (402, "mlp.gate.price_above_cap")
            assert refused.json()["args"] == {"price": "0.00000001", "cap": "0.000000009"}
        assert (twin.requests, await world.usage()) == ([], [])
        exact = world.key(max_price_nano=10) | {"MLP-Max-Price": "0.00000001"}
        assert (await world.predict(exact)).status_code == 200

    async def test_price_of_one_unit_above_the_bound_is_refused(self, world, kit) -> None:
        world.know(
            kit.model_changed(billing=kit.CALLS.model_copy(update={"unit": BillingUnit.CUSTOM, "unit_price_nano": 30}))
        )
        world.instance()
        assert (await world.predict(world.key(max_price_nano=29))).status_code == 402

    async def test_bound_does_not_matter_for_free_calls(self, world, kit) -> None:
        world.instance()
        assert (await world.predict(world.key() | {"MLP-Max-Price": "0"})).status_code == 200

    async def test_model_with_a_higher_typical_cost_is_refused_after_a_while(self, world, hostile) -> None:
        twin = hostile("4000", max_price_nano=5000)
        key, thrifty = world.key(), world.key() | {"MLP-Max-Price": "0.0000001"}
        assert (await world.predict(thrifty)).status_code == 200
        for _ in range(20):
            assert (await world.predict(key)).status_code == 200
        refused = await world.predict(thrifty)
        assert (refused.status_code, len(twin.requests)) == (402, 21)
        assert refused.json()["args"] == {"price": "0.000004", "cap": "0.0000001"}


class TestHeader:
    @pytest.mark.parametrize("text", ["", "-1", "1e3", "NaN", "1.0000000001", "12345678901", "0x1", "٣", "1,5", " . "])
    async def test_header_that_is_no_amount_is_refused_by_name(self, world, text: str) -> None:
        twin = world.instance()
        answer = await world.predict(world.key() | {b"MLP-Max-Price": text.encode()})  # type: ignore[dict-item]
        assert (answer.status_code, answer.json()["code"]) == (400, "mlp.core.validation_error")
        assert "MLP-Max-Price" in answer.json()["args"]
        assert twin.requests == []


class TestMoneyOfThePayer:
    @pytest.mark.parametrize("period", ["TOTAL", "DAY"])
    async def test_limit_of_the_key_bounds_a_single_call(self, world, hostile, clock: ManualClock, period: str) -> None:
        hostile()
        key = world.key(limits=at_most(clock, 3_000_000, period=period))
        assert (await world.predict(key)).status_code == 200
        (usage,) = await world.usage()
        assert (usage.amount_nano, usage.capped_by) == (3_000_000, "key_limit")
        assert (await world.predict(key)).json()["code"] == "mlp.gate.key_spending_limit_exceeded"

    async def test_limit_of_the_key_counts_what_free_units_do_not_cover(
        self, world, kit, terms, clock: ManualClock
    ) -> None:
        world.know(kit.model_changed(billing=terms.model_copy(update={"free_unit_quota": 2_000_000})))
        world.instance(kit.says("{}", Z_custom_billing="9000000"))
        world.billing.free_units[kit.DEMO, kit.MODEL] = 2_000_000
        await world.predict(world.key(limits=at_most(clock, 3_000_000)))
        (usage,) = await world.usage()
        assert usage.units == 5_000_000

    async def test_answer_costs_at_most_the_available_money(self, world, kit, hostile) -> None:
        hostile()
        world.billing.money[kit.DEMO] = 7 * NANO
        assert (await world.predict(world.key())).status_code == 200
        (usage,) = await world.usage()
        assert usage.capped_by == "balance"
        assert 6 * NANO < usage.amount_nano <= 7 * NANO

    async def test_all_available_money_pays_for_an_answer(self, world, kit, hostile) -> None:
        hostile(str(5 * NANO))
        world.billing.money[kit.DEMO] = 6 * NANO
        await world.predict(world.key())
        (usage,) = await world.usage()
        assert (usage.amount_nano, usage.capped_by) == (5 * NANO, None)
        await world.components.leases.release_all()
        assert max(account.spent_nano for _, account in world.billing.released) == 5 * NANO

    async def test_concurrent_calls_cost_at_most_the_available_money(
        self, world, kit, hostile, clock: ManualClock
    ) -> None:
        hostile(str(NANO))
        world.billing.money[kit.DEMO] = 7 * NANO
        key = world.key(limits=at_most(clock, 5 * NANO))
        await asyncio.gather(*(world.predict(key) for _ in range(20)))
        assert sum(usage.amount_nano for usage in await world.usage()) <= 5 * NANO

    @pytest.mark.parametrize(("reported", "charged"), [(str(NANO // 2), NANO // 2), (ABSURD, NANO)])
    async def test_cost_up_to_the_ceiling_is_charged_while_mlpbilling_is_away(
        self, world, kit, hostile, reported: str, charged: int
    ) -> None:
        twin = hostile("40", max_price_nano=NANO)
        key = world.key()
        assert (await world.predict(key)).status_code == 200
        world.billing.down = True
        twin._script = kit.says("{}", Z_custom_billing=reported)
        assert (await world.predict(key)).status_code == 200
        assert [usage.amount_nano for usage in await world.usage()] == [40, charged]

    async def test_caller_who_leaves_during_a_further_hold_pays(self, world, kit, hostile, raw) -> None:
        hostile(str(5 * NANO))
        entered, go = asyncio.Event(), asyncio.Event()
        reserve = world.components.leases.hold_more

        async def slow(*arguments: object, **named: object):
            entered.set()
            await go.wait()
            return await reserve(*arguments, **named)

        world.components.leases.hold_more = slow
        request = raw(world.app, "/api/mlpgateway/account/acme/model/ner/predict", world.key(), b'"x"')
        await entered.wait()
        request.hang_up()
        await asyncio.gather(request.task, return_exceptions=True)
        go.set()
        usages = await eventually(world.usage)
        assert [usage.amount_nano for usage in usages] == [5 * NANO]
        await world.components.leases.release_all()
        assert max(account.spent_nano for _, account in world.billing.released) == 5 * NANO


class TestOneAnswer:
    async def test_expensive_answer_raises_no_other_payers_reservation(self, world, kit, hostile) -> None:
        twin = hostile("40", max_price_nano=100 * NANO)
        key = world.key()
        for _ in range(5):
            await world.predict(key)
        twin._script = kit.says("{}", Z_custom_billing=ABSURD)
        await world.predict(key)
        world.billing.money[kit.OTHER] = 1000
        assert (await world.predict(world.key(kit.OTHER))).status_code == 200
        asked = [request for request, _ in world.billing.reservations.values()]
        first = next(request for request in asked if request.payer_account_id == kit.OTHER)
        assert first.minimum_nano == 40


class TestOwners:
    async def test_owner_is_notified_at_intervals(self, world, kit, hostile, clock: ManualClock) -> None:
        hostile(max_price_nano=5000)
        for _ in range(3):
            await world.predict(world.key())
        await world.usage()
        last = ChargeCapped(
            account_id=0, model_id=0, model_name="", request_id="", capped_by="key", reported_amount_nano=0,
            amount_nano=0, currency=Currency.RUBLE, occurred_at=clock.now(),
        )  # fmt: skip
        await asyncio.shield(world.components.writer.add(last))
        told, _ = await published(world.components.database, ChargeCapped)
        assert (told.account_id, told.model_id, told.capped_by) == (kit.ACME, kit.MODEL, "model")
        assert (told.reported_amount_nano, told.amount_nano, told.currency) == (int(ABSURD), 5000, "RUBLE")


class TestStreams:
    async def test_stream_holds_more_as_it_goes_on(self, world, kit, terms) -> None:
        """Parts that cost more together than one lease has: mlpbilling is asked at intervals, not for each part."""
        parts = 64

        async def script(_request: InstanceRequest) -> AsyncGenerator[Answer]:
            for number in range(parts):
                told = {"Z-custom-billing": str(NANO // 10)}
                yield Answer(Payload(json="1"), told, first=not number, last=number == parts - 1, partial=True)

        world.know(kit.model_changed(billing=terms))
        world.instance(script)
        world.billing.money[kit.DEMO] = 10 * NANO
        await world.predict(world.key(), '{"data": "1"}', call=STREAM)
        (usage,) = await world.usage()
        assert usage.amount_nano == parts * NANO // 10
        assert world.billing.asked <= 12
