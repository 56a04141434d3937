"""Gates on a real Redis: one limit for all of them, also when Redis is killed, hangs or loses its data."""

import asyncio
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


async def flood(gates, moment, bucket: Bucket, seconds: int) -> int:
    """Makes ten times the calls that may pass, over that time of the clock. Returns how many passed."""
    before = sum(gate.passed for gate in gates)
    for _ in range(seconds):
        for _ in range(100):
            await asyncio.gather(*(gate.call(bucket) for gate in gates for _ in range(10 // len(gates))))
            moment.now += 0.01
        await maintain(gates)
    return sum(gate.passed for gate in gates) - before


async def maintain(gates) -> None:
    """Lets each gate report, and waits until it has."""
    for gate in gates:
        gate.bucket_leases.maintain()
    await eventually(lambda: at_rest(gates))


async def at_rest(gates) -> bool:
    return all(gate.bucket_leases._task is None for gate in gates)


class TestTogether:
    async def test_two_gates_admit_one_limit(self, open_gates, moment) -> None:
        async with open_gates(2) as gates:
            await flood(gates, moment, SECOND, 2)
            assert 900 <= await flood(gates, moment, SECOND, 10) <= 1100

    async def test_five_hundred_calls_at_once_over_four_gates_spend_exactly_the_limit(self, open_gates, moment) -> None:
        async with open_gates(4) as gates:
            await asyncio.gather(*(gate.call(DAY, 4) for gate in gates for _ in range(125)))
            assert 800 - 800 // 8 <= sum(gate.passed for gate in gates) <= 800

            async def rest() -> int:
                moment.now += 0.1
                for gate in gates:
                    await gate.call(DAY, 4)
                return sum(gate.passed for gate in gates)

            assert await eventually(rest, until=lambda passed: passed >= 800) == 800


class TestWithoutRedis:
    async def test_hanging_redis_slows_no_call_and_admits_no_more(
        self, open_gates, moment, redis_server: RedisServer
    ) -> None:
        async with open_gates(2, timeout_seconds=0.3) as gates:
            await flood(gates, moment, SECOND, 2)
            await redis_server.freeze()
            try:
                most, passed = 0, sum(gate.passed for gate in gates)
                for _ in range(600):
                    for gate in gates:
                        failed = gate.attempts.failed
                        await gate.call(SECOND)
                        await gate.call(SECOND)
                        most = max(most, gate.attempts.failed - failed)
                    moment.now += 0.01
                passed = sum(gate.passed for gate in gates) - passed
            finally:
                await redis_server.thaw()
            assert 360 <= passed <= 690, "each its half"
            assert most <= 2, "one time-out, and at most one more that was under way"
            await redis_server.ready()
            await until_shared(gates, moment)
            await flood(gates, moment, SECOND, 2)
            assert 850 <= await flood(gates, moment, SECOND, 10) <= 1150

    async def test_killed_redis_that_lost_its_data_grants_nothing_twice(
        self, open_gates, moment, redis_server: RedisServer
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

            async def total() -> int:
                await asyncio.gather(*(gate.call(DAY) for gate in gates for _ in range(50)))
                moment.now += 0.1
                return sum(gate.passed for gate in gates)

            await eventually(total, until=lambda passed: passed >= 750)
            for _ in range(8):
                await maintain(gates)
                await total()
            assert 750 <= sum(gate.passed for gate in gates) <= 800 + 800 // 8


class TestSlowRedis:
    async def test_gate_with_a_late_redis_adds_only_its_part_and_nothing_is_lost_or_granted_twice(
        self, open_gates, moment, redis_server: RedisServer
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
            await until_refused(slow, moment)
            assert proxy.slowed, "it has asked, and Redis has answered"
            assert slow.passed <= 100 + 100 + 300, "its lease, and its half of what was left"
            await until_refused(other, moment)
            proxy.speed_up()

            async def all_passed() -> int:
                moment.now += 0.05
                await asyncio.gather(*(gate.call(DAY) for gate in gates for _ in range(20)))
                return sum(gate.passed for gate in gates)

            await eventually(all_passed, until=lambda passed: passed >= 800, seconds=60)
            for _ in range(50):
                await all_passed()
                await maintain(gates)
            assert sum(gate.passed for gate in gates) <= 800 + 400


async def until_refused(gate, moment) -> None:
    """Calls until what this gate leased and what others give back is used up."""
    refused = 0
    while refused < 40:
        refused = 0 if await gate.call(DAY) else refused + 1
        if refused:
            moment.now += 0.05
            await asyncio.sleep(0.05)  # the other gate reports each second


async def until_shared(gates, moment) -> None:
    """Waits until all gates lease again."""

    async def shared() -> bool:
        moment.now += 0.1
        await asyncio.gather(*(gate.call(SECOND) for gate in gates for _ in range(50)))
        return all(gate.bucket_leases.find(SECOND.name).granted for gate in gates) and not any(
            gate.bucket_leases._away for gate in gates
        )

    await eventually(shared)
