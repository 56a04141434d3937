"""Writes the usage of all calls that are answered in one turn of the event loop at once."""

import asyncio
from collections.abc import Sequence
from typing import Final, Protocol

from mlpgateway.errors.calls import UsageNotRecorded
from mlpgateway.usage.spool import UsageSpool
from mlplace_kit.errors import DomainError

_AT_ONCE: Final = 64
"""Records in one write: much smaller than a file of the spool."""


class Recorded(Protocol):
    """An answered call."""

    def record(self) -> bytes:
        """Returns its usage as a frame of the spool."""
        ...

    def written(self, error: DomainError | None) -> None:
        """Tells that the usage is durable, or why it is not."""
        ...

    def fail_unexpectedly(self, error: BaseException) -> None:
        """Ends a call whose `written` has raised."""
        ...


class TurnWrites:
    """No answer leaves before its usage is written: a call answers in `written`."""

    def __init__(self, spool: UsageSpool) -> None:
        self._spool = spool
        self._calls: list[Recorded] = []

    def add(self, call: Recorded) -> None:
        if not self._calls:
            asyncio.get_running_loop().call_soon(self._flush)
        self._calls.append(call)

    def _flush(self) -> None:
        calls, self._calls = self._calls, []
        for at in range(0, len(calls), _AT_ONCE):
            some = calls[at : at + _AT_ONCE]
            self._write(some, [call.record() for call in some])

    def _write(self, calls: Sequence[Recorded], records: Sequence[bytes]) -> None:
        try:
            written = self._spool.put(records[0] if len(records) == 1 else b"".join(records))
        except DomainError as error:
            if len(calls) == 1:
                _answer(calls[0], error)
            else:  # there may be room for some of them
                for call, record in zip(calls, records, strict=True):
                    self._write([call], [record])
            return
        if written.done():
            _tell(calls, written)
        else:
            written.add_done_callback(lambda done: _tell(calls, done))


def _tell(calls: Sequence[Recorded], written: asyncio.Future[None]) -> None:
    error = None if not written.cancelled() and written.exception() is None else UsageNotRecorded
    for call in calls:
        _answer(call, None if error is None else error())


def _answer(call: Recorded, error: DomainError | None) -> None:
    try:
        call.written(error)
    except Exception as raised:  # noqa: BLE001  the other calls of the write get their answers
        call.fail_unexpectedly(raised)
