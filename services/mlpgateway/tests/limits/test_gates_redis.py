"""Gates on a real Redis: one limit for all of them, also when Redis is killed, hangs or loses its data."""

import asyncio
import time
from dataclasses import dataclass
from urllib.parse import urlsplit

import pytest

from mlplace_runtime.quotas import Bucket
from mlplace_testing.ports import free_port
from mlplace_testing.servers.redis import RedisServer
from mlplace_testing.slow_proxy import slow_proxy
from mlplace_testing.waiting import eventually

pytestmark = pytest.mark.docker
DAY = Bucket("day", 800, 86_400_000)
SECOND = Bucket("second", 100, 1000)
LONGEST_TURN_SECONDS = 0.5


@dataclass(frozen=True)
class Flood:
    """`rate`: calls passed per second. `calm`: neither this process nor Redis was late meanwhile."""

    rate: float
    calm: bool


async def turn(gates, bucket: Bucket) -> bool:
    """Makes far more calls than may pass. Returns whether no gate has anything left."""
    await asyncio.sleep(0.005)
    refused = [gate.refused for gate in gates]
    await asyncio.gather(*(gate.call(bucket) for gate in gates for _ in range(50)))
    return all(gate.refused > before for gate, before in zip(gates, refused, strict=True))


async def drain(gates, bucket: Bucket) -> None:
    await eventually(lambda: turn(gates, bucket), seconds=30)


async def flood(gates, bucket: Bucket, seconds: float) -> Flood:
    """Floods the gates for that long, between two moments at which nothing is left. On a slow machine, too, what was
    not used in the first turns is then not counted in addition, and what was not used in the last is not missing.
    """
    await drain(gates, bucket)
    before, started = sum(gate.passed for gate in gates), time.monotonic()
    calm, last, drained = True, started, True
    while (elapsed := last - started) < seconds or not drained:
        drained = await turn(gates, bucket)
        now = time.monotonic()
        calm = calm and now - last < LONGEST_TURN_SECONDS and not any(gate.bucket_leases._away for gate in gates)
        last = now
    return Flood((sum(gate.passed for gate in gates) - before) / elapsed, calm)


async def calm_rate(gates) -> float:
    """Returns the rate of the first four calm seconds: a bucket that is full meanwhile loses what it should gain."""
    found, tries = await flood(gates, SECOND, 4), 1
    while not found.calm and tries < 5:
        found, tries = await flood(gates, SECOND, 4), tries + 1
    return found.rate


class TestTogether:
    async def test_two_gates_admit_one_limit(self, open_gates) -> None:
        async with open_gates(2) as gates:
            assert 90 <= await calm_rate(gates) <= 110

    async def test_five_hundred_calls_at_once_over_four_gates_spend_exactly_the_limit(self, open_gates) -> None:
        async with open_gates(4) as gates:
            await asyncio.gather(*(gate.call(DAY, 4) for gate in gates for _ in range(125)))
            assert 800 - 800 // 8 <= sum(gate.passed for gate in gates) <= 800

            async def rest() -> int:
                for gate in gates:
                    await gate.call(DAY, 4)
                return sum(gate.passed for gate in gates)

            assert await eventually(rest, until=lambda passed: passed >= 800, seconds=30) == 800


class TestWithoutRedis:
    async def test_hanging_redis_slows_no_call_and_admits_no_more(self, open_gates, redis_server: RedisServer) -> None:
        async with open_gates(2, timeout_seconds=0.3) as gates:
            await drain(gates, SECOND)
            await redis_server.freeze()
            try:
                slowest, passed, started = 0.0, sum(gate.passed for gate in gates), time.monotonic()
                while time.monotonic() - started < 6:
                    for gate in gates:
                        began = time.monotonic()
                        await gate.call(SECOND)
                        slowest = max(slowest, time.monotonic() - began)
                    await asyncio.sleep(0.002)
                rate = (sum(gate.passed for gate in gates) - passed) / (time.monotonic() - started)
            finally:
                await redis_server.thaw()
            assert 60 <= rate <= 115, "each its half"
            assert slowest < 1.5, "the one time-out, on a busy machine"
            await redis_server.ready()
            await until_shared(gates)
            assert 85 <= await calm_rate(gates) <= 115

    async def test_killed_redis_that_lost_its_data_grants_nothing_twice(
        self, open_gates, redis_server: RedisServer
    ) -> None:
        async with open_gates(2, timeout_seconds=1.0) as gates:
            for _ in range(300):
                for gate in gates:  # in turn, so that each learns what the other took
                    assert await gate.call(DAY)
            await redis_server.kill()
            try:
                while await gates[0].call(DAY):
                    pass
                assert gates[0].passed <= 300 + 100 + 100, "its lease and its half of the rest"
            finally:
                await redis_server.start()
                await redis_server.ready()

            async def rest() -> int:
                before = sum(gate.passed for gate in gates)
                await asyncio.gather(*(gate.call(DAY) for gate in gates for _ in range(50)))
                return sum(gate.passed for gate in gates) - before

            started = time.monotonic()
            while time.monotonic() - started < 8:
                await rest()
                await asyncio.sleep(0.1)
            assert 750 <= sum(gate.passed for gate in gates) <= 800 + 800 // 8


class TestSlowRedis:
    async def test_gate_with_a_late_redis_adds_only_its_part_and_nothing_is_lost_or_granted_twice(
        self, open_gates, redis_server: RedisServer
    ) -> None:
        """Late answers are the worst case: Redis has granted a lease, and the gate does not know how much."""
        server = urlsplit(redis_server.url)
        near, far = ("127.0.0.1", free_port()), (server.hostname or "", server.port or 6379)
        url = server._replace(netloc=f"{near[0]}:{near[1]}").geturl()
        async with slow_proxy(near, far) as proxy, open_gates(2, timeout_seconds=1.0, far=url) as gates:
            for _ in range(100):
                for gate in gates:  # in turn, so that each learns what the other took
                    assert await gate.call(DAY)
            proxy.slow_down(30)
            slow, other = gates
            await until_refused(slow)
            assert proxy.slowed, "it has asked, and Redis has answered"
            assert slow.passed <= 100 + 100 + 300, "its lease, and its half of what was left"
            await until_refused(other)
            proxy.speed_up()

            async def all_passed() -> int:
                await asyncio.gather(*(gate.call(DAY) for gate in gates for _ in range(20)))
                return sum(gate.passed for gate in gates)

            await eventually(all_passed, until=lambda passed: passed >= 800, seconds=60)
            for _ in range(50):
                await all_passed()
                await asyncio.sleep(0.05)
            assert sum(gate.passed for gate in gates) <= 800 + 400


async def until_refused(gate) -> None:
    """Calls until what this gate leased and what others give back is used up."""
    refused = 0
    while refused < 40:
        refused = 0 if await gate.call(DAY) else refused + 1
        await asyncio.sleep(0.05 if refused else 0)


async def until_shared(gates) -> None:
    """Waits until all gates lease again."""

    async def shared() -> bool:
        await turn(gates, SECOND)
        return all(gate.bucket_leases.find(SECOND.name).granted for gate in gates) and not any(
            gate.bucket_leases._away for gate in gates
        )

    await eventually(shared, seconds=40)
