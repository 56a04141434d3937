"""One call on its way through the stages, and how it ends: recorded and charged, or let go free of charge."""

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass

from opentelemetry.trace import Span, use_span

from mlpgateway.limits.claim import Claim
from mlpgateway.metrics import CALLS, RECORD
from mlpgateway.money.cost import Estimates
from mlpgateway.proxy.call import Answer, Call
from mlpgateway.proxy.errors import NothingAnswered
from mlpgateway.proxy.identity import Identity, Payer
from mlpgateway.proxy.meter import Meter
from mlpgateway.proxy.transport import InstanceRequest
from mlpgateway.proxy.visit import Visit
from mlpgateway.recording.writer import OutboxWriter
from mlplace_contracts.events import ModelChanged, UsageRecorded
from mlplace_gateproto import headers as names
from mlplace_kit.clock import Clock
from mlplace_kit.errors import DomainError

Write = Callable[[UsageRecorded], asyncio.Future[None]]
"""Done when the usage is durable; raises, or fails with, UsageNotRecorded."""
Keep = Callable[[Answer, UsageRecorded], asyncio.Future[None]]
"""As Write, for the answer and its usage: both become durable, or neither."""


@dataclass(frozen=True, slots=True)
class Books:
    """Where calls are written down."""

    writer: OutboxWriter
    estimates: Estimates
    clock: Clock


@dataclass(slots=True)
class Passage:
    """After admission. `close` is called at the end, whatever happened; it charges nothing that was not recorded."""

    call: Call
    identity: Identity
    payer: Payer
    model: ModelChanged
    claim: Claim
    meter: Meter
    request: InstanceRequest
    books: Books
    span: Span
    visit: Visit
    answered: bool = False
    recorded: bool = False

    def headers(self) -> dict[str, str]:
        """What the gate itself tells the caller: limits, and what the call waited for."""
        told = dict(self.claim.headers())
        visit = self.visit
        if visit.waited_for is not None:
            told[names.WAIT_PHASE] = visit.waited_for
            told[names.WAIT_MS] = str(round(visit.waited_seconds * 1000))
        return told

    def read(self, answer: Answer) -> None:
        self.meter.read(answer.headers)
        self.answered = True

    async def record(self, write: Write | None = None) -> None:
        """Return when the usage is durable. Raises UsageNotRecorded; nothing is charged then.

        A caller who leaves meanwhile has had the whole answer ready, and pays for it.
        """
        started = time.perf_counter()
        await asyncio.shield(self._write(write or self.books.writer.add))
        RECORD.observe(time.perf_counter() - started)
        CALLS.labels(self.call.operation.value).inc()

    def record_part(self) -> None:
        """The caller left in the middle of a streamed answer: what came until then counts.

        Else a caller could read everything but the last part, for nothing. Nobody is left to wait for the write.
        """
        if self.answered and not self.recorded:
            self._write(self.books.writer.add)

    def _write(self, write: Write) -> asyncio.Future[None]:
        self.recorded = True
        cost = self.meter.cost
        if self.meter.tells_its_price:
            self.books.estimates.learn(self.model.model_id, cost.units)
        usage = self.meter.usage(
            self.call,
            self.identity,
            self.payer,
            reservation_id=self.claim.reservation_id,
            now=self.books.clock.now(),
        )
        try:
            # The event continues the call's trace, whatever is current where the call ends.
            with use_span(self.span, record_exception=False, set_status_on_exception=False):
                written = write(usage)
        except DomainError:
            self.claim.release()
            raise
        written.add_done_callback(self._settle)
        return written

    def _settle(self, written: asyncio.Future[None]) -> None:
        """Charge what is written down, and only that."""
        if written.cancelled() or written.exception() is not None:
            self.claim.release()
        else:
            self.claim.spend(self.meter.cost)

    def close(self) -> None:
        if not self.recorded:
            self.claim.release()

    def expect_recorded(self) -> None:
        """At the end of a stream. Raises NothingAnswered when no part said that it is the last."""
        if not self.recorded:
            raise NothingAnswered
