"""Refuses requests on a connection and then closes it."""

from typing import Any, Final, cast

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle

from mlplace_kit.errors import DomainError
from mlplace_kit.ids import new_request_id
from mlplace_runtime.process.http.connections import CountedConnection
from mlplace_runtime.process.http.guard import Guard
from mlplace_runtime.process.http.heads import Fault
from mlplace_runtime.process.http.refusals import Reason, refusal
from mlplace_runtime.process.http.writing import Reader
from mlplace_runtime.web.proof import was_proved

_MOST_LINGERING_BYTES: Final = 1024 * 1024


class RefusingProtocol(HttpToolsProtocol):
    """Replaces uvicorn's own refusals, which are plain text and may interrupt a response in progress."""

    def __init__(self, guard: Guard, **given: Any) -> None:
        super().__init__(**given)
        self._guard = guard
        self._counted: CountedConnection | None = None
        self._reader = Reader(guard)
        self._fault: Fault | None = None
        self._over = False  # further input is discarded
        self._waited = 0.0
        self._head_bytes = 0

    @property
    def _is_answering(self) -> bool:
        cycle = cast("RequestResponseCycle | None", self.cycle)
        return cycle is not None and not (cycle.response_complete or cycle.disconnected)

    @property
    def idle_seconds(self) -> float | None:
        return None if self._is_answering else self._waited

    @property
    def proved(self) -> bool:
        cycle = cast("RequestResponseCycle | None", self.cycle)
        return cycle is not None and was_proved(cycle.scope)

    def evict(self) -> None:
        self._guard.refusals.note(Reason.EVICTED, self._reader.address)
        self._over = True
        self.transport.abort()

    def refuse(self, fault: Fault) -> None:
        """Refuses a head, after the responses to earlier requests."""
        self._over = True
        self._fault = fault
        self._guard.refusals.note(fault[0], self._reader.address)
        if self._is_answering:
            self.flow.pause_reading()
        else:
            self.end_with(fault[1])

    def refuse_body(self, reason: Reason, error: DomainError) -> None:
        """Refuses a body. An app that is working on the request learns that its caller has disconnected."""
        self._over = True
        self._guard.refusals.note(reason, self._reader.address)
        cycle = self.cycle
        if not self._is_answering or cycle.response_started or self.pipeline:
            self.transport.abort()
            return
        self.end_with(error)
        cycle.disconnected = True
        cycle.message_event.set()

    def end_with(self, error: DomainError) -> None:
        """Sends the error and keeps reading for a moment: closing at once could discard the response."""
        self._over = True
        self._waited = 0.0
        self._head_bytes = 0
        if not self.transport.is_closing():
            self.say(error)
            self.transport.write_eof()
            self.flow.resume_reading()

    def say(self, error: DomainError) -> None:
        self.transport.write(refusal(error, new_request_id(), self.server_state.default_headers))

    def linger(self, size: int) -> None:
        """Counts discarded input."""
        self._head_bytes += size
        if self._is_answering:
            self.flow.pause_reading()
        elif self._head_bytes > _MOST_LINGERING_BYTES:
            self.transport.abort()

    def eof_received(self) -> None:
        if self._over:
            self.transport.close()
