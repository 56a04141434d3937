"""All pockets of this gate: calls draw on them in memory, the store hears of it beside the calls."""

import asyncio
import time
import uuid
from collections.abc import Callable, Sequence
from typing import Final

import structlog

from mlpgateway.metrics import QUOTAS_AWAY
from mlpgateway.policy.limits.leased_bucket import Origin, Pocket, Restore
from mlplace_kit.errors import DomainError
from mlplace_runtime.quotas import Bucket, QuotasAwayError, Report, SharedQuotas
from mlplace_runtime.tasks import heard_within

log = structlog.get_logger(__name__)

_SWEEP_SECONDS: Final = 1.0
_RENEW_ROUNDS: Final = 5
_FORGET_ROUNDS: Final = 10
_PATIENCE_SECONDS: Final = 1.0
_MOST_ROUNDS: Final = 8
# How long the answer "there is none" is believed: a burst of refused calls does not ask once each.
_LEAST_PAUSE, _MOST_PAUSE = 0.01, 0.05
_BATCH: Final = 200


class Pockets:
    """Run `run` beside it, and `close` when no call is left."""

    def __init__(self, quotas: SharedQuotas, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._quotas = quotas
        self._share = 1.0
        self._clock = clock
        self._holder = uuid.uuid4().hex
        self._pockets: dict[str, Pocket] = {}
        self._dirty: set[str] = set()
        self._leaving: set[str] = set()
        self._waiting: dict[str, list[tuple[int, asyncio.Future[None]]]] = {}
        self._none_until: dict[str, float] = {}
        self._restoring: dict[str, asyncio.Task[None]] = {}
        self._task: asyncio.Task[None] | None = None
        self._away = False

    def find(self, name: str) -> Pocket | None:
        return self._pockets.get(name)

    def open(self, bucket: Bucket, begins: float, restore: Restore | None = None) -> Pocket:
        """The pocket of the bucket, with its present capacity. The last two are for a bucket that the store misses."""
        pocket = self._pockets.get(bucket.name)
        if pocket is None:
            pocket = self._pockets[bucket.name] = Pocket(bucket, begins, self._clock, restore=restore)
            pocket.share = self._share
            if self._away:
                pocket.fall_back()
        elif pocket.bucket != bucket:
            if bucket.capacity < pocket.bucket.capacity:
                pocket.give_back()  # a lowered limit holds from the next call on
            pocket.resize(bucket)
            self._none_until.pop(bucket.name, None)
            self._mark(bucket.name)
        else:
            pocket.bucket = bucket
        return pocket

    def see_gates(self, count: int) -> None:
        """How many gates there are, this one included."""
        self._share = 1.0 / max(1, count)
        for pocket in self._pockets.values():
            pocket.share = self._share

    # ---- Calls

    def draw(self, pocket: Pocket, amount: int) -> Origin | None:
        """At once, from what this gate has. None: ask `fetch`."""
        origin = pocket.draw(amount)
        if origin is not None and pocket.is_low:
            self._mark(pocket.bucket.name)
        return origin

    async def fetch(self, pocket: Pocket, amount: int) -> Origin | None:
        """As `draw`, after the store was asked for more. None: there is no more, or it was asked a moment ago."""
        name = pocket.bucket.name
        for _ in range(_MOST_ROUNDS):
            if self._none_until.get(name, 0.0) > self._clock():
                return None
            await self._ask(pocket, amount)
            if origin := self.draw(pocket, amount):
                return origin
            if self._away or pocket.available() < amount:
                break
        self._rest(pocket, amount)
        return None

    async def draw_most(self, pocket: Pocket, amount: int) -> tuple[Origin, int] | None:
        """For a call that costs more than was held: the amount, or as much of it as there is. None: nothing."""
        if origin := pocket.draw_more(amount):
            return origin, amount
        await asyncio.gather(self._ask(pocket, amount), self._ask(pocket, 1))  # less than the amount will do
        part = min(amount, pocket.at_hand)
        origin = pocket.draw_more(part) if part > 0 else None
        return None if origin is None else (origin, part)

    async def _ask(self, pocket: Pocket, amount: int) -> None:
        answered = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(pocket.bucket.name, []).append((amount, answered))
        self._mark(pocket.bucket.name)
        try:
            await heard_within(_PATIENCE_SECONDS, answered)
        except TimeoutError:
            pocket.fall_back()

    def _rest(self, pocket: Pocket, amount: int) -> None:
        """For a moment nobody asks again. What is too little here may, with what others have, be enough for them."""
        if pocket.left > 0 and not self._away:
            pocket.give_back()
            self._mark(pocket.bucket.name)
        seconds = pocket.seconds_to(amount)
        pause = _MOST_PAUSE if seconds is None else min(_MOST_PAUSE, max(_LEAST_PAUSE, seconds))
        self._none_until[pocket.bucket.name] = self._clock() + pause

    # ---- Beside the calls

    async def run(self) -> None:
        """Until cancelled."""
        while True:
            await asyncio.sleep(_SWEEP_SECONDS)
            self.sweep()

    def sweep(self) -> None:
        """Gives back what nobody uses, says what was used, and stays known to the store."""
        for name, pocket in self._pockets.items():
            pocket.idle_rounds = 0 if pocket.used else pocket.idle_rounds + 1
            if not pocket.used:
                pocket.give_back()
            due = pocket.idle_rounds % _RENEW_ROUNDS == _RENEW_ROUNDS - 1
            if due or pocket.used or not pocket.reported:
                self._mark(name)
            if pocket.idle_rounds >= _FORGET_ROUNDS and not pocket.held:
                self._leaving.add(name)
                self._mark(name)
            pocket.used = False
        self._none_until = {name: until for name, until in self._none_until.items() if until > self._clock()}

    async def close(self) -> None:
        """What is free goes back. Calls that still run are reported by nobody: the store gives them up in a while."""
        for name, pocket in self._pockets.items():
            pocket.give_back()
            pocket.used = False
            self._dirty.add(name)
            if not pocket.held:
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
        """One batch after the other, until nothing is left to say or the store is away."""
        while self._dirty:
            some = [self._dirty.pop() for _ in range(min(_BATCH, len(self._dirty)))]
            names = [name for name in some if name in self._pockets]
            asked = {name: self._waiting.pop(name, []) for name in names}
            try:
                await self._sync(names, asked)
            except QuotasAwayError:
                self._fall_back()
                return
            finally:
                for waiters in asked.values():
                    _answer(waiters)

    async def _sync(self, names: Sequence[str], asked: dict[str, list[tuple[int, asyncio.Future[None]]]]) -> None:
        pockets = [self._pockets[name] for name in names]
        reports = [self._report(pocket, [amount for amount, _ in asked[pocket.bucket.name]]) for pocket in pockets]
        standings = await self._quotas.sync(self._holder, reports)
        self._away = False
        QUOTAS_AWAY.set(0)
        for pocket, report, standing in zip(pockets, reports, standings, strict=True):
            if not standing.known:
                self._waiting.setdefault(pocket.bucket.name, []).extend(asked.pop(pocket.bucket.name))
                self._restore(pocket)
                continue
            pocket.apply(standing)
            if report.leaving and not pocket.used and pocket.reported and not pocket.held:
                del self._pockets[pocket.bucket.name]
                self._leaving.discard(pocket.bucket.name)

    def _restore(self, pocket: Pocket) -> None:
        name = pocket.bucket.name
        if name in self._restoring:
            return
        work = asyncio.get_running_loop().create_task(self._find_out(pocket))
        self._restoring[name] = work
        work.add_done_callback(lambda _: self._restoring.pop(name, None))

    async def _find_out(self, pocket: Pocket) -> None:
        """Those who wait go on waiting; when nothing can be found out, they have this gate's share."""
        name = pocket.bucket.name
        try:
            if pocket.restore is not None:
                pocket.restored(await pocket.restore())
        except DomainError as error:
            log.info("spending_not_known", bucket=name, reason=error.code)
            pocket.fall_back()
            self._wake([name])
        else:
            self._mark(name)

    def _report(self, pocket: Pocket, amounts: Sequence[int]) -> Report:
        leaving = pocket.bucket.name in self._leaving and not amounts and not pocket.used and not pocket.held
        if not leaving:
            self._leaving.discard(pocket.bucket.name)
        demand = max(0, sum(amounts) - pocket.left) if amounts else 0
        least = max(1, min(amounts) - max(0, pocket.left)) if amounts else 1
        return pocket.report(demand=demand, least=least, leaving=leaving)

    def _fall_back(self) -> None:
        """Until the store answers again, which the next sweep tries."""
        self._away = True
        QUOTAS_AWAY.set(1)
        for pocket in self._pockets.values():
            pocket.fall_back()
        self._wake(list(self._waiting))

    def _wake(self, names: Sequence[str]) -> None:
        for name in names:
            _answer(self._waiting.pop(name, []))


def _answer(waiters: Sequence[tuple[int, asyncio.Future[None]]]) -> None:
    for _, future in waiters:
        if not future.done():
            future.set_result(None)
