"""Calls at several gates never spend more than the balance; money of a dead gate is released automatically."""

import asyncio
import random
import time
from collections import Counter
from collections.abc import AsyncGenerator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager

from mlpbilling.settings import MlpbillingSettings
from mlplace_contracts.internal.billing_refusals import InsufficientFunds
from mlplace_testing.waiting import eventually
from tests.crashes.callers import Call, over_grpc, over_http, until_served
from tests.crashes.conftest import ReportFigure
from tests.crashes.installation import PAYER, Gate, Installation, Size

_PRICE = 1_000_003
_CALLS, _PAID_FOR = 500, 100
_FREE_AGAIN_SECONDS = 60
_LATE_SECONDS = 60  # for a busy machine


@asynccontextmanager
async def _two_gates(
    installation: Installation, **billing_settings: str
) -> AsyncGenerator[tuple[list[Gate], list[Call]]]:
    """Both gates serve the model; callers over HTTP and gRPC of the first, then of the second. Nothing is spent yet."""
    billing = installation.billing(**billing_settings)
    await billing.start()
    gates = [installation.gate(), installation.gate()]
    key = await installation.publish_model(price_nano=_PRICE)
    for gate in gates:
        await gate.process.start()
    await installation.run_instance(*gates)
    async with AsyncExitStack() as stack:
        calls = [await stack.enter_async_context(over(gate, key)) for gate in gates for over in (over_http, over_grpc)]
        # A call that is refused for lack of money has passed admission; a call with money for it shows that instances
        # are connected.
        await installation.refill(PAYER, 4 * _PRICE)
        for call in calls:
            await until_served(call)
        async with installation.billing_records() as billing_records:
            await eventually(lambda: billing_records.main(PAYER), until=lambda main: main == 0)
            await eventually(lambda: billing_records.held(PAYER), until=lambda held: held == 0, seconds=90)
        yield gates, calls


def _told(outcomes: Sequence[str | None]) -> tuple[int, Counter[str]]:
    return outcomes.count(None), Counter(outcome for outcome in outcomes if outcome)


class TestTwoGates:
    async def test_five_hundred_concurrent_calls_use_up_money_for_a_hundred(
        self, installation: Installation, size: Size, report_figure: ReportFigure
    ) -> None:
        rounds = size.of(5, 2)
        async with _two_gates(installation) as (_, calls), installation.billing_records() as billing_records:
            for number in range(rounds):
                await installation.refill(PAYER, _PAID_FOR * _PRICE)
                began = time.monotonic()
                outcomes = await asyncio.gather(
                    *(calls[place % len(calls)](f"o{number}-{place}", 20) for place in range(_CALLS))
                )
                seconds = time.monotonic() - began
                answered, refused = _told(outcomes)
                report_figure(f"{answered} of {_CALLS} calls answered, refused {dict(refused)}, {seconds:.1f} s")
                assert (answered, dict(refused)) == (_PAID_FOR, {InsufficientFunds.code: _CALLS - _PAID_FOR})
                await eventually(lambda: billing_records.main(PAYER), until=lambda main: main == 0)
                await eventually(lambda: billing_records.held(PAYER), until=lambda held: held == 0)
            spent = (4 + rounds * _PAID_FOR) * _PRICE
            await billing_records.check(paid={PAYER: spent}, refilled={PAYER: spent})
        assert (await installation.verification())["sound"] is True

    async def test_sequential_calls_use_up_money_for_a_hundred(
        self, installation: Installation, size: Size, chance: random.Random, report_figure: ReportFigure
    ) -> None:
        """Unused money at one gate must not make another gate refuse."""
        async with _two_gates(installation) as (_, calls), installation.billing_records() as billing_records:
            for number, paid_for in enumerate(size.of((_PAID_FOR, *[7] * 20), (_PAID_FOR, *[7] * 5))):
                await installation.refill(PAYER, paid_for * _PRICE)
                began = time.monotonic()
                for call in (calls[0], calls[2]):
                    await until_served(call)  # the gate knows about the money now
                outcomes = [await chance.choice(calls)(f"s{number}-{place}", 0) for place in range(paid_for - 1)]
                report_figure(f"{_told(outcomes)} one by one, {time.monotonic() - began:.1f} s")
                assert outcomes == [None] * (paid_for - 2) + [InsufficientFunds.code]
                await eventually(lambda: billing_records.held(PAYER), until=lambda held: held == 0)


class TestOrphans:
    async def test_reservations_of_a_killed_gate_are_released(
        self, installation: Installation, size: Size, report_figure: ReportFigure
    ) -> None:
        defaults = {name: field.default for name, field in MlpbillingSettings.model_fields.items()}
        assert defaults["reservation_expiry_seconds"] + defaults["expiry_interval_seconds"] <= _FREE_AGAIN_SECONDS
        shorter = {"reservation_usable_seconds": "4", "reservation_expiry_seconds": "6"}
        within, settings = size.of((_FREE_AGAIN_SECONDS, {}), (6 + defaults["expiry_interval_seconds"], shorter))
        async with (
            _two_gates(installation, **settings) as (gates, calls),
            installation.billing_records() as billing_records,
        ):
            await installation.refill(PAYER, _PAID_FOR * _PRICE)
            assert await calls[0]("holds", 0) is None
            assert await eventually(lambda: billing_records.held(PAYER)) > 0
            gates[0].process.kill()
            killed = time.monotonic()
            await eventually(
                lambda: billing_records.held(PAYER), until=lambda held: held == 0, seconds=within + _LATE_SECONDS
            )
            free_after = time.monotonic() - killed
            report_figure(f"free again {free_after:.1f} s after the kill, {within} s allowed")
            rest = _PAID_FOR - 1
            outcomes = await asyncio.gather(*(calls[2 + place % 2](f"h{place}", 0) for place in range(rest)))
            assert _told(outcomes) == (rest, Counter())
        assert (await installation.verification())["sound"] is True
