"""Looks at due AUTOMATIC models, decides for each, and applies what changes.

The decisions of a batch are made from one reading. Each change is a transaction of its own, which holds the model's
request and changes nothing if somebody else was faster.
"""

import asyncio
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final
from zoneinfo import ZoneInfo

import structlog

from mlpcore.features.autoscaling.changes import Changes, Finding
from mlpcore.features.autoscaling.measuring import GatesLeftOut, Loads, counts_of
from mlpcore.features.autoscaling.repository import AutoscalingRepository, ModelFacts
from mlpcore.features.instances.dependencies import connections_of
from mlpcore.features.instances.desired.scaling import RequestMoved
from mlpcore.features.metrics.reading_repository import SampleReader
from mlpcore.features.scaling_rules.decision import Load, decide
from mlpcore.features.scaling_rules.rules import Rules, rules_of
from mlpcore.metrics import SCALING_MODELS, SCALING_SECONDS
from mlpcore.state import CoreState

log = structlog.get_logger(__name__)

_BATCH: Final = 200


class Autoscaler:
    def __init__(self, state: CoreState, changes: Changes | None = None) -> None:
        self._state = state
        self._changes = changes or Changes(state)
        self._left_out = GatesLeftOut()
        settings = state.settings
        self._lease = timedelta(seconds=settings.autoscaling_seconds)
        self._window = timedelta(seconds=settings.autoscaling_window_seconds)
        self._minute = timedelta(seconds=settings.autoscaling_minute_seconds)

    async def register(self) -> None:
        """Brings the list of AUTOMATIC models up to date."""
        async with self._state.database.transaction() as session:
            await AutoscalingRepository(session).register(self._state.clock.now())

    async def turn(self) -> None:
        """Looks at all models that are due and that no other process has taken."""
        while await self._batch() == _BATCH:
            pass

    async def _batch(self) -> int:
        with SCALING_SECONDS.time():
            now = self._state.clock.now()
            async with self._state.database.transaction() as session:
                claimed = await AutoscalingRepository(session).claim(now=now, lease=self._lease, limit=_BATCH)
            if claimed:
                await self._look(claimed, now)
        SCALING_MODELS.inc(len(claimed))
        return len(claimed)

    async def _look(self, model_ids: Sequence[int], now: datetime) -> None:
        async with self._state.database.transaction() as session:
            models = await AutoscalingRepository(session).facts(model_ids)
            reading = Loads(
                SampleReader(session), connections_of(session), window=self._window, left_out=self._left_out
            )
            loads = await reading.read(models, now)
        for model in models:
            if not model.busy:
                try:
                    await self._decide(model, loads[model.model_id], now)
                except RequestMoved:
                    log.info("scaling_overtaken", model_id=model.model_id)
                except Exception:
                    log.exception("scaling_failed", model_id=model.model_id)
                await asyncio.sleep(0)  # a decision that changes nothing waits for nothing

    async def _decide(self, model: ModelFacts, load: Load, now: datetime) -> None:
        rules, counts = self._rules(model), counts_of(model, now)
        decision = decide(rules, load, counts, changed_at=model.changed_at, now=now)
        finding = Finding(model, decision, counts, load, rules.bounds(now))
        await self._changes.notify(finding, await self._changes.apply(finding))

    def _rules(self, model: ModelFacts) -> Rules:
        return rules_of(
            model.configuration,
            least_by_default=model.least_by_default,
            zone=self._state.settings.zone if model.time_zone is None else ZoneInfo(model.time_zone),
            minute=self._minute,
        )
