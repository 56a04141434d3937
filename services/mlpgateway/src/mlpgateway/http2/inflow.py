"""Flow control of a connection's incoming data, for all its calls together (RFC 9113, section 5.2)."""

from collections.abc import Callable
from typing import Final

from mlpgateway.http2 import frames
from mlpgateway.http2.frames import Code, ConnectionFailedError
from mlpgateway.http2.limits import PROVEN_WINDOW_BYTES, WINDOW_BYTES

_LOST_WINDOW: Final = 4 * WINDOW_BYTES


class Inflow:
    """`send` takes WINDOW_UPDATE frames."""

    __slots__ = ("_owed", "_send", "_stray", "_surplus", "_window")

    def __init__(self, send: Callable[[bytes], None]) -> None:
        self._send = send
        self._window = WINDOW_BYTES
        self._owed = 0
        # By how much the window is too large, since calls ended that were allowed more than the window.
        self._surplus = 0
        # The bytes that may still come for ended calls.
        self._stray = 0

    def came(self, count: int) -> None:
        """Counts received bytes. Raises ConnectionFailedError when they exceed the window."""
        self._window -= count
        if self._window < 0:
            raise ConnectionFailedError(Code.FLOW_CONTROL_ERROR, "DATA beyond the flow-control window")

    def credit(self, count: int) -> None:
        """Returns credit for handled bytes; enlarges the window once half of it is used."""
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
        """Enlarges the window of a known peer: at a round trip of 50 ms, 64 KiB would limit it to 1.3 MB/s."""
        count = PROVEN_WINDOW_BYTES - WINDOW_BYTES
        self._window += count
        self._send(frames.window_update(0, count))

    def expect(self, number: int, count: int) -> None:
        """Allows additional bytes for a call, beyond the windows."""
        if count:
            self._window += count
            self._send(frames.window_update(0, count) + frames.window_update(number, count))

    def call_ended(self, expected: int) -> None:
        """Takes back the additional bytes that an ended call did not use."""
        self._surplus += expected

    def await_stray(self, count: int) -> None:
        """Allows bytes that may already be on their way to an ended call."""
        self._stray = min(self._stray + count, frames.MAX_WINDOW)

    def stray(self, count: int) -> None:
        """Counts bytes for an ended call. Raises ConnectionFailedError when more come than were on their way."""
        self._stray -= count
        if self._stray < -_LOST_WINDOW:
            raise ConnectionFailedError(Code.STREAM_CLOSED, "too much DATA for ended calls")
        self.credit(count)
