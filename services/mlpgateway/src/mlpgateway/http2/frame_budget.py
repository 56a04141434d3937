"""Limits the frames of a connection that carry no work, as control frames and resets."""

from collections.abc import Callable

from mlpgateway.http2.frames import Code, ConnectionFailedError


class FrameBudget:
    """A token bucket of frames. It refills with time, and for a `trusted` peer also with each frame sent to it."""

    __slots__ = ("_left", "_most", "_now", "_per_second", "_since", "trusted")

    def __init__(self, most: float, per_second: float, now: Callable[[], float]) -> None:
        self._left = self._most = most
        self._per_second = per_second
        self._now = now
        self._since = now()
        self.trusted = False

    def strain(self, weight: float = 1.0) -> None:
        """Takes a token for a frame that is cheap to send and advances no call. Raises ConnectionFailedError."""
        self._left -= weight
        if self._left >= 0:
            return
        now = self._now()
        gained = (now - self._since) * self._per_second
        self._since = now
        self._left = min(self._most, self._left + gained)
        if self._left < 0:
            raise ConnectionFailedError(Code.ENHANCE_YOUR_CALM, "too many frames that carry no work")

    def regain(self) -> None:
        """Returns a token: a trusted peer may acknowledge the answers that it gets."""
        if self.trusted and self._left < self._most:
            self._left += 1
