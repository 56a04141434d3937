"""Ends connections whose other side does not read."""

from typing import Protocol

from mlplace_runtime.process.http.guard import Guard
from mlplace_runtime.process.http.pace import Outflow
from mlplace_runtime.process.http.refusals import Reason


class _Transport(Protocol):
    def is_closing(self) -> bool: ...
    def get_write_buffer_size(self) -> int: ...
    def abort(self) -> None: ...


class Reader:
    """The other side of a connection as the one who reads what we write."""

    __slots__ = ("_guard", "_outflow", "address")

    def __init__(self, guard: Guard) -> None:
        self._guard = guard
        self._outflow: Outflow | None = None
        self.address = ""

    def reads(self) -> None:
        """Nothing is in its way at the moment."""
        self._outflow = None

    def keeps_pace(self, transport: _Transport, seconds: float) -> bool:
        """Call it while much waits to be read, or all is written and the rest is on its way. Aborts if not."""
        size = transport.get_write_buffer_size()
        if self._outflow is None:
            self._outflow = Outflow(self._guard.limits, size)
            return True
        if self._outflow.keeps_pace(seconds, size):
            return True
        self._guard.refusals.note(Reason.ANSWER_NOT_READ, self.address)
        transport.abort()
        return False
