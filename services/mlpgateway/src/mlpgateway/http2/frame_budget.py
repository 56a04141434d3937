"""How many frames that ask for nothing a connection may send."""

from collections.abc import Callable

from mlpgateway.http2.frames import Code, ConnectionFailedError


class FrameBudget:
    """A bucket of frames. It is filled with time, and by what is sent to a peer that is `trusted`."""

    __slots__ = ("_left", "_most", "_now", "_per_second", "_since", "trusted")

    def __init__(self, most: float, per_second: float, now: Callable[[], float]) -> None:
        self._left = self._most = most
        self._per_second = per_second
        self._now = now
        self._since = now()
        self.trusted = False

    def strain(self, weight: float = 1.0) -> None:
        """For what costs its sender little and brings nobody forward. Raises ConnectionFailedError."""
        self._left -= weight
        if self._left >= 0:
            return
        now = self._now()
        gained = (now - self._since) * self._per_second
        self._since = now
        self._left = min(self._most, self._left + gained)
        if self._left < 0:
            raise ConnectionFailedError(Code.ENHANCE_YOUR_CALM, "too many frames that ask for nothing")

    def regain(self) -> None:
        """Who gets answers may tell that it has read them."""
        if self.trusted and self._left < self._most:
            self._left += 1
