"""Notifications about a key that has spent most or all of its limit."""

import asyncio
from collections.abc import AsyncGenerator
from datetime import timedelta

import pytest

from mlpgateway.call.call import Answer, Payload
from mlpgateway.call.transport import InstanceRequest
from mlpgateway.errors.calls import UsageNotRecorded
from mlpgateway.policy.limits.alarm import SpendingAlarm
from mlplace_contracts.events import Event, KeySpendingNoticed
from mlplace_contracts.limits import KeyLimits, RequestRule, SpendingRule
from mlplace_kit.clock import ManualClock
from mlplace_kit.pricing import BillingUnit
from mlplace_testing.events import published
from mlplace_testing.waiting import eventually


def a_day(clock: ManualClock, nano: int, **about: object) -> SpendingRule:
    values = {
        "amount_nano": nano, "currency": "RUBLE", "period": "DAY", "period_seconds": 86_400,
        "available_immediately": True, "since": clock.now(), **about,
    }  # fmt: skip
    return SpendingRule(**values)  # type: ignore[arg-type]


async def noticed(world, clock: ManualClock) -> list[tuple[SpendingRule, bool]]:
    """Returns all notifications so far: they come before the event that this function adds last."""
    last = KeySpendingNoticed(account_id=0, key_id=0, rule=a_day(clock, 0), exhausted=False, occurred_at=clock.now())
    await asyncio.shield(world.components.writer.add(last))
    events = await published(world.components.database, KeySpendingNoticed)
    return [(event.rule, event.exhausted) for event in events if event.key_id]


@pytest.fixture
def paid(world, kit):
    world.know(kit.model_changed(billing=kit.CALLS))
    world.instance()
    return world


class TestKey:
    async def test_alarm_is_raised_at_a_fifth_left_and_at_nothing_left(self, paid, clock: ManualClock) -> None:
        rule = a_day(clock, 100)
        event, secret = paid.key_event(limits=KeyLimits(spending=(rule,)))
        paid.know(event)
        key = {"MLP-API-KEY": secret}
        for _ in range(7):
            await paid.predict(key)
        assert await noticed(paid, clock) == []
        for _ in range(3):
            assert (await paid.predict(key)).status_code == 200
        assert await noticed(paid, clock) == [(rule, False)]
        for _ in range(5):
            assert (await paid.predict(key)).status_code == 429
        assert await noticed(paid, clock) == [(rule, False), (rule, True)]
        said = await published(paid.components.database, KeySpendingNoticed)
        assert {(one.account_id, one.key_id) for one in said if one.key_id} == {(event.account_id, event.key_id)}

    async def test_alarm_names_the_limit_concerned(self, paid, clock: ManualClock) -> None:
        narrow, wide = a_day(clock, 20), a_day(clock, 10**9, period="TOTAL", period_seconds=None, currency=None)
        key = paid.key(limits=KeyLimits(spending=(wide, narrow)))
        for _ in range(3):
            await paid.predict(key)
        assert await noticed(paid, clock) == [(narrow, False), (narrow, True)]

    async def test_held_money_raises_no_alarm(self, world, kit, clock: ManualClock) -> None:
        """The estimate is a million nano-units each, the cost 40: while eight run, a tenth of the limit is free."""
        go = asyncio.Event()

        async def script(request: InstanceRequest) -> AsyncGenerator[Answer]:
            assert request.data is not None
            if request.data.json == '"slow"':
                await go.wait()
            yield Answer(Payload(json="1"), {"Z-custom-billing": "40"})

        world.know(
            kit.model_changed(billing=kit.CALLS.model_copy(update={"unit": BillingUnit.CUSTOM, "unit_price_nano": 1}))
        )
        twin = world.instance(script)
        key = world.key(limits=KeyLimits(spending=(a_day(clock, 9_200_000),)))
        slow = [asyncio.create_task(world.predict(key, '"slow"')) for _ in range(8)]

        async def running() -> bool:
            return twin.active_requests == 8

        await eventually(running)
        assert (await world.predict(key)).status_code == 200
        go.set()
        assert {(await call).status_code for call in slow} == {200}
        assert await noticed(world, clock) == []

    async def test_initially_empty_allowance_raises_an_alarm_only_when_exhausted(
        self, paid, clock: ManualClock
    ) -> None:
        rule = a_day(clock, 240, available_immediately=False, since=clock.now() - timedelta(hours=1))
        key = paid.key(limits=KeyLimits(spending=(rule,)))
        assert [(await paid.predict(key)).status_code for _ in range(2)] == [200, 429]
        assert await noticed(paid, clock) == [(rule, True)]

    async def test_limit_on_the_number_of_calls_raises_no_alarm(self, paid, clock: ManualClock) -> None:
        key = paid.key(limits=KeyLimits(requests=RequestRule(calls=1, period="DAY", period_seconds=86_400)))
        assert [(await paid.predict(key)).status_code for _ in range(2)] == [200, 429]
        assert await noticed(paid, clock) == []


class Broken:
    def __init__(self) -> None:
        self.asked = 0

    def add(self, event: Event) -> asyncio.Future[None]:
        assert isinstance(event, KeySpendingNoticed)
        self.asked += 1
        raise UsageNotRecorded


class TestAlarm:
    async def test_alarm_that_was_not_stored_is_raised_again(self, paid, clock: ManualClock) -> None:
        writer = Broken()
        paid.components.pipeline._stages.admit.gatekeeper._alarm = SpendingAlarm(writer, clock, lambda: 0.0)
        key = paid.key(limits=KeyLimits(spending=(a_day(clock, 0),)))
        for number in (1, 2):
            assert (await paid.predict(key)).status_code == 429
            assert writer.asked == number
