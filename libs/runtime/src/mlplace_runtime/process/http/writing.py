"""Aborts connections whose peer does not read."""

from typing import Protocol

from mlplace_runtime.process.http.guard import Guard
from mlplace_runtime.process.http.pace import Outflow
from mlplace_runtime.process.http.refusals import Reason


class _Transport(Protocol):
    def is_closing(self) -> bool: ...
    def get_write_buffer_size(self) -> int: ...
    def abort(self) -> None: ...


class Reader:
    """The peer of a connection as the reader of what the server writes."""

    __slots__ = ("_guard", "_outflow", "address")

    def __init__(self, guard: Guard) -> None:
        self._guard = guard
        self._outflow: Outflow | None = None
        self.address = ""

    def reads(self) -> None:
        """Nothing is buffered at the moment."""
        self._outflow = None

    def keeps_pace(self, transport: _Transport, seconds: float) -> bool:
        """Call it while much is buffered, or while the rest is flushed before closing.

        Aborts and returns False if too slow.
        """
        size = transport.get_write_buffer_size()
        if self._outflow is None:
            self._outflow = Outflow(self._guard.limits, size)
            return True
        if self._outflow.keeps_pace(seconds, size):
            return True
        self._guard.refusals.note(Reason.ANSWER_NOT_READ, self.address)
        transport.abort()
        return False
