"""All leased buckets of this gate. Calls draw from them in memory; the store is synchronised in the background."""

import asyncio
import time
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

import structlog

from mlpgateway.metrics import QUOTAS_AWAY
from mlpgateway.policy.limits.leased_bucket import LeasedBucket, Origin, Restore
from mlplace_kit.errors import DomainError
from mlplace_runtime.quotas import Bucket, QuotasAwayError, Report, SharedQuotas
from mlplace_runtime.tasks import heard_within

log = structlog.get_logger(__name__)

_MAINTENANCE_SECONDS: Final = 1.0
_RENEW_ROUNDS: Final = 5
_FORGET_ROUNDS: Final = 10
_DEADLINE_SECONDS: Final = 1.0
_MOST_ROUNDS: Final = 8
# How long an "empty" answer of the store is trusted: refused calls in a burst do not ask once each. Seconds.
_LEAST_PAUSE, _MOST_PAUSE = 0.01, 0.05
_BATCH: Final = 200


@dataclass(frozen=True, slots=True)
class _Waiter:
    """A call that waits for the store. With `draws`, the answer draws the amount for it, before later calls can."""

    leased: LeasedBucket
    amount: int
    answered: "asyncio.Future[Origin | None]"
    draws: bool


@dataclass(frozen=True, slots=True)
class _Rest:
    """Until then, the bucket lacks `amount`."""

    until: float
    amount: int


class BucketLeases:
    """The leased buckets. Run `run` in the background; call `close` when no call is left."""

    def __init__(self, quotas: SharedQuotas, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._quotas = quotas
        self._share = 1.0
        self._clock = clock
        self._holder = uuid.uuid4().hex
        self._bucket_leases: dict[str, LeasedBucket] = {}
        self._dirty: set[str] = set()
        self._leaving: set[str] = set()
        self._waiting: dict[str, list[_Waiter]] = {}
        self._resting: dict[str, _Rest] = {}
        self._restoring: dict[str, asyncio.Task[None]] = {}
        self._task: asyncio.Task[None] | None = None
        self._away = False

    def find(self, name: str) -> LeasedBucket | None:
        return self._bucket_leases.get(name)

    def open(self, bucket: Bucket, begins: float, restore: Restore | None = None) -> LeasedBucket:
        """Returns the lease of the bucket. `begins` and `restore` give the level of a bucket that the store lacks."""
        leased = self._bucket_leases.get(bucket.name)
        if leased is None:
            leased = self._bucket_leases[bucket.name] = LeasedBucket(bucket, begins, self._clock, restore=restore)
            leased.share = self._share
            if self._away:
                leased.fall_back()
        elif leased.bucket != bucket:
            if bucket.capacity < leased.bucket.capacity:
                leased.give_back()  # a lowered limit applies from the next call on
            leased.resize(bucket)
            self._resting.pop(bucket.name, None)
            self._mark(bucket.name)
        else:
            leased.bucket = bucket
        return leased

    def see_gates(self, count: int) -> None:
        """Sets the number of gates, this one included."""
        self._share = 1.0 / max(1, count)
        for leased in self._bucket_leases.values():
            leased.share = self._share

    # ---- Calls

    def draw(self, leased: LeasedBucket, amount: int) -> Origin | None:
        """Draws the amount from this gate's lease at once. None: the lease has too little; call `fetch`."""
        origin = leased.draw(amount)
        if origin is not None and leased.is_low:
            self._mark(leased.bucket.name)
        return origin

    async def fetch(self, leased: LeasedBucket, amount: int) -> Origin | None:
        """Like `draw`, after a request to the store. None: the bucket has too little, or had so a moment ago."""
        name = leased.bucket.name
        self._bucket_leases.setdefault(
            name, leased
        )  # an idle one may have been dropped while the call waited elsewhere
        for _ in range(_MOST_ROUNDS):
            rest = self._resting.get(name)
            if rest is not None and amount >= rest.amount and rest.until > self._clock():
                return None
            origin = await self._ask(leased, amount, draws=True) or self.draw(leased, amount)
            if origin is not None:
                return origin
            if self._away or leased.available() < amount:
                break
        self._rest(leased, amount)
        return None

    async def draw_most(self, leased: LeasedBucket, amount: int) -> tuple[Origin, int] | None:
        """Draws up to the amount, for a call that costs more than was reserved. None: nothing is left."""
        if origin := leased.draw_more(amount):
            return origin, amount
        part = self._ask(leased, 1, draws=False)  # part of the amount is enough
        await asyncio.gather(self._ask(leased, amount, draws=False), part)
        left = min(amount, leased.at_hand)
        origin = leased.draw_more(left) if left > 0 else None
        return None if origin is None else (origin, left)

    async def _ask(self, leased: LeasedBucket, amount: int, *, draws: bool) -> Origin | None:
        """Returns once the store has answered. With `draws`, the amount is then drawn if the lease has enough."""
        answered: asyncio.Future[Origin | None] = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(leased.bucket.name, []).append(_Waiter(leased, amount, answered, draws))
        self._mark(leased.bucket.name)
        try:
            return await heard_within(_DEADLINE_SECONDS, answered)
        except TimeoutError:
            leased.fall_back()
            return None
        except asyncio.CancelledError:
            if answered.done() and not answered.cancelled() and (origin := answered.result()) is not None:
                leased.settle(origin, amount, 0)
            raise

    def _rest(self, leased: LeasedBucket, amount: int) -> None:
        """Pauses requests to the store. Returns the lease's remainder: it may be enough together with other gates'."""
        if leased.left > 0 and not self._away:
            leased.give_back()
            self._mark(leased.bucket.name)
        seconds = leased.seconds_to(amount)
        pause = _MOST_PAUSE if seconds is None else min(_MOST_PAUSE, max(_LEAST_PAUSE, seconds))
        self._resting[leased.bucket.name] = _Rest(self._clock() + pause, amount)

    # ---- In the background

    async def run(self) -> None:
        """Synchronises with the store every second until cancelled."""
        while True:
            await asyncio.sleep(_MAINTENANCE_SECONDS)
            self.maintain()

    def maintain(self) -> None:
        """Returns unused units, reports used ones, and keeps this gate's leases alive in the store."""
        for name, leased in self._bucket_leases.items():
            leased.idle_rounds = 0 if leased.used else leased.idle_rounds + 1
            if not leased.used:
                leased.give_back()
            due = leased.idle_rounds % _RENEW_ROUNDS == _RENEW_ROUNDS - 1
            if due or leased.used or not leased.reported:
                self._mark(name)
            if leased.idle_rounds >= _FORGET_ROUNDS and not leased.held:
                self._leaving.add(name)
                self._mark(name)
            leased.used = False
        self._resting = {name: rest for name, rest in self._resting.items() if rest.until > self._clock()}

    async def close(self) -> None:
        """Returns free units. Calls that still run are not reported: the store drops their units after a while."""
        for name, leased in self._bucket_leases.items():
            leased.give_back()
            leased.used = False
            self._dirty.add(name)
            if not leased.held:
                self._leaving.add(name)
        while self._task is not None:
            await asyncio.gather(self._task, return_exceptions=True)
        await self._sync_dirty()

    def _mark(self, name: str) -> None:
        self._dirty.add(name)
        if self._task is None:
            self._task = asyncio.get_running_loop().create_task(self._work())

    async def _work(self) -> None:
        try:
            await self._sync_dirty()
        finally:
            self._task = None
            self._wake([name for name in self._waiting if name not in self._restoring])

    async def _sync_dirty(self) -> None:
        """Synchronises one batch after the other until nothing is left to report or the store is away."""
        while self._dirty:
            some = [self._dirty.pop() for _ in range(min(_BATCH, len(self._dirty)))]
            names = [name for name in some if name in self._bucket_leases]
            asked = {name: self._waiting.pop(name, []) for name in names}
            try:
                await self._sync(names, asked)
            except QuotasAwayError:
                self._fall_back()
                return
            finally:
                for waiters in asked.values():
                    self._answer(waiters)

    async def _sync(self, names: Sequence[str], asked: dict[str, list[_Waiter]]) -> None:
        leased_buckets = [self._bucket_leases[name] for name in names]
        reports = [
            self._report(leased, [each.amount for each in asked[leased.bucket.name]]) for leased in leased_buckets
        ]
        standings = await self._quotas.sync(self._holder, reports)
        self._away = False
        QUOTAS_AWAY.set(0)
        for leased, report, standing in zip(leased_buckets, reports, standings, strict=True):
            if not standing.known:
                self._waiting.setdefault(leased.bucket.name, []).extend(asked.pop(leased.bucket.name))
                self._restore(leased)
                continue
            leased.apply(standing)
            if report.leaving and not leased.used and leased.reported and not leased.held:
                del self._bucket_leases[leased.bucket.name]
                self._leaving.discard(leased.bucket.name)

    def _restore(self, leased: LeasedBucket) -> None:
        name = leased.bucket.name
        if name in self._restoring:
            return
        work = asyncio.get_running_loop().create_task(self._find_out(leased))
        self._restoring[name] = work
        work.add_done_callback(lambda _: self._restoring.pop(name, None))

    async def _find_out(self, leased: LeasedBucket) -> None:
        """Restores a bucket's level. Waiting calls keep waiting; after a failure they use this gate's share."""
        name = leased.bucket.name
        try:
            if leased.restore is not None:
                leased.restored(await leased.restore())
        except DomainError as error:
            log.info("spending_not_known", bucket=name, reason=error.code)
            leased.fall_back()
            self._wake([name])
        else:
            self._mark(name)

    def _report(self, leased: LeasedBucket, amounts: Sequence[int]) -> Report:
        leaving = leased.bucket.name in self._leaving and not amounts and not leased.used and not leased.held
        if not leaving:
            self._leaving.discard(leased.bucket.name)
        demand = max(0, sum(amounts) - leased.left) if amounts else 0
        least = max(1, min(amounts) - max(0, leased.left)) if amounts else 1
        return leased.report(demand=demand, least=least, leaving=leaving)

    def _fall_back(self) -> None:
        """Uses local shares until the store answers again; each maintenance round tries it."""
        self._away = True
        QUOTAS_AWAY.set(1)
        for leased in self._bucket_leases.values():
            leased.fall_back()
        self._wake(list(self._waiting))

    def _wake(self, names: Sequence[str]) -> None:
        for name in names:
            self._answer(self._waiting.pop(name, []))

    def _answer(self, waiters: Sequence[_Waiter]) -> None:
        """Answers the calls in the order in which they came."""
        for waiter in waiters:
            if not waiter.answered.done():
                waiter.answered.set_result(self.draw(waiter.leased, waiter.amount) if waiter.draws else None)
