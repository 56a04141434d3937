"""Tests charges that cannot be booked: they are parked, can be replayed, and delay no other charges."""

from contextlib import AbstractAsyncContextManager
from datetime import timedelta
from typing import cast

from sqlalchemy.ext.asyncio import AsyncSession
from structlog.testing import capture_logs

from mlpbilling.features.charges.consumers import usage_consumer
from mlplace_contracts.events import UsageRecorded
from mlplace_contracts.topics import USAGE
from mlplace_kit.clock import ManualClock
from mlplace_kit.money import MAX_NANO, NANO
from mlplace_runtime.bus.consumer import ConsumerRunner
from mlplace_runtime.bus.dead_letters import DeadLetters, Fate
from mlplace_runtime.bus.local import LocalBus
from mlplace_runtime.db.database import Database
from mlplace_runtime.tasks import Loop, running
from mlplace_testing.waiting import eventually

from .conftest import Harness, usage_of
from .test_charges import delivered

_POISON = 50
_RICH = 2  # an account whose income cannot grow any more
_ATTACKER = 900


class Counted:
    """A database that counts the transactions of its one user."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self.transactions = 0

    def transaction(self) -> AbstractAsyncContextManager[AsyncSession]:
        self.transactions += 1
        return self._database.transaction()

    async def copy_id(self) -> str:
        return await self._database.copy_id()


async def _publish(bus: LocalBus, clock: ManualClock, *usages: UsageRecorded) -> None:
    await bus.publish([delivered(usage, clock).record for usage in usages])


async def _charged(harness: Harness) -> int:
    return (await harness.query(f"SELECT count(*) FROM usage WHERE payer_account_id <> {_ATTACKER}"))[0][0]


async def _parked(harness: Harness) -> int:
    return (await harness.query("SELECT count(*) FROM dead_letter WHERE replayed_at IS NULL"))[0][0]


async def _make_rich(harness: Harness) -> None:
    await harness.earn(_RICH, MAX_NANO - NANO, payer=899)
    await harness.refill(_ATTACKER, 1000 * NANO)


class TestPoison:
    async def test_a_poison_charge_is_parked_and_delays_no_other_payer(
        self, harness: Harness, bus: LocalBus, clock: ManualClock
    ) -> None:
        await _make_rich(harness)
        usages = [
            usage
            for number in range(_POISON)
            for usage in (
                usage_of(clock, 2 * NANO, payer=_ATTACKER, owner=_RICH),
                usage_of(clock, payer=300 + number, owner=3),
            )
        ]
        before = await _charged(harness)
        counted = Counted(harness.database)
        runner = ConsumerRunner(usage_consumer(harness.state), cast("Database", counted), bus)
        with capture_logs() as said:
            async with running("test", [Loop("usage", runner.run)]):
                await _publish(bus, clock, *usages)
                await eventually(lambda: _charged(harness), until=lambda number: number == before + _POISON)
                await eventually(lambda: _parked(harness), until=lambda number: number == _POISON)
        # Two transactions for each refused charge, one for each other, and a few for what failed together.
        assert counted.transactions < 4 * _POISON
        assert not [line for line in said if line["event"] in {"consumer_lane_paused", "outage_began"}]
        assert (await harness.verify()).sound

    async def test_a_replay_charges_it_once_it_is_possible(
        self, harness: Harness, bus: LocalBus, clock: ManualClock
    ) -> None:
        await _make_rich(harness)
        consumer = usage_consumer(harness.state)
        usage = usage_of(clock, 2 * NANO, payer=_ATTACKER, owner=_RICH, at=clock.now() - timedelta(days=1))
        await ConsumerRunner(consumer, harness.database, bus).handle([delivered(usage, clock)])
        letters = DeadLetters(harness.database, [consumer])
        (letter,) = await letters.waiting(topic=USAGE.name)
        assert letter.record.key == str(_ATTACKER)
        assert letter.reason.startswith("BalanceTooLarge(")
        assert (await letters.replay(letter)).fate is Fate.FAILED
        await harness.spend_income(_RICH, 10 * NANO)
        assert (await letters.replay(letter)).fate is Fate.HANDLED
        assert (await harness.money(_ATTACKER))[0] == 998 * NANO
        assert await letters.waiting() == []
        assert (await harness.verify()).sound
