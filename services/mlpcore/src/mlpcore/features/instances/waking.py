"""Calls wake models: gates report calls to models without an instance, and each such model gets one."""

from collections.abc import Sequence
from datetime import timedelta

import structlog
from sqlalchemy.ext.asyncio import AsyncSession

from mlpcore.errors import LicenseLimitExceeded
from mlpcore.features.instances.dependencies import scaling_of
from mlpcore.features.instances.errors import (
    HostingTypeUnavailable,
    InstanceLimitExceeded,
    PrototypeNotStarted,
    ResourceLimitExceeded,
)
from mlpcore.features.instances.request_repository import RequestRepository
from mlpcore.features.models.tables import Model
from mlpcore.features.stat_logs.codes import LogCode
from mlpcore.features.stat_logs.dependencies import stat_logs_of
from mlpcore.state import CoreState
from mlplace_contracts.events import Event, WakeUpWanted
from mlplace_contracts.topics import WAKE_UPS
from mlplace_kit.errors import ModelNotFound
from mlplace_runtime.bus.consumer import Consumer

log = structlog.get_logger(__name__)

_REFUSALS = (
    HostingTypeUnavailable, PrototypeNotStarted, InstanceLimitExceeded, ResourceLimitExceeded, LicenseLimitExceeded,
    ModelNotFound,
)  # fmt: skip
_STALE = timedelta(minutes=10)
"""Older events are ignored: after an outage of the bus, their callers have given up."""


def wake_ups_consumer(state: CoreState) -> Consumer:
    async def handle(session: AsyncSession, events: Sequence[Event]) -> None:
        newest = {event.model_id: event for event in events if isinstance(event, WakeUpWanted)}
        for model_id in sorted(newest):
            await WakeUps(session, state).apply(newest[model_id])

    return Consumer(name="mlpcore.wake-ups", topics=(WAKE_UPS,), types=(WakeUpWanted,), handle=handle)


class WakeUps:
    def __init__(self, session: AsyncSession, state: CoreState) -> None:
        self._session = session
        self._state = state
        self._requests = RequestRepository(session)

    async def apply(self, event: WakeUpWanted) -> None:
        """Wakes the model, unless it has requested instances already: the reconciler starts those."""
        model = await self._requests.model(event.model_id)
        if model is None or model.deleted_at is not None or model.account_id != event.account_id:
            return
        stale = self._state.clock.now() - event.occurred_at > _STALE
        if stale or model.prototype or await self._requests.requested(model.model_id):
            return
        try:
            async with self._session.begin_nested():
                await self._wake(model, event)
        except _REFUSALS as refusal:
            log.info("model_not_woken", model_id=model.model_id, reason=refusal.code)

    async def _wake(self, model: Model, event: WakeUpWanted) -> None:
        scaling = scaling_of(self._session, self._state)
        if not await scaling.wake_up(model, by="call", cause=event.caller_account_id):
            return  # its schedule leaves it without instances now
        stat_logs_of(self._session).add(
            LogCode.WAKE_UP,
            account_id=model.account_id,
            model_id=model.model_id,
            at=self._state.clock.now(),
            message="A call woke the service",
            args={"causeAccountId": event.caller_account_id},
        )
