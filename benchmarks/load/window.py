"""One measurement window, shared by all callers of a load generator."""

import asyncio
import time

from benchmarks.load.requests import Order, Outcome
from benchmarks.processes import cpu_seconds

_FEWEST = 5
_LONGEST_SECONDS = 20.0


class Window:
    """Counts answers after the warm-up. `over` tells callers to stop.

    A window with too few answers for a figure is extended.
    """

    def __init__(self, order: Order) -> None:
        self._order = order
        self._open = False
        self.over = False
        self.outcome = Outcome()

    def note(self, seconds: float, *, good: bool, text: str = "") -> None:
        if not good:
            self.outcome.errors += 1
            self.outcome.refusal = self.outcome.refusal or text[:500]
        elif self._open:
            self.outcome.requests += 1
            self.outcome.latencies_us.append(int(seconds * 1e6))

    def note_stream(self, *, merged: int, longest_gap: float) -> None:
        """Note the whole stream; `note` has counted the time to its first event."""
        if self._open:
            self.outcome.merged += merged
            self.outcome.gaps_us.append(int(longest_gap * 1e6))

    def note_frame(self) -> None:
        if self._open:
            self.outcome.frames += 1

    async def run(self) -> None:
        await asyncio.sleep(self._order.warm_up)
        outcome = self.outcome
        began, cpu, own = time.perf_counter(), cpu_seconds(self._order.pids), time.process_time()
        self._open = True
        await asyncio.sleep(self._order.seconds)
        while self.outcome.requests < _FEWEST and time.perf_counter() - began < _LONGEST_SECONDS:  # noqa: ASYNC110
            await asyncio.sleep(0.05)  # rarely needed
        self._open = False
        outcome.seconds = time.perf_counter() - began
        outcome.cpu_seconds = cpu_seconds(self._order.pids) - cpu
        outcome.own_cpu_seconds = time.process_time() - own
        self.over = True
