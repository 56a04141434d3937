"""Circuit breaker: after several failures in a row an instance is avoided, except for a probe now and then.

A breaker never refuses a call. When every usable instance is failing, breakers are ignored: bad requests must not make
a model unreachable, and a bad instance is better than none.
"""

import random
import time
from collections.abc import Callable
from typing import Final

from mlpgateway.call.transport import InstanceLink, InstanceLinks
from mlpgateway.metrics import CIRCUITS_OPENED

FAILURES: Final = 5
FIRST_SECONDS: Final = 1.0
LONGEST_SECONDS: Final = 30.0


class _Breaker:
    """`until` 0.0: closed. After `until` one call goes through as a probe, and the breaker stays open meanwhile.

    `due` is the former `until` if the last chosen call is a probe, else 0.0.
    """

    __slots__ = ("due", "failures", "pause", "until")

    def __init__(self) -> None:
        self.due = 0.0
        self.failures = 0
        self.pause = 0.0
        self.until = 0.0


class Breakers:
    """The breakers of this gate's instances. Only failing instances have one, so a healthy call only reads `any`."""

    def __init__(
        self,
        links: InstanceLinks,
        *,
        now: Callable[[], float] = time.monotonic,
        jitter: Callable[[], float] = random.random,
    ) -> None:
        self._links = links
        self._now = now
        self._jitter = jitter
        self._breakers: dict[InstanceLink, _Breaker] = {}

    @property
    def any(self) -> bool:
        return bool(self._breakers)

    def failed(self, link: InstanceLink) -> None:
        """Counts a failure: no answer, a broken one, one that took too long, or an error of the service.

        Instances of other gates are ignored: their own gates judge them.
        """
        if link not in self._links.of_model(link.model_id):
            return
        breaker = self._breakers.setdefault(link, _Breaker())
        breaker.failures += 1
        if breaker.failures >= FAILURES:
            if not breaker.until:
                CIRCUITS_OPENED.inc()
            breaker.pause = min(max(FIRST_SECONDS, 2 * breaker.pause), LONGEST_SECONDS)
            breaker.until = self._now() + breaker.pause * (0.5 + self._jitter())

    def succeeded(self, link: InstanceLink) -> None:
        self._breakers.pop(link, None)

    def forget(self, link: InstanceLink) -> None:
        """Drops the breaker of an instance that is gone."""
        self._breakers.pop(link, None)

    def allows(self, link: InstanceLink) -> bool:
        """Returns whether the instance may be preferred now. Changes nothing."""
        breaker = self._breakers.get(link)
        return breaker is None or breaker.until <= self._now()

    def chosen(self, link: InstanceLink) -> None:
        """Records that the link gets a call. After a pause, that call is the probe: others stay away for a pause."""
        breaker = self._breakers.get(link)
        if breaker is not None:
            breaker.due = breaker.until if breaker.until <= self._now() else 0.0
            if breaker.due:
                breaker.until = self._now() + breaker.pause

    def not_sent(self, link: InstanceLink) -> None:
        """Takes `chosen` back in the same turn of the event loop: the call chooses again, and may be the probe then."""
        breaker = self._breakers.get(link)
        if breaker is not None and breaker.due:
            breaker.until, breaker.due = breaker.due, 0.0
