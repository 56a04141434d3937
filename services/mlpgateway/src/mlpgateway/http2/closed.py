"""Logs the connections that the server closes, at a limited rate: a flood of them must not fill the disk."""

from collections import Counter
from collections.abc import Callable
from typing import Final

import structlog

from mlpgateway.http2.frames import Code
from mlpgateway.http2.metrics import CONNECTIONS_CLOSED

log = structlog.get_logger(__name__)

_EVERY_SECONDS: Final = 10.0


class ClosedConnections:
    """Counts each closed connection, and logs one per cause in ten seconds with the number since the last."""

    def __init__(self, now: Callable[[], float]) -> None:
        self._now = now
        self._new: Counter[Code] = Counter()
        self._silent_until: dict[Code, float] = {}

    def note(self, code: Code, reason: str, peer: str) -> None:
        CONNECTIONS_CLOSED.labels(code.name.lower()).inc()
        self._new[code] += 1
        now = self._now()
        if now >= self._silent_until.get(code, 0.0):
            self._silent_until[code] = now + _EVERY_SECONDS
            log.info("connection_closed", peer=peer, code=code.name, reason=reason, count=self._new.pop(code))
