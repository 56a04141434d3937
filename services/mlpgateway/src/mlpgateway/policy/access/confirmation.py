"""When open answers end whose caller loses the right to them, also while nobody can say whether that is so."""

import time
from collections.abc import Callable
from typing import Final

PROMISED_SECONDS: Final = 2.0
"""From the change of a right to the end of the open answers that it ends: docs/limits.md promises that."""
LOOK_SECONDS: Final = 1.0
"""From the beginning of a look at the open answers to that of the next one."""
CHECK_SECONDS: Final = 0.5
"""For all questions of one look to other services. What look and check leave of the promise is for the event that
brings the change to this gate.
"""
UNCONFIRMED_SECONDS: Final = 30.0
"""How long an answer goes on while another service does not say whether its caller may still have it: as long as new
calls are let in that this service has confirmed before.
"""


class Confirmation:
    """When the right to an open answer was confirmed last. The beginning of the answer confirms it."""

    __slots__ = ("_at", "_now")

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._at = now()

    def renew(self) -> None:
        self._at = self._now()

    @property
    def is_old(self) -> bool:
        """Returns whether the answer may not go on without another one."""
        return self._now() - self._at >= UNCONFIRMED_SECONDS
