"""Counts the calls in progress: a gate that goes away finishes them, and one that has enough to do starts no more."""

import asyncio
import random
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

from mlpgateway.gate.errors import GateIsShutDown, GateOverloaded
from mlpgateway.metrics import SHED

_LOOK_SECONDS: Final = 0.05
_CALM_SECONDS: Final = 0.25
_LATE_SECONDS: Final = 1.0
_WEIGHT: Final = 0.3


@dataclass(frozen=True, slots=True)
class Capacity:
    """`calls` in progress are the most, and `size` bytes of their requests; one fits however large it is.

    `unhurried` are let in however late the gate is with what it has.
    """

    calls: int = 10_000
    unhurried: int = 256
    size: int = 128 * 1024 * 1024


class Entry:
    """One call that was let in."""

    __slots__ = ("_admission", "_size")

    def __init__(self, admission: "Admission") -> None:
        self._admission = admission
        self._size = 0

    def holds(self, size: int) -> None:
        """So many more bytes of its request are in memory. Raises GateOverloaded."""
        self._admission.check_room(size, but=self._size)
        self._admission.held += size
        self._size += size

    def lets_go(self, size: int) -> None:
        """So many of them are not in memory any more."""
        self._admission.held -= size
        self._size -= size

    def leave(self) -> None:
        self._admission.held -= self._size


class Admission:
    """One per gate process, shared by all ways in. Run `run` beside it."""

    def __init__(self, capacity: Capacity | None = None, chance: Callable[[], float] = random.random) -> None:
        self._capacity = capacity or Capacity()
        self._chance = chance
        self._open = True
        self._running = 0
        self.held = 0
        """Bytes of the requests of all calls in progress."""
        self._late = 0.0
        self._busy = asyncio.Event()
        self._idle = asyncio.Event()
        self._idle.set()

    @property
    def running(self) -> int:
        return self._running

    @contextmanager
    def enter(self, size: int = 0) -> Generator[Entry]:
        """Around one call, whose request is going to have so many bytes as far as one knows: what it has, it `holds`.

        Raises GateIsShutDown once the gate is going away, GateOverloaded when it cannot keep up.
        """
        if not self._open:
            raise GateIsShutDown
        self.check_room(size)
        if self._running >= self._capacity.unhurried:
            self._busy.set()
            self._check_load()
        self._running += 1
        self._idle.clear()
        entry = Entry(self)
        try:
            yield entry
        finally:
            entry.leave()
            self._running -= 1
            if not self._running:
                self._idle.set()

    def check_room(self, size: int, *, but: int = 0) -> None:
        """For so many bytes more of a request that has `but` already. Raises GateOverloaded."""
        others = self.held - but
        if size and others and self.held + size > self._capacity.size:
            SHED.labels("size").inc()
            raise GateOverloaded

    def _check_load(self) -> None:
        """The later the gate is, the fewer are let in: none when it is a second behind."""
        if self._running >= self._capacity.calls:
            SHED.labels("calls").inc()
            raise GateOverloaded
        excess = (self._late - _CALM_SECONDS) / (_LATE_SECONDS - _CALM_SECONDS)
        if excess > 0 and self._chance() < excess:
            SHED.labels("late").inc()
            raise GateOverloaded

    async def run(self) -> None:
        """Until cancelled: how late this process is with what it has to do. Sleeps while there is little of it."""
        while True:
            if self._running < self._capacity.unhurried:
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
