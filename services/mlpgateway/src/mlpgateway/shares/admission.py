"""Counts the calls in progress. A gate that shuts down waits for them, and an overloaded one refuses new ones.

Each account has a share of the calls, and of the bytes of their requests.
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
    """`calls` bounds the calls in progress, and `size` the bytes of their requests; a single one always fits.

    `unhurried` calls are admitted however late the gate is. Each holder gets its fraction of calls and bytes.
    """

    calls: int = 10_000
    unhurried: int = 256
    size: int = 128 * 1024 * 1024
    fractions: Fractions = field(default_factory=Fractions)


class Entry:
    """One admitted call."""

    __slots__ = ("_share", "_size", "holder")

    def __init__(self, share: Share, holder: Holder) -> None:
        self._share = share
        self.holder = holder
        self._size = 0

    def holds(self, size: int) -> None:
        """Counts more bytes of its request in memory. Raises GateOverloaded, ShareExceeded."""
        if size:
            self._share.take(self.holder, size, mine=self._size)
            self._size += size

    def has_room(self, size: int) -> bool:
        """Returns whether `holds` would succeed."""
        return not size or self._share.fits(self.holder, size, mine=self._size)

    def lets_go(self, size: int) -> None:
        """Counts fewer bytes in memory."""
        if size:
            self._share.give_back(self.holder, size)
            self._size -= size

    def leave(self) -> None:
        self.lets_go(self._size)


class Admission:
    """One object per gate process, shared by all entry points. Run `run` as a task."""

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
        """Admits one call for the duration of the block. `size` is the announced size of its request in bytes; bytes
        in memory are counted by `Entry.holds`.

        `holder` is the account of the caller, or the address of a caller that is not known yet.

        Raises GateIsShutDown when the gate shuts down, GateOverloaded when it cannot keep up, ShareExceeded when the
        holder uses too much already.
        """
        if not self._open:
            raise GateIsShutDown
        if size:
            self.bytes.check(holder, size)
        if self.running >= self._capacity.unhurried:
            self._busy.set()
            self._check_load(holder)
        entry = self._begin(holder)
        try:
            yield entry
        finally:
            self.end(entry)

    def enter_at_once(self, holder: Holder, size: int) -> Entry | None:
        """Admits one call with its whole request of `size` bytes, until `end`. None: `enter` may refuse it."""
        if not self._open or self.running >= self._capacity.unhurried:
            return None
        if not (self.bytes.fits(holder, size, mine=0) and self.calls.fits(holder)):
            return None
        entry = self._begin(holder)
        entry.holds(size)
        return entry

    def _begin(self, holder: Holder) -> Entry:
        self.calls.take(holder)
        self._idle.clear()
        return Entry(self.bytes, holder)

    def end(self, entry: Entry) -> None:
        entry.leave()
        self.calls.give_back(entry.holder)
        if not self.running:
            self._idle.set()

    def _check_load(self, holder: Holder) -> None:
        """Refuses more calls the later the gate is: all of them at a second.

        A holder with fewer calls than the average is always admitted: others cause the lateness.
        """
        calls = self.calls
        if (calls.of(holder) + 1) * max(1, calls.holders) < calls.used:
            return
        excess = (self._late - _CALM_SECONDS) / (_LATE_SECONDS - _CALM_SECONDS)
        if excess > 0 and self._chance() < excess:
            raise _shed("late")

    async def run(self) -> None:
        """Measures until cancelled how late the event loop is. Sleeps while few calls are in progress."""
        while True:
            if self.running < self._capacity.unhurried:
                self._late = 0.0
                self._busy.clear()
            await self._busy.wait()
            began = time.monotonic()
            await asyncio.sleep(_LOOK_SECONDS)
            self.look(time.monotonic() - began - _LOOK_SECONDS)

    def look(self, late: float) -> None:
        """Records a delay. It rises slowly, so that one long step is no overload, and falls at once."""
        self._late = late if late < self._late else self._late + _WEIGHT * (late - self._late)

    def close(self) -> None:
        self._open = False

    async def drained(self, seconds: float) -> bool:
        """Waits until no call is in progress. Returns False on timeout."""
        try:
            async with asyncio.timeout(seconds):
                await self._idle.wait()
        except TimeoutError:
            return False
        return True


def _shed(reason: str) -> GateOverloaded:
    SHED.labels(reason).inc()
    return GateOverloaded()
