"""Keeps calls away from instances that fail: after a row of failures others are preferred, with a probe now and then.

Nothing here refuses a call. When every instance that could take it is failing, breakers are ignored: a model whose
callers send nonsense must not become unreachable, and a bad instance is better than none.
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
    """`until` 0.0: closed. After `until` one call is let through as a probe, for as long again."""

    __slots__ = ("failures", "pause", "until")

    def __init__(self) -> None:
        self.failures = 0
        self.pause = 0.0
        self.until = 0.0


class Breakers:
    """Of the instances on this gate. Only those that fail are remembered: a healthy call costs one look at `any`."""

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
        """No answer, a broken one, one that took too long, or the service's own failure.

        Instances of other gates are theirs to judge.
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
        """It is gone."""
        self._breakers.pop(link, None)

    def allows(self, link: InstanceLink) -> bool:
        """Whether the link may be preferred now. Asks nothing and changes nothing."""
        breaker = self._breakers.get(link)
        return breaker is None or breaker.until <= self._now()

    def chosen(self, link: InstanceLink) -> None:
        """The link gets a call. Of one whose pause is over it is the probe: others stay away until it is known."""
        breaker = self._breakers.get(link)
        if breaker is not None and breaker.until and breaker.until <= self._now():
            breaker.until = self._now() + breaker.pause
