"""Five hundred calls at once at four gates, two of which are killed: limits are used up and hardly exceeded."""

import asyncio
import time
from collections import Counter
from collections.abc import AsyncGenerator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import count
from urllib.parse import urlsplit

import pytest

from mlpgateway.errors.limits import KeySpendingExceeded
from mlplace_contracts.events import ApiKeyChanged, ModelTimeouts
from mlplace_contracts.internal.billing_refusals import InsufficientFunds
from mlplace_contracts.limits import KeyLimits, SpendingRule
from mlplace_kit.credentials import KeyedHasher
from mlplace_kit.money import Currency
from mlplace_runtime.quotas.port import HOLDER_MS
from mlplace_testing.servers.redis import RedisServer
from mlplace_testing.waiting import eventually
from tests.crashes.billing_records import BillingRecords
from tests.crashes.callers import Call, over_grpc, over_http, until_served
from tests.crashes.conftest import ReportFigure
from tests.crashes.installation import PAYER, SECRET, Gate, Installation, Size

pytestmark = pytest.mark.parametrize("bus_settings", ["local"], indirect=True)
_PRICE = 1_000_003
_CALLS, _PAID_FOR, _KILL_AFTER = 500, 200, 60
_MILLISECONDS = 100
_FREE_AGAIN_SECONDS = 60
_SHORTER = {"reservation_usable_seconds": "4", "reservation_expiry_seconds": "6"}
"""mlpbilling's setting for the short test; by default the reservation of a dead gate is released after at most 56 s."""
_CUT_OFF = {"ReadError", "WriteError", "ConnectError", "RemoteProtocolError", "mlplace.connection_failed"}
"""Error codes that callers of a killed gate get."""


@dataclass
class Crowd:
    """Callers of four gates. `answered` counts by gate."""

    installation: Installation
    gates: Sequence[Gate]
    ways: Sequence[Sequence[Call]]
    answered: Counter[int] = field(default_factory=Counter[int])
    refused: Counter[str] = field(default_factory=Counter[str])
    _numbers: "count[int]" = field(default_factory=count)

    async def call(self, place: int, milliseconds: int) -> str | None:
        number = next(self._numbers)
        refusal = await self.ways[place][number // len(self.gates) % 2](f"f{number}", milliseconds)
        if refusal is None:
            self.answered[place] += 1
        else:
            self.refused[refusal] += 1
        return refusal

    async def rush(self) -> None:
        """Make all calls at once. Two gates are killed after some answers."""
        calls = [asyncio.create_task(self.call(place % 4, _MILLISECONDS)) for place in range(_CALLS)]
        await eventually(self._total, until=lambda total: total >= _KILL_AFTER, seconds=90)
        for gate in self.gates[:2]:
            gate.process.kill()
        await asyncio.gather(*calls)

    async def use_up(self, code: str, *, seconds: float) -> None:
        """Use up the rest at the live gates, until both have refused for longer than money can be held."""
        refused_since: float | None = None
        while refused_since is None or time.monotonic() - refused_since < seconds:
            told = [await self.call(place, 0) for place in (2, 3)]
            if told == [code, code]:
                refused_since = refused_since or time.monotonic()
                await asyncio.sleep(0.2)  # interval of a caller's retries
            else:
                assert set(told) <= {None, code}, told
                refused_since = None

    async def _total(self) -> int:
        return self.answered.total()

    @property
    def told(self) -> str:
        return f"{dict(self.answered)} answered, {dict(self.refused)}"


@asynccontextmanager
async def _four_gates(
    installation: Installation, *, redis: str | None = None, **settings: str
) -> AsyncGenerator[tuple[Crowd, str]]:
    """All gates serve the model; only the calls of `until_served` have spent anything."""
    await installation.billing(**settings).start()
    gates = [installation.gate() for _ in range(4)]
    patient = ModelTimeouts(pod_start=600, predict=600, fit=600)
    key = await installation.publish_model(price_nano=_PRICE, timeouts=patient)
    for gate in gates:
        if redis:
            gate.process.environment["MLP_REDIS_URL"] = redis
        await gate.process.start()
    for instance_id in (7, 8):
        await installation.run_instance(*gates, instance_id=instance_id)
    async with AsyncExitStack() as stack:
        ways = [[await stack.enter_async_context(over(gate, key)) for over in (over_http, over_grpc)] for gate in gates]
        yield Crowd(installation, gates, ways), key


async def _served(crowd: Crowd, billing_records: BillingRecords) -> int:
    """Wait until each caller has reached an instance, with money for one call each.

    Returns the number of these calls.
    """
    await crowd.installation.refill(PAYER, 8 * _PRICE)
    for call in (call for ways in crowd.ways for call in ways):
        await until_served(call)
    await eventually(lambda: billing_records.main(PAYER), until=lambda main: main == 0, seconds=60)
    return 8


async def _arrived(billing_records: BillingRecords, *, least: int, refilled: int) -> int:
    """The number of charged calls, read at a moment when the figures agree."""

    async def look() -> int:
        charged = await _charged(billing_records)
        try:
            await billing_records.check(paid={PAYER: charged * _PRICE}, refilled={PAYER: refilled})
        except AssertionError:
            return 0  # another charge came in between
        return charged

    return await eventually(look, until=lambda charged: charged >= least, seconds=90)


async def _all_arrived(crowd: Crowd, billing_records: BillingRecords, *, refilled: int) -> int:
    """Restart the dead gates, which then ship usage that they had written.

    This includes calls whose callers were disconnected before the answer, so answers cannot be counted instead.
    """
    written = sum(gate.on_the_disk for gate in crowd.gates)
    for gate in crowd.gates[:2]:
        await gate.process.start()
    charged = await _arrived(billing_records, least=written, refilled=refilled)
    assert charged == written
    await eventually(lambda: billing_records.held(PAYER), until=lambda held: held == 0, seconds=90)
    return charged


async def _charged(billing_records: BillingRecords) -> int:
    return (await billing_records.request_ids()).total()


class TestBalance:
    async def test_is_used_up_and_overdrawn_at_most_by_usage_of_dead_gates(
        self, installation: Installation, size: Size, report_figure: ReportFigure
    ) -> None:
        settings, free_again = size.of(({}, _FREE_AGAIN_SECONDS), (_SHORTER, 8.0))
        async with (
            _four_gates(installation, **settings) as (crowd, _),
            installation.billing_records() as billing_records,
        ):
            first = await _served(crowd, billing_records)
            await installation.refill(PAYER, _PAID_FOR * _PRICE)
            await crowd.rush()
            assert set(crowd.refused) <= _CUT_OFF | {InsufficientFunds.code}
            await crowd.use_up(InsufficientFunds.code, seconds=free_again)
            refilled = (first + _PAID_FOR) * _PRICE
            alive = crowd.answered[2] + crowd.answered[3]
            before = await _arrived(billing_records, least=first + alive, refilled=refilled) - first
            charged = await _all_arrived(crowd, billing_records, refilled=refilled) - first
            report_figure(
                f"{before} of {_PAID_FOR} calls charged, with those that dead gates kept {charged}; {crowd.told}"
            )
            assert before <= _PAID_FOR, "more was promised than there was"
            assert charged >= _PAID_FOR, "money that was there was refused"
        assert (await installation.verification())["sound"] is True


@pytest.mark.docker
class TestSpendingLimitOfAKey:
    async def test_is_used_up_and_exceeded_at_most_by_leases_of_dead_gates(
        self, installation: Installation, redis_server: RedisServer, size: Size, report_figure: ReportFigure
    ) -> None:
        settings = size.of({}, _SHORTER)
        redis = urlsplit(redis_server.url)._replace(path="/1").geturl()
        async with (
            _four_gates(installation, redis=redis, **settings) as (crowd, key),
            installation.billing_records() as billing_records,
        ):
            first = await _served(crowd, billing_records)
            await installation.refill(PAYER, 10 * _CALLS * _PRICE)
            early = await _limited(crowd, key, _PAID_FOR * _PRICE) - first
            await crowd.rush()
            assert set(crowd.refused) <= _CUT_OFF | {KeySpendingExceeded.code}
            await crowd.use_up(KeySpendingExceeded.code, seconds=HOLDER_MS / 1000 + 2)
            refilled = (first + 10 * _CALLS) * _PRICE
            alive = len(crowd.ways) + crowd.answered[2] + crowd.answered[3]
            charged = await _all_arrived(crowd, billing_records, refilled=refilled) - first - early
            report_figure(f"{charged} of {_PAID_FOR} calls charged; {crowd.told}")
            assert charged >= _PAID_FOR, "what the limit had left was refused"
            assert alive <= _PAID_FOR, "more passed than what dead gates had on lease"
        assert (await installation.verification())["sound"] is True


async def _limited(crowd: Crowd, key: str, amount_nano: int) -> int:
    """Make all gates know a limit on the key's further spending, after one call at each. Returns the calls before that.

    First a limit is published that no call fits, until all gates refuse: the order in which gates learn of it is not
    the subject of the test. The real limit starts after that and counts calls from then on.
    """
    await _limit(crowd.installation, key, 1, version=2)
    for ways in crowd.ways:
        while (told := await ways[0]("early", 0)) != KeySpendingExceeded.code:
            assert told in {None, InsufficientFunds.code}, "what was refused before the refill may be remembered"
            await asyncio.sleep(0.1)
    early = sum(gate.on_the_disk for gate in crowd.gates)
    await _limit(crowd.installation, key, amount_nano, version=3)
    for ways in crowd.ways:
        await until_served(ways[0])
    return early


async def _limit(installation: Installation, key: str, amount_nano: int, *, version: int) -> None:
    rule = SpendingRule(
        amount_nano=amount_nano, currency=Currency.RUBLE, period="TOTAL", period_seconds=None, available_immediately=True,
        since=datetime.now(UTC),
    )  # fmt: skip
    await installation.publish(
        ApiKeyChanged(
            version=version, key_id=1, account_id=PAYER, name="k", permissions=("predict",), allowed_models=None,
            key_hash=KeyedHasher(bytes.fromhex(SECRET)).digest(key), expires_at=None, active=True,
            limits=KeyLimits(spending=(rule,)),
        )
    )  # fmt: skip
