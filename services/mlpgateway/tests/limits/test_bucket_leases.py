"""Calls that wait for the store are refused only when the bucket lacks what they ask for."""

import asyncio

import pytest

from mlpgateway.policy.limits.bucket_leases import BucketLeases
from mlpgateway.policy.limits.leased_bucket import LeasedBucket
from mlplace_runtime.quotas import Bucket, MemoryQuotas

BUCKET = Bucket("bucket", 100_000, None)


@pytest.fixture
def leases() -> BucketLeases:
    return BucketLeases(MemoryQuotas())


def opened(leases: BucketLeases, bucket: Bucket = BUCKET) -> LeasedBucket:
    return leases.open(bucket, float(bucket.capacity))


async def overtake(leased: LeasedBucket) -> None:
    """Uses all that the gate has leased, in every turn of the event loop."""
    while True:
        if (most := leased.left) > 0:
            origin = leased.draw_more(most)
            assert origin is not None
            leased.settle(origin, most, most)
        await asyncio.sleep(0)


class TestFetch:
    async def test_waiting_call_gets_its_units_before_calls_that_come_later(self, leases: BucketLeases) -> None:
        leased = opened(leases)
        others = asyncio.create_task(overtake(leased))
        assert [await leases.fetch(leased, 10) for _ in range(3)] == ["lease"] * 3
        others.cancel()

    async def test_refused_large_amount_does_not_refuse_a_small_one(self, leases: BucketLeases) -> None:
        leased = opened(leases, Bucket("small", 100, None))
        assert await leases.fetch(leased, 90)
        leased.settle("lease", 90, 90)
        assert await leases.fetch(leased, 50) is None
        assert await leases.fetch(leased, 60) is None
        assert await leases.fetch(leased, 5) == "lease"

    async def test_call_cancelled_after_its_draw_gives_the_units_back(self, leases: BucketLeases) -> None:
        leased = opened(leases)
        waiting = asyncio.create_task(leases.fetch(leased, 10))
        for _ in range(10):
            if not leased.held:
                await asyncio.sleep(0)
        assert not waiting.done(), "it has its units and does not know it yet"
        waiting.cancel()
        await asyncio.wait([waiting])
        assert waiting.cancelled()
        assert leased.held == 0

    async def test_bucket_dropped_during_a_wait_is_leased_again(self, leases: BucketLeases) -> None:
        leased = opened(leases)
        assert await leases.fetch(leased, 1) == "lease"
        leased.settle("lease", 1, 1)
        for _ in range(30):
            leases.maintain()
            await asyncio.sleep(0)
            await asyncio.sleep(0)
            if leases.find("bucket") is None:
                break
        assert leases.find("bucket") is None
        assert await leases.fetch(leased, 1) == "lease"
        assert leases.find("bucket") is leased
