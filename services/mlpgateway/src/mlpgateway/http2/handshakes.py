"""TLS handshakes in progress. Each costs time and memory, so their number is limited, also per address."""

import asyncio
from collections.abc import Callable, Coroutine
from functools import partial

from mlpgateway.http2.limits import Http2Limits
from mlpgateway.http2.metrics import CONNECTIONS_CLOSED
from mlplace_kit.networks import subscriber_of


class Handshakes:
    """A new handshake above a limit replaces the oldest one of its address, or of the address that has most."""

    def __init__(self, limits: Http2Limits, believes: Callable[[str], bool]) -> None:
        """`believes` recognises the addresses of proxies in front. They serve many callers, so theirs do not count."""
        self._limits = limits
        self._believes = believes
        self._of: dict[str, dict[asyncio.Task[None], None]] = {}
        self._count = 0
        self._uncounted: set[asyncio.Task[None]] = set()
        """Those of proxies, and those that are being ended."""

    def begin(self, address: str, handshake: Coroutine[None, None, None]) -> None:
        """Runs the handshake as a task. It must close its connection when it is cancelled."""
        if self._believes(address):
            self._keep_uncounted(asyncio.create_task(handshake))
            return
        holder = subscriber_of(address)
        own = self._of.get(holder, {})
        if len(own) >= self._limits.unproven_of_address:
            self._end_oldest(holder)
        elif self._count >= self._limits.unproven:
            self._end_oldest(max(self._of, key=lambda each: len(self._of[each])))
        task = asyncio.create_task(handshake)
        self._of.setdefault(holder, {})[task] = None
        self._count += 1
        task.add_done_callback(partial(self._forget, holder))

    def cancel(self) -> None:
        for tasks in (*self._of.values(), self._uncounted):
            for task in tasks:
                task.cancel()

    def _end_oldest(self, holder: str) -> None:
        CONNECTIONS_CLOSED.labels("handshakes").inc()
        oldest = next(iter(self._of[holder]))
        self._forget(holder, oldest)  # now: it must not be chosen again until it has ended
        self._keep_uncounted(oldest)
        oldest.cancel()

    def _keep_uncounted(self, task: asyncio.Task[None]) -> None:
        self._uncounted.add(task)
        task.add_done_callback(self._uncounted.discard)

    def _forget(self, holder: str, task: asyncio.Task[None]) -> None:
        own = self._of.get(holder, {})
        if task in own:
            del own[task]
            self._count -= 1
            if not own:
                del self._of[holder]
