"""Money of real calls, with a twin that grants like mlpbilling."""

import asyncio
from collections.abc import AsyncGenerator
from datetime import timedelta

import pytest
from sqlalchemy import event
from sqlalchemy.engine import Engine

from mlpgateway.call.call import Answer, Payload
from mlpgateway.call.transport import InstanceRequest
from mlplace_contracts.events import BalanceChanged
from mlplace_kit.clock import ManualClock
from mlplace_kit.pricing import BillingUnit
from mlplace_testing.waiting import eventually

# Loops that query the database every few seconds, with or without calls.
BY_THE_CLOCK = {"test:archive-cleanup"}


def task_name() -> str:
    task = asyncio.current_task()
    return task.get_name() if task else ""


def charged(usages) -> int:
    return sum(usage.amount_nano for usage in usages)


class TestWarmCalls:
    async def test_warm_call_runs_no_statement_and_no_internal_request(self, world, kit) -> None:
        world.know(kit.model_changed(billing=kit.CALLS))
        world.instance()
        key = world.key()
        assert (await world.predict(key)).status_code == 200
        statements: list[str] = []

        def note(connection, _cursor, statement: str, *_rest: object) -> None:
            ours = connection.engine.url.database == world.components.database.engine.url.database
            if ours and task_name() not in BY_THE_CLOCK:
                statements.append(statement)

        asked, resolved = world.billing.asked, len(world.resolved)
        event.listen(Engine, "before_cursor_execute", note)
        try:
            for _ in range(20):
                assert (await world.predict(key)).status_code == 200
            answers = await asyncio.gather(*(world.predict(key) for _ in range(80)))
        finally:
            event.remove(Engine, "before_cursor_execute", note)
        assert {answer.status_code for answer in answers} == {200}
        assert statements == []
        assert (world.billing.asked, len(world.resolved)) == (asked, resolved)
        assert len(await world.usage()) == 101


class TestEndOfTheMoney:
    async def test_exactly_100_of_300_concurrent_calls_are_paid(self, world, kit) -> None:
        world.know(kit.model_changed(billing=kit.CALLS))
        world.instance()
        world.billing.money[kit.DEMO] = 100 * 10
        key = world.key()
        answers = await asyncio.gather(*(world.predict(key) for _ in range(300)))
        codes = [answer.status_code for answer in answers]
        assert (codes.count(200), codes.count(402)) == (100, 200)
        assert {a.json()["code"] for a in answers if a.status_code == 402} == {"mlp.billing.insufficient_funds"}
        assert charged(await world.usage()) == 1000
        assert world.billing.asked < 120, "a payer without money does not keep mlpbilling busy"

    async def test_exact_number_of_sequential_calls_is_paid(self, world, kit) -> None:
        world.know(kit.model_changed(billing=kit.CALLS))
        world.instance()
        world.billing.money[kit.DEMO] = 7 * 10 + 9
        key = world.key()
        codes = [(await world.predict(key)).status_code for _ in range(10)]
        assert codes == [200] * 7 + [402] * 3

    async def test_money_held_for_another_model_is_released_first(self, world, kit) -> None:
        world.know(kit.model_changed(billing=kit.CALLS), kit.model_changed(501, "dear", billing=kit.CALLS))
        world.instance()
        world.instance(model_id=501)
        world.billing.money[kit.DEMO] = 10 * 10
        key = world.key()
        codes = [(await world.predict(key, model=name)).status_code for name in ("ner", "dear") * 6]
        assert codes == [200] * 10 + [402] * 2

    async def test_failed_calls_give_their_money_back(self, world, kit) -> None:
        world.know(kit.model_changed(billing=kit.CALLS))
        failing = world.instance(kit.fails(kit.Failing))
        world.billing.money[kit.DEMO] = 2 * 10
        key = world.key()
        assert {(await world.predict(key)).status_code for _ in range(5)} == {503}
        failing.accepts_requests = False
        world.instance()
        assert [(await world.predict(key)).status_code for _ in range(3)] == [200, 200, 402]

    async def test_unused_money_is_released_when_another_gate_wants_it(self, world, kit) -> None:
        world.know(kit.model_changed(billing=kit.CALLS))
        world.instance()
        assert (await world.predict(world.key())).status_code == 200
        world.know(balance(kit.DEMO, unused_wanted=True))
        left = world.billing.money[kit.DEMO] - 10
        await eventually(lambda: available(world, kit), until=lambda money: money == left)

    async def test_refill_is_noticed_at_once(self, world, kit) -> None:
        world.know(kit.model_changed(billing=kit.CALLS))
        world.instance()
        world.billing.money[kit.DEMO] = 0
        key = world.key()
        assert [(await world.predict(key)).status_code for _ in range(3)] == [402] * 3
        assert world.billing.asked == 1, "the refusal is remembered for a moment"
        world.billing.money[kit.DEMO] = 100
        world.know(balance(kit.DEMO))
        assert (await world.predict(key)).status_code == 200

    async def test_cold_calls_are_refused_and_warm_ones_run_while_mlpbilling_is_away(self, world, kit) -> None:
        world.know(kit.model_changed(billing=kit.CALLS))
        world.instance()
        key = world.key()
        world.billing.down = True
        assert (await world.predict(key)).json()["code"] == "mlp.core.unavailable"
        world.billing.down = False
        assert (await world.predict(key)).status_code == 200
        world.billing.down = True
        assert (await world.predict(key)).status_code == 200


async def available(world, kit) -> int:
    return world.billing.available(kit.DEMO)


def balance(account_id: int, *, version: int = 1, **said: bool) -> BalanceChanged:
    values = {"currency": "RUBLE", "main_nano": 0, "income_nano": 0, "blocked": False, **said}
    return BalanceChanged.model_validate({"version": version, "account_id": account_id, **values})


class TestBlockedPayers:
    async def test_blocked_payer_is_refused_until_unblocked(self, world, kit) -> None:
        world.instance()
        key = world.key()
        world.know(balance(kit.DEMO, blocked=True))
        refused = await world.predict(key)
        assert (refused.status_code, refused.json()["code"]) == (403, "mlp.billing.account_blocked")
        world.know(balance(kit.DEMO, version=2))
        assert (await world.predict(key)).status_code == 200

    async def test_block_is_learned_from_mlpbilling_before_the_event(self, world, kit) -> None:
        world.know(kit.model_changed(billing=kit.CALLS))
        world.instance()
        world.billing.blocked.add(kit.DEMO)
        assert (await world.predict(world.key())).json()["code"] == "mlp.billing.account_blocked"


class TestFreeCalls:
    async def test_owner_does_not_pay_for_own_models(self, world, kit) -> None:
        world.know(kit.model_changed(billing=kit.CALLS))
        world.instance()
        assert (await world.predict(world.key(kit.ACME))).status_code == 200
        (usage,) = await world.usage()
        assert (usage.amount_nano, usage.reservation_id, world.billing.asked) == (0, None, 0)

    async def test_model_without_a_price_needs_no_lease(self, world, kit) -> None:
        world.instance()
        assert (await world.predict(world.key())).status_code == 200
        (usage,) = await world.usage()
        assert (usage.amount_nano, usage.units, world.billing.asked) == (0, 1, 0)

    async def test_free_units_pay_for_a_payer_without_money(self, world, kit) -> None:
        world.know(kit.model_changed(billing=kit.CALLS.model_copy(update={"free_unit_quota": 3})))
        world.instance()
        world.billing.money[kit.DEMO] = 0
        key = world.key()
        assert [(await world.predict(key)).status_code for _ in range(5)] == [200, 200, 200, 402, 402]

    @pytest.mark.parametrize("failure", ["error", "timeout", "nothing"])
    async def test_failures_are_not_charged(self, world, kit, failure: str) -> None:
        async def hang(_request: InstanceRequest) -> AsyncGenerator[Answer]:
            await asyncio.Event().wait()
            yield Answer(Payload(), {})

        async def nothing(_request: InstanceRequest) -> AsyncGenerator[Answer]:
            for part in ():
                yield part

        brief = kit.ModelTimeouts.model_construct(pod_start=1, predict=0.05, fit=1)
        world.know(kit.model_changed(billing=kit.CALLS, timeouts=brief))
        world.instance({"error": kit.fails(kit.Failing), "timeout": hang, "nothing": nothing}[failure])
        assert (await world.predict(world.key())).status_code >= 500
        assert await world.usage() == []
        await world.components.leases.release_all()
        assert world.billing.available(kit.DEMO) == world.billing.money[kit.DEMO]


class TestUnits:
    @pytest.mark.parametrize(
        ("texts", "header", "units"),
        [
            (("{}",), "7", 7),
            (("1", "2", "3"), "7", 21),
            (("{}",), "-5", 0),
            (("{}",), "1e9", 0),
            (("{}",), "9" * 30, 0),
            (("{}",), "٣", 0),
            (("{}",), "", 0),
        ],
    )
    async def test_plausible_custom_units_are_charged(
        self, world, kit, texts: tuple[str, ...], header: str, units: int
    ) -> None:
        world.know(kit.model_changed(billing=kit.CALLS.model_copy(update={"unit": BillingUnit.CUSTOM})))
        world.instance(kit.says(*texts, Z_custom_billing=header))
        answer = await world.predict(world.key())
        assert (answer.status_code, answer.text) == (200, texts[-1])
        (usage,) = await world.usage()
        assert (usage.units, usage.amount_nano, usage.billing_unit) == (units, units * 10, "custom")

    async def test_direct_amounts_are_scaled_to_nano_units(self, open_world, kit) -> None:
        async with open_world(direct_unit_nano=1000) as world:
            world.know(kit.model_changed(billing=kit.CALLS.model_copy(update={"unit": BillingUnit.DIRECT})))
            world.instance(kit.says("{}", z_CUSTOM_billing="42"))
            await world.predict(world.key())
            (usage,) = await world.usage()
            assert (usage.units, usage.unit_price_nano, usage.amount_nano) == (42_000, 1, 42_000)

    async def test_amount_above_63_bits_is_cut_to_the_ceiling(self, world, kit) -> None:
        dear = kit.CALLS.model_copy(update={"unit": BillingUnit.CUSTOM, "unit_price_nano": 10**6})
        world.know(kit.model_changed(billing=dear))
        world.instance(kit.says("{}", Z_custom_billing="9" * 18))
        assert (await world.predict(world.key())).status_code == 200
        (usage,) = await world.usage()
        assert (usage.units, usage.amount_nano, usage.capped_by) == (10**5, 10**11, "platform")
        assert (usage.reported_units, usage.reported_amount_nano) == (10**18 - 1, 2**63 - 1)

    async def test_price_header_is_ignored_when_calls_are_counted(self, world, kit) -> None:
        world.know(kit.model_changed(billing=kit.CALLS))
        world.instance(kit.says("{}", Z_custom_billing="1000"))
        await world.predict(world.key())
        (usage,) = await world.usage()
        assert (usage.units, usage.amount_nano) == (1, 10)


class TestLeases:
    async def test_idle_lease_is_released_with_its_spending(self, world, kit, clock: ManualClock) -> None:
        world.know(kit.model_changed(billing=kit.CALLS))
        world.instance()
        key = world.key()
        for _ in range(3):
            await world.predict(key)
        await world.components.leases.maintain()
        assert world.billing.released == []
        clock.advance(timedelta(seconds=10))
        await world.components.leases.maintain()
        ((_, account),) = world.billing.released
        assert account.spent_nano == 30
        assert world.billing.available(kit.DEMO) == world.billing.money[kit.DEMO] - 30
        assert (await world.predict(key)).status_code == 200

    async def test_call_that_outlives_its_lease_keeps_its_hold(self, world, kit, clock: ManualClock) -> None:
        go, call = await call_in_progress(world, kit)
        clock.advance(timedelta(seconds=30))
        await world.components.leases.maintain()
        assert reported(world) == [(0, 10)]
        clock.advance(timedelta(seconds=29))
        await world.components.leases.maintain()
        assert reported(world) == [(0, 10)]
        clock.advance(timedelta(seconds=1))
        await world.components.leases.maintain()
        assert reported(world) == [(0, 10), (0, 10)], "mlpbilling would take the gate for dead"
        go.set()
        assert (await call).status_code == 503
        await world.components.leases.maintain()
        assert reported(world) == [(0, 10), (0, 10), (0, 0)]
        await world.components.leases.maintain()
        assert len(world.billing.released) == 3

    async def test_leases_are_reported_in_order_however_slow_the_reports(self, world, kit, clock: ManualClock) -> None:
        go, call = await call_in_progress(world, kit)
        arrives = asyncio.Event()
        clock.advance(timedelta(seconds=30))
        world.billing.late = arrives
        first = asyncio.create_task(world.components.leases.maintain())
        await eventually(lambda: under_way(world))
        go.set()
        await call
        second = asyncio.create_task(world.components.leases.maintain())
        await asyncio.sleep(0.2)
        arrives.set()
        await asyncio.gather(first, second)
        assert reported(world) == [(0, 10), (0, 0)]
        assert world.billing.available(kit.DEMO) == world.billing.money[kit.DEMO]

    async def test_all_leases_are_released_at_the_end(self, world, kit) -> None:
        world.know(kit.model_changed(billing=kit.CALLS))
        world.instance()
        await world.predict(world.key())
        await world.components.leases.release_all()
        assert world.billing.available(kit.DEMO) == world.billing.money[kit.DEMO] - 10

    async def test_leases_are_renewed_in_the_background(self, world, kit, clock: ManualClock) -> None:
        world.know(kit.model_changed(billing=kit.CALLS))
        world.instance()
        key = world.key()
        await world.predict(key)
        clock.advance(timedelta(seconds=25))
        await world.predict(key)
        await eventually(lambda: asked(world), until=lambda count: count == 2)
        clock.advance(timedelta(seconds=6))
        world.billing.down = True
        assert (await world.predict(key)).status_code == 200


async def call_in_progress(world, kit):
    """Starts a call that fails once the event is set."""
    go = asyncio.Event()

    async def slow(_request: InstanceRequest) -> AsyncGenerator[Answer]:
        await go.wait()
        raise kit.Failing
        yield Answer(Payload(), {})

    world.know(kit.model_changed(billing=kit.CALLS))
    twin = world.instance(slow)
    call = asyncio.create_task(world.predict(world.key()))
    await eventually(lambda: active(twin))
    return go, call


async def active(twin) -> int:
    return twin.active_requests


async def under_way(world) -> bool:
    return world.billing.late is None


async def asked(world) -> int:
    return world.billing.asked


def reported(world) -> list[tuple[int, int]]:
    """Returns spent money and money of running calls, for each report to mlpbilling."""
    return [(account.spent_nano, account.in_progress_nano) for _, account in world.billing.released]
