"""Charges equal usages although mlpbilling is killed repeatedly while duplicate and reordered usages arrive."""

import asyncio
import random
import time
import uuid
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from mlplace_contracts.events import UsageRecorded
from mlplace_kit.money import Currency
from mlplace_kit.pricing import BillingUnit
from mlplace_runtime.bus.port import EventBus, Record
from mlplace_testing.processes import ServiceProcess
from mlplace_testing.waiting import eventually
from tests.crashes.billing_records import BillingRecords
from tests.crashes.conftest import ReportFigure
from tests.crashes.installation import Installation, Size, records_of

_PAYERS = range(1001, 1021)
_OWNERS = range(2001, 2005)
_PRICES = {501: 7, 502: 1_000_000_007, 503: 333_333_333}
_PLENTY = 10**16
_DRAINED_SECONDS = 120
_ALIVE_SECONDS = 120  # to start, and for Kafka's consumer group to drop the previous member


@dataclass(frozen=True, slots=True)
class Flow:
    """`records` in the order in which they reach the bus; `events` is the number of distinct ids."""

    usages: list[UsageRecorded]
    records: list[Record]
    events: int
    moved: int


def _flow(chance: random.Random, count: int) -> Flow:
    """10 % are duplicated, half of these with the same event id, half with another; 5 % are late."""
    usages = [_usage(chance, number) for number in range(count)]
    placed: list[tuple[float, Record]] = []
    events = moved = 0
    for place, (usage, record) in enumerate(zip(usages, records_of(*usages), strict=True)):
        late = chance.random() < 0.05
        moved += late
        placed.append((place + (chance.uniform(1, 300) if late else 0), record))
        events += 1
        if chance.random() < 0.1:
            again = chance.random() < 0.5
            placed.append((place + chance.uniform(0, 300), record if again else records_of(usage)[0]))
            events += not again
    placed.sort(key=lambda entry: entry[0])
    return Flow(usages, [record for _, record in placed], events, moved)


def _usage(chance: random.Random, number: int) -> UsageRecorded:
    model_id, price = chance.choice(list(_PRICES.items()))
    units = chance.randint(1, 9)
    payer = chance.choice(_PAYERS)
    return UsageRecorded(
        usage_id=uuid.UUID(int=chance.getrandbits(128), version=4), occurred_at=datetime.now(UTC),
        request_id=f"r{number}", operation="predict", caller_account_id=payer, payer_account_id=payer, payer_key_id=1,
        model_account_id=chance.choice(_OWNERS), model_id=model_id, model_name="m", instance_id=1,
        billing_unit=BillingUnit.CUSTOM, units=units, unit_price_nano=price, amount_nano=units * price, currency=Currency.RUBLE,
        reservation_id=None, model_time_ms=1,
    )  # fmt: skip


async def _pour(bus: EventBus, records: Sequence[Record], chance: random.Random) -> None:
    """Publish small groups with pauses, so that there are many transactions to interrupt."""
    rest = list(records)
    while rest:
        gust = chance.randint(1, 60)
        await bus.publish(rest[:gust])
        del rest[:gust]
        await asyncio.sleep(chance.uniform(0, 0.02))


async def _live_and_die(billing: ServiceProcess, billing_records: BillingRecords, chance: random.Random) -> str:
    """Start mlpbilling and kill it: during its start, within a transaction, or just after one."""
    way = chance.choice(("while it starts", "in a transaction", "in a transaction", "after a transaction"))
    before = await billing_records.handled()
    billing.launch()
    if way == "while it starts":
        await asyncio.sleep(chance.uniform(0, 1))
    elif way == "in a transaction":
        async with asyncio.timeout(_ALIVE_SECONDS):
            while not await billing_records.in_transaction():
                pass  # poll without a pause: each query is a round trip, and a pause would miss most transactions
    else:
        await eventually(billing_records.handled, until=lambda handled: handled > before, seconds=_ALIVE_SECONDS)
        await asyncio.sleep(chance.uniform(0, 0.1))
    billing.kill()
    return way


class TestConsumer:
    async def test_charges_equal_usages_whenever_it_is_killed(
        self, installation: Installation, size: Size, chance: random.Random, report_figure: ReportFigure
    ) -> None:
        # Kafka's consumer group waits for a dead member, so each round takes much longer there.
        kills, count = size.of((50, 20_000), (12, 4_000))
        if installation.on_kafka:
            kills, count = size.of((20, 20_000), (2, 1_000))
        flow = _flow(chance, count)
        billing = installation.billing(commission_basis_points="250")
        await billing.start("/health/live")
        # One payer has no money, one has little: their debts must be exact too.
        refilled = dict.fromkeys(_PAYERS[2:], _PLENTY) | {_PAYERS[1]: 10**9}
        for payer, amount in refilled.items():
            await installation.refill(payer, amount)
        billing.kill()
        share = len(flow.records) // (kills + 1) + 1
        shares = [flow.records[start : start + share] for start in range(0, len(flow.records), share)]
        ways: Counter[str] = Counter()
        began = time.monotonic()
        async with installation.billing_records() as billing_records:
            for part in shares[:kills]:
                pouring = asyncio.create_task(_pour(installation.bus, part, chance))
                ways[await _live_and_die(billing, billing_records, chance)] += 1
                await pouring
            left = flow.events - await billing_records.handled()
            await billing.start("/health/live")
            for part in shares[kills:]:
                await _pour(installation.bus, part, chance)
            drained = time.monotonic()
            await eventually(
                billing_records.handled, until=lambda handled: handled == flow.events, seconds=_DRAINED_SECONDS
            )
            drained = time.monotonic() - drained
            await _check(billing_records, flow, refilled)
        assert (await installation.verification())["sound"] is True
        assert await billing.stop() == 0
        seconds = time.monotonic() - began
        report_figure(
            f"{count} usages in {len(flow.records)} deliveries ({flow.events} event ids, {flow.moved} late), "
            f"{sum(ways.values())} kills {dict(ways)}, {left} events left at the last kill, drained {drained:.1f} s "
            f"after the last of them, {seconds:.0f} s"
        )


async def _check(billing_records: BillingRecords, flow: Flow, refilled: dict[int, int]) -> None:
    assert await billing_records.charged() == {str(usage.usage_id): usage.amount_nano for usage in flow.usages}
    paid: Counter[int] = Counter()
    for usage in flow.usages:
        paid[usage.payer_account_id] += usage.units * _PRICES[usage.model_id]
    await billing_records.check(paid=paid, refilled=refilled)
