"""Every answered call is charged once, although the gate is killed repeatedly while calls run."""

import asyncio
import random
import time
from collections.abc import Callable

from mlplace_testing.waiting import eventually
from tests.crashes.billing_records import BillingRecords
from tests.crashes.callers import Caller, Callers, over_grpc, over_http
from tests.crashes.conftest import ReportFigure
from tests.crashes.installation import PAYER, Gate, Installation, Size

_PRICE = 1_234_567
_MONEY = 10**15
_WELL_AGAIN_SECONDS = 120  # an SDK process waits up to ten seconds between reconnects


class TestGate:
    async def test_every_answered_call_has_one_usage_after_kills(
        self, installation: Installation, size: Size, chance: random.Random, report_figure: ReportFigure
    ) -> None:
        kills, callers = size.of((50, 24), (4, 8))
        billing = installation.billing()
        gate = installation.gate()
        await billing.start()
        await installation.refill(PAYER, _MONEY)
        key = await installation.publish_model(price_nano=_PRICE)
        await gate.process.start()
        await installation.run_instance(gate)
        began = time.monotonic()
        async with (
            Callers(_callers(gate, key, callers, chance)) as load,
            installation.billing_records() as billing_records,
        ):
            longest = 0.0
            for _ in range(kills):
                longest = max(longest, await _until_well(load))
                await asyncio.sleep(chance.uniform(0, 0.5))
                gate.process.kill()
                gate.process.launch()
            longest = max(longest, await _until_well(load))
            await load.stop()
            await _wait_for_usages(load, billing_records)
            usages = await _check(load, billing_records)
        assert (await installation.verification())["sound"] is True
        report_figure(
            f"{len(load.answered)} calls answered, {len(load.unanswered)} not, {usages} usages, {kills} kills, "
            f"well again after {longest:.1f} s at most, {time.monotonic() - began:.0f} s"
        )
        assert load.unanswered, "no call was cut off: the kills have proved nothing"


def _callers(gate: Gate, key: str, number: int, chance: random.Random) -> list[Caller]:
    ways: list[Callable[[Gate, str], Caller]] = [over_http, over_grpc]
    return [ways[place % 2](gate, key) for place in range(number)]


async def _until_well(load: Callers) -> float:
    """Seconds until calls are answered again."""
    began, before = time.monotonic(), len(load.answered)

    async def answered_since() -> int:
        return len(load.answered) - before

    await eventually(answered_since, until=lambda count: count >= 30, seconds=_WELL_AGAIN_SECONDS)
    return time.monotonic() - began


async def _wait_for_usages(load: Callers, billing_records: BillingRecords) -> None:
    """Usages of unanswered calls come before those of the last answered ones: a gate ships in order."""

    async def missing() -> set[str]:
        return load.answered - set(await billing_records.request_ids())

    await eventually(missing, until=lambda ids: not ids, seconds=60)


async def _check(load: Callers, billing_records: BillingRecords) -> int:
    written = await billing_records.request_ids()
    assert [request_id for request_id, times in written.items() if times > 1] == []
    assert set(written) <= load.answered | load.unanswered
    usages = written.total()
    await billing_records.check(paid={PAYER: usages * _PRICE}, refilled={PAYER: _MONEY})
    return usages
