"""Answers what autoscaling has decided about a model, and what it sees now."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Protocol

from mlpcore.features.autoscaling.measuring import Loads, counts_of
from mlpcore.features.autoscaling.repository import ModelFacts
from mlpcore.features.autoscaling.schemas import ScalingDecisionData, ScalingStateData, decision_data
from mlpcore.features.models.tables import Model
from mlpcore.features.scaling_rules.decision import decide
from mlpcore.features.scaling_rules.rules import Rules
from mlpcore.features.scaling_rules.tables import ScalingDecision
from mlplace_contracts.enums import HostingType
from mlplace_kit.clock import Clock, to_milliseconds


class DecisionsOfModels(Protocol):
    async def of_model(
        self, *, account_id: int, model_id: int, before: int | None, since: datetime | None, limit: int
    ) -> Sequence[ScalingDecision]:
        """Returns the newest ones first."""
        ...


class FactsOfModels(Protocol):
    async def of_any_hosting(self, model_id: int) -> ModelFacts:
        """Returns the facts of a model, whatever its hosting type."""
        ...


class RulesOfModels(Protocol):
    async def of_model(self, model: Model) -> Rules: ...


class AutoscalingService:
    def __init__(
        self,
        decisions: DecisionsOfModels,
        facts: FactsOfModels,
        loads: Loads,
        rules: RulesOfModels,
        clock: Clock,
        *,
        window: timedelta,
    ) -> None:
        self._decisions = decisions
        self._facts = facts
        self._loads = loads
        self._rules = rules
        self._clock = clock
        self._window = window

    async def decisions(
        self, model: Model, *, before: int | None, minutes: int | None, limit: int
    ) -> list[ScalingDecisionData]:
        """Returns the newest ones first: with ids below `before`, of the last `minutes`."""
        since = None if minutes is None else self._clock.now() - timedelta(minutes=minutes)
        found = await self._decisions.of_model(
            account_id=model.account_id, model_id=model.model_id, before=before, since=since, limit=limit
        )
        return [decision_data(row) for row in found]

    async def state(self, model: Model) -> ScalingStateData:
        now, rules = self._clock.now(), await self._rules.of_model(model)
        facts = await self._facts.of_any_hosting(model.model_id)
        load = (await self._loads.read([facts], now))[model.model_id]
        counts, bounds = counts_of(facts, now), rules.bounds(now)
        decision = decide(rules, load, counts, changed_at=facts.changed_at, now=now)
        rests_until = None if facts.changed_at is None else facts.changed_at + rules.cooldown
        return ScalingStateData(
            automatic=model.hosting_type == HostingType.AUTOMATIC,
            enabled=bool(model.auto_scaling_configuration.get("enabled")),
            requested=counts.requested,
            connected=counts.connected,
            starting=counts.starting,
            min_instances=bounds.least,
            max_instances=bounds.most,
            scheduled=bounds.scheduled,
            window_seconds=int(self._window.total_seconds()),
            known=load.known,
            values={measure.value: round(value, 3) for measure, value in load.values.items()},
            waiting=round(load.waiting, 3),
            unused_seconds=None if load.unused is None else round(load.unused.total_seconds(), 3),
            cooldown_until=to_milliseconds(rests_until) if rests_until is not None and rests_until > now else None,
            wanted=decision.needed or decision.wanted,
            reason=decision.reason,
            trouble=facts.trouble,
        )
