"""Counts the calls in progress: a gate that goes away finishes them, and one that has enough to do starts no more.

Each account has its share of them, and of the bytes of their requests.
"""

import asyncio
import random
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Final

from mlpgateway.errors.gate import GateIsShutDown, GateOverloaded
from mlpgateway.metrics import SHED
from mlpgateway.shares.share import Fractions, Holder, Share

_LOOK_SECONDS: Final = 0.05
_CALM_SECONDS: Final = 0.25
_LATE_SECONDS: Final = 1.0
_WEIGHT: Final = 0.3


@dataclass(frozen=True, slots=True)
class Capacity:
    """`calls` in progress are the most, and `size` bytes of their requests; one fits however large it is.

    `unhurried` are let in however late the gate is with what it has. Each holder gets its fraction of both.
    """

    calls: int = 10_000
    unhurried: int = 256
    size: int = 128 * 1024 * 1024
    fractions: Fractions = field(default_factory=Fractions)


class Entry:
    """One call that was let in."""

    __slots__ = ("_holder", "_share", "_size")

    def __init__(self, share: Share, holder: Holder) -> None:
        self._share = share
        self._holder = holder
        self._size = 0

    def holds(self, size: int) -> None:
        """So many more bytes of its request are in memory. Raises GateOverloaded, ShareExceeded."""
        if size:
            self._share.take(self._holder, size, mine=self._size)
            self._size += size

    def lets_go(self, size: int) -> None:
        """So many of them are not in memory any more."""
        if size:
            self._share.give_back(self._holder, size)
            self._size -= size

    def leave(self) -> None:
        self.lets_go(self._size)


class Admission:
    """One per gate process, shared by all ways in. Run `run` beside it."""

    def __init__(self, capacity: Capacity | None = None, chance: Callable[[], float] = random.random) -> None:
        self._capacity = capacity = capacity or Capacity()
        self._chance = chance
        self._open = True
        self.calls = Share("calls", capacity.calls, capacity.fractions, full=partial(_shed, "calls"))
        self.bytes = Share("request_bytes", capacity.size, capacity.fractions, full=partial(_shed, "size"))
        self._late = 0.0
        self._busy = asyncio.Event()
        self._idle = asyncio.Event()
        self._idle.set()

    @property
    def running(self) -> int:
        return self.calls.used

    @property
    def held(self) -> int:
        """Bytes of the requests of all calls in progress."""
        return self.bytes.used

    @contextmanager
    def enter(self, holder: Holder, size: int = 0) -> Generator[Entry]:
        """Around one call, whose request is going to have so many bytes as far as one knows: what it has, it `holds`.

        `holder` is the account of its caller: who is not known yet has nothing here.

        Raises GateIsShutDown once the gate is going away, GateOverloaded when it cannot keep up, ShareExceeded when the
        holder has too much here already.
        """
        if not self._open:
            raise GateIsShutDown
        if size:
            self.bytes.check(holder, size)
        if self.running >= self._capacity.unhurried:
            self._busy.set()
            self._check_load(holder)
        self.calls.take(holder)
        self._idle.clear()
        entry = Entry(self.bytes, holder)
        try:
            yield entry
        finally:
            entry.leave()
            self.calls.give_back(holder)
            if not self.running:
                self._idle.set()

    def _check_load(self, holder: Holder) -> None:
        """The later the gate is, the fewer are let in: none when it is a second behind.

        Who has less in progress than the average holder is let in all the same: the gate is late because of others.
        """
        calls = self.calls
        if (calls.of(holder) + 1) * max(1, calls.holders) < calls.used:
            return
        excess = (self._late - _CALM_SECONDS) / (_LATE_SECONDS - _CALM_SECONDS)
        if excess > 0 and self._chance() < excess:
            raise _shed("late")

    async def run(self) -> None:
        """Until cancelled: how late this process is with what it has to do. Sleeps while there is little of it."""
        while True:
            if self.running < self._capacity.unhurried:
                self._late = 0.0
                self._busy.clear()
            await self._busy.wait()
            began = time.monotonic()
            await asyncio.sleep(_LOOK_SECONDS)
            self.look(time.monotonic() - began - _LOOK_SECONDS)

    def look(self, late: float) -> None:
        """Rises slowly, so that one long step of the loop is no overload; falls at once."""
        self._late = late if late < self._late else self._late + _WEIGHT * (late - self._late)

    def close(self) -> None:
        self._open = False

    async def drained(self, seconds: float) -> bool:
        """Wait until no call is in progress. False when the time ran out first."""
        try:
            async with asyncio.timeout(seconds):
                await self._idle.wait()
        except TimeoutError:
            return False
        return True


def _shed(reason: str) -> GateOverloaded:
    SHED.labels(reason).inc()
    return GateOverloaded()
