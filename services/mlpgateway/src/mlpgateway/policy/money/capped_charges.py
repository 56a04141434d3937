"""Reports to owners that their services claim higher prices than are charged."""

import asyncio
from collections.abc import Callable
from typing import Final, Protocol

import structlog

from mlpgateway.call.wake_up import Writer
from mlpgateway.errors.calls import UsageNotRecorded
from mlpgateway.metrics import CAPPED_CHARGES
from mlplace_contracts.events import CappedBy, ChargeCapped, ModelChanged
from mlplace_kit.clock import Clock
from mlplace_kit.pricing import Cost

log = structlog.get_logger(__name__)

_AGAIN_SECONDS: Final = 600.0
_MOST_REMEMBERED: Final = 10_000


class Metered(Protocol):
    @property
    def cost(self) -> Cost: ...

    @property
    def reported(self) -> Cost: ...

    @property
    def capped_by(self) -> CappedBy | None: ...


class CappedCharges:
    """Counts each capped charge. Reports at once, and at most every ten minutes per model. Mlpcore, which notifies
    owners, removes duplicates.
    """

    def __init__(self, writer: Writer, clock: Clock, now: Callable[[], float]) -> None:
        """`now` returns monotonic seconds."""
        self._writer = writer
        self._clock = clock
        self._now = now
        self._reported: dict[int, float] = {}

    def report(self, model: ModelChanged, meter: Metered, request_id: str) -> None:
        """Reports the charge if it was capped. Call it after the usage was written. Owners' own calls have no cap."""
        by = meter.capped_by
        if by is None:
            return
        CAPPED_CHARGES.labels(by).inc()
        now = self._now()
        if now - self._reported.get(model.model_id, -_AGAIN_SECONDS) < _AGAIN_SECONDS:
            return
        if len(self._reported) >= _MOST_REMEMBERED:
            self._reported.clear()
        self._reported[model.model_id] = now
        event = ChargeCapped(
            account_id=model.account_id,
            model_id=model.model_id,
            model_name=model.model_name,
            request_id=request_id,
            capped_by=by,
            reported_amount_nano=meter.reported.nano,
            amount_nano=meter.cost.nano,
            currency=model.billing.currency,
            occurred_at=self._clock.now(),
        )
        try:
            self._writer.add(event).add_done_callback(lambda written: self._written(model.model_id, written))
        except UsageNotRecorded:
            self._reported.pop(model.model_id, None)

    def _written(self, model_id: int, written: asyncio.Future[None]) -> None:
        """Lets the next call report again when the event was not written."""
        if written.cancelled() or written.exception() is not None:
            self._reported.pop(model_id, None)
            log.warning("capped_charge_not_written", model_id=model_id)
