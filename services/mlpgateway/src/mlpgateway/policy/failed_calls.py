"""Counts the calls that services fail, for the statistics of mlpcore."""

import asyncio
from typing import Final, Protocol

import structlog

from mlpgateway.call.transport import InstanceError
from mlpgateway.call.wake_up import Writer
from mlpgateway.errors.calls import CallerTimeout, UsageNotRecorded
from mlplace_contracts.events import CallsFailed, ModelChanged
from mlplace_gateproto import codes
from mlplace_kit.clock import Clock
from mlplace_kit.errors import DomainError

log = structlog.get_logger(__name__)

_SECONDS: Final = 10.0
_WRITE_SECONDS: Final = 2.0
_MOST_MODELS: Final = 10_000
_SERVER_ERROR: Final = 500
_OF_SERVICES: Final = frozenset({
    codes.PREDICT_TIMEOUT, codes.INSTANCE_START_TIMEOUT, codes.INTERNAL_ERROR, codes.CHANNEL_CLOSED,
})  # fmt: skip
"""By their codes, since another gate may have met the error."""


def is_fault_of_service(error: DomainError) -> bool:
    """Returns False for refusals of the gate, for requests that the service rightly rejected, and for callers who
    allowed too little time.
    """
    if isinstance(error, InstanceError):
        return error.status >= _SERVER_ERROR
    if isinstance(error, CallerTimeout):
        return False
    return error.code in _OF_SERVICES


class FailureLog(Protocol):
    def see(self, model: ModelChanged, error: DomainError) -> None:
        """Notes a call that ended with the error."""
        ...


class FailedCalls:
    """Satisfies FailureLog. Run `run` as a task.

    Counts that cannot be written are lost: they are statistics, and no call waits for them.
    """

    def __init__(self, writer: Writer, clock: Clock) -> None:
        self._writer = writer
        self._clock = clock
        self._counts: dict[int, tuple[ModelChanged, int]] = {}

    def see(self, model: ModelChanged, error: DomainError) -> None:
        """Counts a call that ended with the error, if the service is at fault."""
        if not is_fault_of_service(error):
            return
        known = self._counts.get(model.model_id)
        if known is not None or len(self._counts) < _MOST_MODELS:
            self._counts[model.model_id] = (model, 1 if known is None else known[1] + 1)

    def write(self) -> list[asyncio.Future[None]]:
        """Hands the counts to the writer, one event per model, and begins anew."""
        counts, self._counts = self._counts, {}
        now, written = self._clock.now(), list[asyncio.Future[None]]()
        for model, count in counts.values():
            event = CallsFailed(account_id=model.account_id, model_id=model.model_id, count=count, occurred_at=now)
            try:
                written.append(self._writer.add(event))
            except UsageNotRecorded:
                log.warning("failed_calls_not_written", model_id=model.model_id, count=count)
        return written

    async def run(self) -> None:
        """Writes every ten seconds until cancelled, and a last time at the end."""
        try:
            while True:
                await asyncio.sleep(_SECONDS)
                self.write()
        finally:
            if written := self.write():
                await asyncio.wait(written, timeout=_WRITE_SECONDS)
