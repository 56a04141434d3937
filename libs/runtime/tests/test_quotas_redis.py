"""Tests the Redis store: the contract on a real server, equality with the in-memory store, and bad servers."""

import asyncio
import time
from collections.abc import AsyncGenerator
from dataclasses import replace
from itertools import count

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mlplace_runtime.quotas import Bucket, Counters, MemoryQuotas, QuotasAwayError, Report
from mlplace_runtime.quotas.redis import RedisQuotas, RedisSettings
from mlplace_testing.contracts.quotas import QuotasContract, Shelf
from mlplace_testing.servers.redis import RedisServer
from mlplace_testing.waiting import eventually

pytestmark = pytest.mark.docker
_runs = count(1)
_AMOUNT = st.integers(0, 300)
_STEP = st.fixed_dictionaries(
    {
        "holder": st.sampled_from("abc"),
        "wait": st.integers(0, 9000),
        "spent": _AMOUNT,
        "returned": _AMOUNT,
        "apart": st.integers(0, 20),
        "demand": _AMOUNT,
        "least": st.integers(1, 50),
        "extra": _AMOUNT,
        "capacity": st.sampled_from([0, 500, 1000]),
        "rises": st.booleans(),
        "leaving": st.booleans(),
    }
)


@pytest.fixture
async def shelf(redis_settings: RedisSettings) -> AsyncGenerator[Shelf]:
    clock = [1_700_000_000_000]
    async with RedisQuotas(redis_settings, now_ms=lambda: clock[0]) as quotas:
        yield Shelf(quotas, clock)


class TestRedisQuotas(QuotasContract):
    @given(steps=st.lists(_STEP, max_size=25), period=st.sampled_from([None, 7000]))
    @settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
    async def test_behaves_like_the_store_in_memory(
        self, shelf: Shelf, steps: list[dict[str, int]], period: int | None
    ) -> None:
        clock = shelf.clock
        memory, name = MemoryQuotas(lambda: clock[0]), f"run{next(_runs)}"
        totals = {holder: Counters() for holder in "abc"}
        for step in steps:
            clock[0] += step["wait"]
            holder = str(step["holder"])
            before = totals[holder]
            totals[holder] = Counters(
                before.spent + step["spent"], before.returned + step["returned"], before.apart + step["apart"]
            )
            report = Report(
                Bucket(name, step["capacity"], period, rises_at_once=bool(step["rises"])), totals[holder], before,
                least=step["least"], demand=step["demand"], extra=step["extra"], level=800,
                leaving=bool(step["leaving"]),
            )  # fmt: skip
            said = (await shelf.quotas.sync(holder, [report]))[0]
            expected = (await memory.sync(holder, [report]))[0]
            assert (said.granted, said.holders) == (expected.granted, expected.holders)
            assert said.level == pytest.approx(expected.level, abs=1e-6)

    async def test_uses_the_servers_clock_by_default(self, redis_settings: RedisSettings) -> None:
        bucket = Bucket("clock", 1000, 1000)
        async with RedisQuotas(redis_settings) as quotas:
            await quotas.sync("a", [Report(bucket, Counters(apart=1000), Counters(), level=1000)])

            async def level() -> float:
                return (await quotas.sync("b", [Report(bucket, Counters(), Counters())]))[0].level

            await eventually(level, until=lambda level: level >= 500)

    async def test_reloads_its_script_after_the_server_lost_it(self, shelf: Shelf, redis_server: RedisServer) -> None:
        await shelf.ask(demand=5)
        await redis_server.kill()
        await redis_server.start()
        await redis_server.ready()
        async with asyncio.timeout(60):
            while True:
                try:
                    standing = await shelf.ask(demand=5, level=50)
                    break
                except QuotasAwayError:
                    await asyncio.sleep(0.02)
        assert (standing.granted, standing.level) == (5, 45)


class TestAway:
    async def test_a_hanging_server_costs_one_timeout_and_later_calls_fail_at_once(
        self, redis_settings: RedisSettings, redis_server: RedisServer
    ) -> None:
        report, now = Report(Bucket("hangs", 10, 1000), Counters(), Counters(), demand=1, level=10), 1000.0
        async with RedisQuotas(replace(redis_settings, timeout_seconds=0.3), seconds=lambda: now) as quotas:
            await redis_server.freeze()
            try:
                started = time.monotonic()
                assert await _asks(quotas, report)
                assert time.monotonic() - started > 0.2
                for _ in range(5):  # pauses double, so later ones are long
                    now += 2
                    assert await _asks(quotas, report)
                for _ in range(1000):
                    assert not await _asks(quotas, report)
                now += 0.9  # the pause is one to two seconds
                assert not await _asks(quotas, report)
            finally:
                await redis_server.thaw()
            async with asyncio.timeout(60):
                while True:
                    now += 2
                    try:
                        assert (await quotas.sync("a", [report]))[0].granted >= 1
                        break
                    except QuotasAwayError:
                        await asyncio.sleep(0.02)

    async def test_an_unreachable_address_raises_quotas_away(self) -> None:
        async with RedisQuotas(RedisSettings("redis://127.0.0.1:1")) as quotas:
            with pytest.raises(QuotasAwayError):
                await quotas.sync("a", [Report(Bucket("b", 1, 1), Counters(), Counters(), level=1)])


async def _asks(quotas: RedisQuotas, report: Report) -> bool:
    """Whether the server is asked. It does not answer."""
    with pytest.raises(QuotasAwayError) as caught:
        await quotas.sync("a", [report])
    return caught.value.__cause__ is not None
