"""What all connections of one server share: limits, counts, refusals, and the periodic check of each."""

import asyncio
from collections.abc import Callable, Collection, Iterable
from typing import Final, Protocol, cast

import structlog

from mlplace_runtime.process.http.connections import Connections
from mlplace_runtime.process.http.direct import Direct
from mlplace_runtime.process.http.limits import HttpLimits
from mlplace_runtime.process.http.refusals import Refusals
from mlplace_runtime.process.trusted_proxies import TrustedProxies
from mlplace_runtime.process.turns import Turns
from mlplace_runtime.telemetry.metrics import HTTP_CONNECTIONS

_AT_ONCE: Final = 500
_LONGEST_LOOKS: Final = 5

log = structlog.get_logger(__name__)


class Watched(Protocol):
    def look(self, seconds: float) -> None:
        """Checks the connection's time limits; `seconds` have passed since the last check."""
        ...


class Guard:
    """Checks all connections every second, instead of timers that each request would start and stop."""

    def __init__(self, limits: HttpLimits, proxies: TrustedProxies, direct: Direct | None = None) -> None:
        """`direct` answers some requests itself, without the app."""
        self.limits = limits
        self.direct = direct
        self.proxies = proxies
        self.connections = Connections(limits, proxies.believes)
        self.refusals = Refusals()
        self.socket_turns = Turns()

    async def run(self, connections: Callable[[], Collection[object]]) -> None:
        """Runs until cancelled. Caps the counted time, so that callers do not pay for a pause of this process."""
        loop = asyncio.get_running_loop()
        every = self.limits.look_seconds
        before = loop.time()
        while True:
            await asyncio.sleep(every)
            now = loop.time()
            seconds, before = min(now - before, every * _LONGEST_LOOKS), now
            everyone = list(connections())
            for first in range(0, len(everyone), _AT_ONCE):
                self.look(everyone[first : first + _AT_ONCE], seconds)
                await asyncio.sleep(0)
            HTTP_CONNECTIONS.set(len(self.connections))
            self.refusals.log_due()

    def look(self, connections: Iterable[object], seconds: float) -> None:
        """Checks these connections; `seconds` have passed since the last check."""
        for connection in cast("Iterable[Watched]", connections):
            try:
                connection.look(seconds)
            except Exception:
                log.exception("http_check_failed")
