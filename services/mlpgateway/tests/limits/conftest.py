"""Gates alone on one shared store: in memory with the test's clock, or in a real Redis."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field, replace

import pytest

from mlpgateway.policy.limits.bucket_leases import BucketLeases
from mlplace_runtime.quotas import Bucket, BucketAnswer, MemoryQuotas, QuotasAwayError, Report, SharedQuotas
from mlplace_runtime.quotas.redis import RedisQuotas, RedisSettings
from mlplace_runtime.tasks import Loop, running


@dataclass
class Gate:
    bucket_leases: BucketLeases
    passed: int = 0
    refused: int = 0
    attempts: "Attempts | None" = None

    async def call(self, bucket: Bucket, amount: int = 1) -> bool:
        """Makes one call that ends at once."""
        leased = self.bucket_leases.find(bucket.name)
        if leased is None or leased.bucket is not bucket:
            leased = self.bucket_leases.open(bucket, bucket.capacity)
        origin = self.bucket_leases.draw(leased, amount) or await self.bucket_leases.fetch(leased, amount)
        if origin is None:
            self.refused += 1
            return False
        leased.settle(origin, amount, amount)
        self.passed += amount
        return True


@dataclass
class Moment:
    """A clock for gates and Redis that only a test moves."""

    now: float = 1_700_000_000.0

    def seconds(self) -> float:
        return self.now

    def milliseconds(self) -> int:
        return round(self.now * 1000)


class Attempts:
    """A store that counts how often it was really asked and did not answer."""

    def __init__(self, quotas: SharedQuotas) -> None:
        self._quotas = quotas
        self.failed = 0

    async def sync(self, holder: str, reports: Sequence[Report]) -> Sequence[BucketAnswer]:
        try:
            return await self._quotas.sync(holder, reports)
        except QuotasAwayError as error:
            self.failed += error.__cause__ is not None
            raise


class Switch:
    """A store that a test can take away and give back."""

    def __init__(self, quotas: SharedQuotas) -> None:
        self._quotas = quotas
        self.away = False
        self.asked = 0

    async def sync(self, holder: str, reports: Sequence[Report]) -> Sequence[BucketAnswer]:
        self.asked += 1
        if self.away:
            raise QuotasAwayError
        return await self._quotas.sync(holder, reports)


@dataclass
class Installation:
    """Gates with maintenance rounds and time controlled by the test."""

    count: int = 2
    now: float = 1_000_000.0
    gates: list[Gate] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.store = MemoryQuotas(lambda: int(self.now * 1000))
        self.switch = Switch(self.store)
        for _ in range(self.count):
            self.add()

    def add(self) -> Gate:
        bucket_leases = BucketLeases(self.switch, clock=lambda: self.now)  # type: ignore[arg-type]  # what leased buckets use of a store
        gate = Gate(bucket_leases)
        self.gates.append(gate)
        for each in self.gates:
            each.bucket_leases.see_gates(len(self.gates))
        return gate

    @property
    def passed(self) -> int:
        return sum(gate.passed for gate in self.gates)

    async def settle(self) -> None:
        """Waits until the gates have reported everything."""
        for _ in range(20):
            await asyncio.sleep(0)

    async def pass_time(self, seconds: float, *, maintain: bool = True) -> None:
        self.now += seconds
        if maintain:
            for gate in self.gates:
                gate.bucket_leases.maintain()
        await self.settle()


@pytest.fixture
def installation() -> Installation:
    return Installation()


@pytest.fixture
def make_installation() -> Callable[[int], Installation]:
    return Installation


@pytest.fixture
def moment() -> Moment:
    return Moment()


@pytest.fixture
def open_gates(redis_settings: RedisSettings, moment: Moment):
    """Returns a context manager: running gates with their own connections to one Redis, the first one through `far`.

    For them and for Redis it is always `moment`.
    """

    @asynccontextmanager
    async def opened(
        count: int = 2, *, timeout_seconds: float = 5.0, far: str | None = None
    ) -> AsyncGenerator[list[Gate]]:
        async with AsyncExitStack() as stack:
            gates: list[Gate] = []
            for place in range(count):
                url = redis_settings.url if place or far is None else far
                settings = replace(redis_settings, url=url, timeout_seconds=timeout_seconds)
                quotas = await stack.enter_async_context(RedisQuotas(settings, now_ms=moment.milliseconds))
                attempts = Attempts(quotas)
                bucket_leases = BucketLeases(attempts, clock=moment.seconds)  # type: ignore[arg-type]  # what leased buckets use of a store
                bucket_leases.see_gates(count)
                await stack.enter_async_context(running("test", [Loop("limits", bucket_leases.run)]))
                gates.append(Gate(bucket_leases, attempts=attempts))
            yield gates

    return opened
