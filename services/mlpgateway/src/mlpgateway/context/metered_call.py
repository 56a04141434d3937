"""One call on its way through the stages, and how it ends: recorded and charged, or let go free of charge."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from mlpgateway.call.call import Answer, Call
from mlpgateway.call.context import CallContext
from mlpgateway.call.identity import Identity, Payer
from mlpgateway.call.span import SERVICE, CallSpan
from mlpgateway.context.captured_call import CapturedCall
from mlpgateway.errors.calls import NothingAnswered
from mlpgateway.metrics import CALLS, RECORD
from mlpgateway.policy.limits.claim import Claim
from mlpgateway.policy.meter import Meter
from mlpgateway.policy.money.capped_charges import CappedCharges
from mlpgateway.policy.money.estimates import Estimates
from mlpgateway.usage.spool import UsageSpool
from mlplace_contracts.events import ModelChanged, UsageRecorded
from mlplace_gateproto import headers as names
from mlplace_kit.clock import Clock
from mlplace_kit.errors import DomainError
from mlplace_runtime.telemetry import current

Write = Callable[[UsageRecorded], asyncio.Future[None]]
"""Done when the usage is durable; raises, or fails with, UsageNotRecorded."""
More = Callable[["MeteredCall"], Awaitable[None]]
"""Hold more for an answer that costs more than is held for it."""
Keep = Callable[[Answer, UsageRecorded], asyncio.Future[None]]
"""As Write, for the answer and its usage: both become durable, or neither."""


@dataclass(frozen=True, slots=True)
class Recorders:
    """Where calls are written down."""

    writer: UsageSpool
    estimates: Estimates
    clock: Clock
    capped: CappedCharges


@dataclass(slots=True, kw_only=True)
class MeteredCall(CallContext):
    """The context of a call that a payer pays for, from admission to its end.

    `close` is called at the end, whatever happened; it charges nothing that was not recorded.
    """

    call: Call
    identity: Identity
    payer: Payer
    model: ModelChanged
    claim: Claim
    meter: Meter
    recorders: Recorders
    span: CallSpan
    answered: bool = False
    recorded: bool = False
    left: bool = False
    """The caller went away in the middle of the answer; what came until then is recorded."""
    capture: CapturedCall | None = None
    """Of a call that is archived."""
    error: DomainError | None = None
    more: More | None = None
    free: bool = False
    """Nothing is recorded or charged: it loads a page, or the instance's error is passed on as it is."""

    def headers(self) -> dict[str, str]:
        """What the gate itself tells the caller: limits, and what the call waited for."""
        told = dict(self.claim.headers())
        if self.waited_for is not None:
            told[names.WAIT_PHASE] = self.waited_for
            told[names.WAIT_MS] = str(round(self.waited_seconds * 1000))
        return told

    def sign(self, error: DomainError) -> None:
        """An error tells what an answer would: it counted for the limits, too, and may have waited."""
        self.error = error
        error.answer_headers = {**error.answer_headers, **self.headers()}

    def read(self, answer: Answer) -> None:
        self.meter.read(answer.headers)
        self.answered = True
        if self.capture is not None:
            self.capture.read(answer)
        if answer.http is not None:
            self.free = answer.http.is_error or self.call.loads_page

    async def record(self, write: Write | None = None) -> None:
        """Return when the usage is durable. Raises UsageNotRecorded; nothing is charged then.

        A caller who leaves meanwhile has had the whole answer ready, and pays for it.
        """
        started = time.perf_counter()
        if self.lacks:
            self.recorded = True  # whoever leaves while more is held pays all the same
            writing = asyncio.ensure_future(self._hold_and_write(write))
            writing.add_done_callback(_heard)
            await asyncio.shield(writing)
        else:
            written = self._write(write or self.recorders.writer.add)
            if not written.done():
                await asyncio.shield(written)
        RECORD.observe(time.perf_counter() - started)
        CALLS.labels(self.call.operation.value).inc()

    @property
    def lacks(self) -> bool:
        """Whether the answer costs more until now than is held for it at this gate."""
        if self.more is None or not self.meter.tells_its_price:
            return False
        cost = self.meter.cost
        if self.claim.bound(cost)[1] is None:
            return False
        self.claim.grow(cost)
        return self.claim.bound(cost)[1] is not None

    async def hold_more(self) -> None:
        """What cannot be held is not charged."""
        if self.more is not None:
            await self.more(self)
            self.more = None if self.claim.bound(self.meter.cost)[1] is not None else self.more

    async def _hold_and_write(self, write: Write | None) -> None:
        try:
            await self.hold_more()
            written = self._write(write or self.recorders.writer.add)
        except BaseException:
            self.claim.release()
            raise
        await written

    def record_part(self) -> None:
        """The caller left in the middle of a streamed answer: what came until then counts.

        Else a caller could read everything but the last part, for nothing. Nobody is left to wait for the write.
        """
        if self.answered and not self.recorded and not self.free:
            self.left = True
            self._write(self.recorders.writer.add)

    def _write(self, write: Write) -> asyncio.Future[None]:
        self.recorded = True
        if self.meter.tells_its_price:
            self.recorders.estimates.learn(self.model.model_id, self.meter.reported.units)
            self.claim.grow(self.meter.cost)
            units, by = self.claim.bound(self.meter.cost)
            if by is not None:
                self.meter.limit(units, by)
            self.claim.settle_on_largest()
        usage = self.meter.usage(
            self.call,
            self.identity,
            self.payer,
            reservation_id=self.claim.reservation_id,
            now=self.recorders.clock.now(),
        )
        # The event continues the call's trace, whatever is current where the call ends.
        served = current.begin(current.Served(self.call.request_id, SERVICE, self.span.parent))
        try:
            written = write(usage)
        except DomainError:
            self.claim.release()
            raise
        finally:
            current.end(served)
        if written.done():
            self._settle(written)
        else:
            written.add_done_callback(self._settle)
        return written

    def _settle(self, written: asyncio.Future[None]) -> None:
        """Charge what is written down, and only that."""
        if written.cancelled() or written.exception() is not None:
            self.claim.release()
        else:
            self.claim.spend(self.meter.cost)
            if self.meter.is_capped:
                self.recorders.capped.tell(self.model, self.payer, self.meter, self.call.request_id)

    def close(self) -> None:
        self.deadline.end()
        if not self.recorded:
            self.claim.release()
        if self.capture is not None:
            self.capture.end(self.error, whole=self.recorded and not self.left, meter=self.meter)
        # Both hold this, and a cycle would wait to be collected: an error by the frames that it passed.
        self.error = self.recheck = self.more = None

    def expect_recorded(self) -> None:
        """At the end of a stream. Raises NothingAnswered when no part said that it is the last."""
        if not self.recorded and not self.free:
            raise NothingAnswered


def _heard(task: asyncio.Task[None]) -> None:
    """A caller who has left does not ask how it ended."""
    if not task.cancelled():
        task.exception()
