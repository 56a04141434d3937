"""Flow control of what a connection receives (RFC 9113, 5.2): for all its calls together."""

from collections.abc import Callable
from typing import Final

from mlpgateway.http2 import frames
from mlpgateway.http2.frames import Code, ConnectionFailedError
from mlpgateway.http2.limits import PROVEN_WINDOW_BYTES, WINDOW_BYTES

_LOST_WINDOW: Final = 4 * WINDOW_BYTES


class Inflow:
    """`send` takes the frames that open windows."""

    __slots__ = ("_owed", "_send", "_stray", "_surplus", "_window")

    def __init__(self, send: Callable[[bytes], None]) -> None:
        self._send = send
        self._window = WINDOW_BYTES
        self._owed = 0
        # What the window is larger than it has to be, since calls ended that were let send more.
        self._surplus = 0
        # What may still come for calls that are over.
        self._stray = 0

    def came(self, count: int) -> None:
        """Raises ConnectionFailedError for more than was let in."""
        self._window -= count
        if self._window < 0:
            raise ConnectionFailedError(Code.FLOW_CONTROL_ERROR, "DATA that nobody let in")

    def credit(self, count: int) -> None:
        """So much is not in the way of the rest any more."""
        if self._surplus:
            used = min(self._surplus, count)
            self._surplus -= used
            count -= used
        self._owed += count
        if self._owed > WINDOW_BYTES // 2:
            self._window += self._owed
            self._send(frames.window_update(0, self._owed))
            self._owed = 0

    def widen(self) -> None:
        """For a peer that is known: 64 KiB on a way of 50 ms would be no more than 1.3 MB a second."""
        count = PROVEN_WINDOW_BYTES - WINDOW_BYTES
        self._window += count
        self._send(frames.window_update(0, count))

    def expect(self, number: int, count: int) -> None:
        """So much more may come for a call than the windows say."""
        if count:
            self._window += count
            self._send(frames.window_update(0, count) + frames.window_update(number, count))

    def call_ended(self, expected: int) -> None:
        """What was let in for it beyond the window will not come for it."""
        self._surplus += expected

    def await_stray(self, count: int) -> None:
        """So much may be on its way to a call that is over."""
        self._stray = min(self._stray + count, frames.MAX_WINDOW)

    def stray(self, count: int) -> None:
        """For a call that is over: what was on its way, not more. Raises ConnectionFailedError."""
        self._stray -= count
        if self._stray < -_LOST_WINDOW:
            raise ConnectionFailedError(Code.STREAM_CLOSED, "DATA for calls that are over")
        self.credit(count)
