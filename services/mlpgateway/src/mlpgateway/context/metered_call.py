"""One admitted call and its outcome: recorded and charged, or released free of charge."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Final, Literal

from mlpgateway.call.call import Answer, Call, Operation
from mlpgateway.call.context import CallContext
from mlpgateway.call.headers import to_caller, to_instance
from mlpgateway.call.identity import Identity, Payer
from mlpgateway.call.span import SERVICE, CallSpan
from mlpgateway.context.captured_call import CapturedCall
from mlpgateway.errors.calls import NothingAnswered
from mlpgateway.metrics import CALLS, RECORD
from mlpgateway.policy.call_samples.counting import CallCounting, Tracked
from mlpgateway.policy.failed_calls import FailureLog
from mlpgateway.policy.limits.claim import Claim
from mlpgateway.policy.meter import Meter
from mlpgateway.policy.money.capped_charges import CappedCharges
from mlpgateway.policy.money.estimates import Estimates
from mlpgateway.policy.usage_records import UsageRecords
from mlpgateway.usage.spool import UsageSpool
from mlplace_contracts.events import ModelChanged, UsageRecorded
from mlplace_gateproto import headers as names
from mlplace_kit.clock import Clock
from mlplace_kit.errors import DomainError
from mlplace_kit.money import exact
from mlplace_kit.pricing import BillingUnit
from mlplace_runtime.telemetry import current

Write = Callable[[UsageRecorded], asyncio.Future[None]]
"""Completes when the usage is durable. Raises UsageNotRecorded, directly or through the future."""
More = Callable[["MeteredCall"], Awaitable[None]]
"""Reserves more money for an answer that costs more than is reserved for it."""
Keep = Callable[[Answer, UsageRecorded], asyncio.Future[None]]
"""Like Write, for the answer and its usage together: both become durable, or neither."""

ANSWERED: Final = {operation: CALLS.labels(operation.value) for operation in Operation}
"""The counters of answered calls."""


@dataclass(frozen=True, slots=True)
class Recorders:
    """Where calls are recorded."""

    writer: UsageSpool
    estimates: Estimates
    clock: Clock
    capped: CappedCharges
    failed: FailureLog
    samples: CallCounting
    usage: UsageRecords = field(default_factory=UsageRecords)


@dataclass(slots=True, kw_only=True)
class MeteredCall(CallContext):
    """The context of a call that a payer pays for, from admission to its end.

    Call `close` at the end, in every case. It releases what was not recorded without a charge.
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
    """The caller left in the middle of the answer; the parts sent until then are recorded."""
    input_failed: bool = False
    """A part of a request in parts was refused for what the caller sent. A gate without memory is no such reason."""
    capture: CapturedCall | None = None
    """Set for a call that is archived."""
    error: DomainError | None = None
    more: More | None = None
    free: bool = False
    """Nothing is recorded or charged: the call loads a page, or passes an instance's HTTP error on unchanged."""
    charged_nano: int | None = None
    """What the payer is charged, in billionths of a currency unit; None until the usage is written, and on credit."""
    cache: Literal["hit", "miss"] | None = None
    """None for a call that the cache does not serve."""
    tracked: Tracked | None = None
    """Set while the call counts among those in progress."""

    def headers(self) -> dict[str, str]:
        """Returns the gate's own headers for the caller: limits, what the call waited for, and what the cache had."""
        told = dict(self.claim.headers())
        if self.waited_for is not None:
            told[names.WAIT_PHASE] = self.waited_for
            told[names.WAIT_MS] = str(round(self.waited_seconds * 1000))
        if self.cache is not None:
            told[names.CACHE] = self.cache
        return told

    def cost_headers(self) -> dict[str, str]:
        """Returns the headers about the charge; none while it is unknown."""
        if self.charged_nano is None:
            return {}
        told = {names.COST: exact(self.charged_nano)}
        if self.model.billing.unit is not BillingUnit.DIRECT:
            told[names.UNITS] = str(self.meter.cost.units)
        return told

    @property
    def is_bounded_by_payer(self) -> bool:
        """Whether the instance is told a maximum price that is not the model's own."""
        return self.claim.ceiling is not None and self.claim.ceiling.of_payer

    def headers_to_instance(self, chain: str | None) -> dict[str, str]:
        """Returns all headers that the instance gets."""
        ceiling = self.claim.ceiling
        return to_instance(
            self.call.headers,
            request_id=self.call.request_id,
            identity=self.identity,
            payer=self.payer,
            trace_parent=self.span.parent,
            chain=chain,
            max_price_nano=None if ceiling is None else ceiling.nano,
        )

    def headers_to_caller(self, answer: Answer) -> dict[str, str]:
        """Returns the headers of the answer that the caller may see, and the gate's own; not those about the charge."""
        return {**to_caller(answer.headers), **self.headers()}

    def sign(self, error: DomainError) -> None:
        """Gives the error the same headers as an answer: the call counted for limits and may have waited."""
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
        """Returns when the usage is durable. Raises UsageNotRecorded; nothing is charged then.

        A caller who leaves during the write still pays: the whole answer was ready.
        """
        started = time.perf_counter()
        if self.exceeds_claim:
            self.recorded = True  # a caller who leaves while more money is reserved still pays
            writing = asyncio.ensure_future(self._hold_and_write(write))
            writing.add_done_callback(_heard)
            await asyncio.shield(writing)
        else:
            written = self._write(write)
            if not written.done():
                await asyncio.shield(written)
        RECORD.observe(time.perf_counter() - started)
        ANSWERED[self.call.operation].inc()

    @property
    def exceeds_claim(self) -> bool:
        """Whether the answer costs more so far than this gate has reserved for it."""
        if self.more is None or not self.meter.tells_its_price:
            return False
        cost = self.meter.cost
        if self.claim.bound(cost)[1] is None:
            return False
        self.claim.grow(cost)
        return self.claim.bound(cost)[1] is not None

    async def hold_more(self) -> None:
        """Reserves more money for the answer. The part of the cost that cannot be reserved is not charged."""
        if self.more is not None:
            await self.more(self)
            self.more = None if self.claim.bound(self.meter.cost)[1] is not None else self.more

    async def _hold_and_write(self, write: Write | None) -> None:
        try:
            await self.hold_more()
            written = self._write(write)
        except BaseException:
            self.claim.release()
            raise
        await written

    def record_part(self) -> None:
        """Records the parts that a caller received before it left in the middle of a streamed answer.

        Otherwise a caller could read all parts but the last for free. Nobody waits for the write.
        """
        if self.answered and not self.recorded and not self.free:
            self.left = True
            self._write(None)

    def _write(self, write: Write | None) -> asyncio.Future[None]:
        self.recorded = True
        if self.meter.tells_its_price:
            self.recorders.estimates.learn(self.model.model_id, self.meter.reported.units)
            self.claim.grow(self.meter.cost)
            units, by = self.claim.bound(self.meter.cost)
            if by is not None:
                self.meter.limit(units, by)
            self.claim.settle_on_largest()
        try:
            written = self._stored(write)
        except DomainError:
            self.claim.release()
            raise
        if written.done():
            self._settle(written)
        else:
            written.add_done_callback(self._settle)
        return written

    def begin_record(self) -> bytes:
        """Returns the usage as a frame of the spool, for a writer that writes several at once.

        Only for a call whose usage is constant. Call `end_record` afterwards.
        """
        self.recorded = True
        return self._record()

    def end_record(self, *, written: bool) -> None:
        """Charges the call when its usage was written, releases its reservation when not."""
        if written:
            self._charge()
        else:
            self.claim.release()

    def _record(self) -> bytes:
        recorders = self.recorders
        return recorders.usage.record(
            self.meter,
            self.call,
            self.identity,
            self.payer,
            reservation_id=self.claim.reservation_id,
            now=recorders.clock.now(),
            trace_parent=self.span.parent,
        )

    def _stored(self, write: Write | None) -> asyncio.Future[None]:
        """Hands the usage to `write`, else to the spool. Raises like Write."""
        recorders, meter, now = self.recorders, self.meter, self.recorders.clock.now()
        if write is None and meter.has_constant_usage:
            return recorders.writer.put(self._record())
        usage = meter.usage(self.call, self.identity, self.payer, reservation_id=self.claim.reservation_id, now=now)
        # The usage event belongs to the call's trace, whichever span is current here.
        served = current.begin(current.ServedRequest(self.call.request_id, SERVICE, self.span.parent))
        try:
            return (write or recorders.writer.add)(usage)
        finally:
            current.end(served)

    def _settle(self, written: asyncio.Future[None]) -> None:
        self.end_record(written=not written.cancelled() and written.exception() is None)

    def _charge(self) -> None:
        charged = self.claim.spend(self.meter.cost)
        self.charged_nano = None if self.claim.on_credit else charged
        if self.meter.is_capped:
            self.recorders.capped.report(self.model, self.meter, self.call.request_id)

    # ---- Satisfies WatchedCall

    @property
    def model_id(self) -> int:
        return self.model.model_id

    @property
    def caller_id(self) -> int:
        return self.identity.account_id

    @property
    def instance(self) -> int:
        return self.meter.instance_id or 0

    @property
    def waits_for(self) -> str:
        return self.deadline.phase

    @property
    def counts(self) -> bool:
        return not self.call.loads_page

    @property
    def ended_well(self) -> bool:
        return self.recorded or (self.free and self.answered)

    @property
    def service_seconds(self) -> float | None:
        """The time of an answer from a cache, and how long a WebSocket was open, say nothing about the service."""
        if self.meter.instance_id is None or self.meter.cached or self.call.is_socket or self.left:
            return None
        return self.meter.service_seconds(waited=self.waited_seconds)

    def close(self) -> None:
        self.deadline.end()
        if self.tracked is not None:
            self.recorders.samples.ended(self.tracked)
            self.tracked = None
        if not self.recorded:
            self.claim.release()
            if self.error is not None:
                self.recorders.failed.see(self.model, self.error)
        if self.capture is not None:
            self.capture.end(self.error, whole=self.recorded and not self.left, meter=self.meter)
        # An error refers to its frames, and these to this object: clear the cycle instead of leaving it to the GC.
        self.error = self.recheck = self.more = None

    def expect_recorded(self) -> None:
        """Raises NothingAnswered when a stream ended without a part marked as the last."""
        if not self.recorded and not self.free:
            raise NothingAnswered


def _heard(task: asyncio.Task[None]) -> None:
    """Retrieves the task's exception: a caller who left does not."""
    if not task.cancelled():
        task.exception()
