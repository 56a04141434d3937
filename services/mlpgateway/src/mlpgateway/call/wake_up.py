"""Wakes sleeping models: asks mlpcore for an instance, once for all calls that arrive meanwhile."""

import asyncio
from collections.abc import Callable
from typing import Final, Protocol

import structlog

from mlpgateway.call.plan import Plan
from mlpgateway.errors.calls import UsageNotRecorded
from mlpgateway.metrics import WAKE_UPS
from mlplace_contracts.events import Event, WakeUpWanted
from mlplace_kit.clock import Clock

log = structlog.get_logger(__name__)

AGAIN_SECONDS: Final = 10.0
_MOST_REMEMBERED: Final = 10_000
_WEIGHT: Final = 0.3


class Writer(Protocol):
    def add(self, event: Event) -> asyncio.Future[None]: ...


class Waker:
    """Requests instances of sleeping models. Also estimates how long a model takes to start."""

    def __init__(self, writer: Writer, clock: Clock, now: Callable[[], float]) -> None:
        """`now` returns monotonic seconds."""
        self._writer = writer
        self._clock = clock
        self._now = now
        self._asked: dict[int, float] = {}
        self._starts: dict[int, float] = {}

    def want(self, plan: Plan, caller_account_id: int) -> None:
        """Requests an instance, at most once in ten seconds. After a failed write the next call requests again."""
        model, now = plan.model, self._now()
        if not plan.wakeable or now - self._asked.get(model.model_id, -AGAIN_SECONDS) < AGAIN_SECONDS:
            return
        if len(self._asked) >= _MOST_REMEMBERED:
            self._asked.clear()
        self._asked[model.model_id] = now
        event = WakeUpWanted(
            account_id=model.account_id,
            model_id=model.model_id,
            caller_account_id=caller_account_id,
            occurred_at=self._clock.now(),
        )
        try:
            self._writer.add(event).add_done_callback(lambda written: self._written(model.model_id, written))
        except UsageNotRecorded:
            self._asked.pop(model.model_id, None)

    def _written(self, model_id: int, written: asyncio.Future[None]) -> None:
        if written.cancelled() or written.exception() is not None:
            self._asked.pop(model_id, None)
            log.warning("wake_up_not_written", model_id=model_id)
        else:
            WAKE_UPS.inc()

    def runs(self, model_id: int) -> None:
        """Records that the model has an instance: when that one goes, the next call may request another at once."""
        self._asked.pop(model_id, None)

    def started(self, model_id: int, seconds: float) -> None:
        """Records that an instance started `seconds` after the first call that waited for it."""
        known = self._starts.get(model_id)
        if known is None and len(self._starts) >= _MOST_REMEMBERED:
            self._starts.clear()
        self._starts[model_id] = seconds if known is None else known + _WEIGHT * (seconds - known)

    def estimate(self, model_id: int) -> float | None:
        """Returns the expected seconds of a start; None when this gate has seen no start of the model."""
        return self._starts.get(model_id)
