"""Answers what a configuration would have done: replays the recorded load, and sums up both."""

from collections.abc import Sequence
from datetime import timedelta
from functools import partial
from typing import Final, Protocol

from mlpcore.calculations import Calculations
from mlpcore.features.autoscaling.recorded import Record, RecordedLoads
from mlpcore.features.autoscaling.replay import STEP, WOKEN, Replay, Replayed, ReplayedModel
from mlpcore.features.autoscaling.schemas import DryRunData, DryRunDecisionData, DryRunSumsData
from mlpcore.features.models.settings.blocks import ModelAutoScalingConfiguration
from mlpcore.features.models.tables import Model
from mlpcore.features.scaling_rules.decision import Decision
from mlpcore.features.scaling_rules.history import ScalingKind
from mlpcore.features.scaling_rules.rules import Rules
from mlplace_kit.clock import Clock, to_milliseconds

_DEFAULT_START_SECONDS: Final = 30.0
_MOST_POINTS: Final = 288
_MOST_DECISIONS: Final = 500
_MINUTE: Final = timedelta(minutes=1)
_STEPS_PER_MINUTE: Final = _MINUTE // STEP
_PART: Final = 0.95
_MILLI: Final = 1000.0
_DIGITS: Final = 3


class Starts(Protocol):
    async def average_start_seconds(self, model_id: int) -> float | None:
        """Returns the mean duration of the last starts."""
        ...


class Prices(Protocol):
    async def price_of_instance_hour(self, model: Model) -> float | None:
        """Returns the share of the price of its servers that one instance causes; None if they have no price."""
        ...


class RulesOfConfiguration(Protocol):
    async def of_configuration(self, model: Model, configuration: ModelAutoScalingConfiguration) -> Rules: ...


class DryRuns:
    def __init__(
        self,
        loads: RecordedLoads,
        starts: Starts,
        prices: Prices,
        rules: RulesOfConfiguration,
        calculations: Calculations,
        clock: Clock,
    ) -> None:
        self._loads = loads
        self._starts = starts
        self._prices = prices
        self._rules = rules
        self._calculations = calculations
        self._clock = clock

    async def run(self, model: Model, configuration: ModelAutoScalingConfiguration, *, hours: int) -> DryRunData:
        """Raises TooManyCalculations, ValidationFailed."""
        with self._calculations.slot(model.account_id):
            return await self._run(model, configuration, hours)

    async def _run(self, model: Model, configuration: ModelAutoScalingConfiguration, hours: int) -> DryRunData:
        record = await self._loads.read(model, hours=hours, now=self._clock.now())
        measured = await self._starts.average_start_seconds(model.model_id)
        price = await self._prices.price_of_instance_hour(model)
        queue = model.priority_queue
        replayed_model = ReplayedModel(
            await self._rules.of_configuration(model, configuration),
            start_seconds=measured if measured is not None else model.start_time_sec or _DEFAULT_START_SECONDS,
            calls_at_once=int(queue["concurrencyLevel"]) if queue.get("enabled") else None,
            woken=max(1, model.min_instances_count),
        )
        first = next((count for count in record.instances if count is not None), 0.0)
        replay = Replay(replayed_model, start=record.since, instances=round(first))
        replayed = await self._calculations.run(partial(replay.run, record.minutes))
        return _data(record, replayed, replayed_model, price)


def _data(record: Record, replayed: Replayed, model: ReplayedModel, price: float | None) -> DryRunData:
    minutes = len(record.minutes)
    every = max(5, -(-minutes // _MOST_POINTS))
    chunks = [range(at, min(at + every, minutes)) for at in range(0, minutes, every)]
    known = [minute.known for minute in record.minutes]
    requested = _per_minute([float(count) for count in replayed.requested])
    waiting = _per_minute(replayed.waiting)
    return DryRunData(
        since=to_milliseconds(record.since),
        step_seconds=every * 60,
        known_minutes=sum(known),
        requests_per_minute=[
            _mean([record.minutes[at].calls if known[at] else None for at in chunk]) for chunk in chunks
        ],
        instances=[_mean([requested[at] for at in chunk]) or 0.0 for chunk in chunks],
        actual_instances=[_mean([record.instances[at] for at in chunk]) for chunk in chunks],
        waiting=[_mean([waiting[at] for at in chunk]) or 0.0 for chunk in chunks],
        simulated=_simulated(record, replayed, requested, price),
        actual=_actual(record, price),
        decision_count=len(replayed.decisions),
        decisions=[
            DryRunDecisionData(
                decided_at=to_milliseconds(at),
                kind=_kind(before, decision),
                reason=decision.reason,
                before=before,
                after=decision.wanted,
            )
            for at, decision, before in replayed.decisions[:_MOST_DECISIONS]
        ],
        start_seconds=round(model.start_seconds, _DIGITS),
        calls_at_once=model.calls_at_once,
        price_of_instance_hour=price,
    )


def _compared(record: Record) -> Sequence[bool]:
    """Says of each minute whether both its calls and its number of instances are known."""
    return [minute.known and count is not None for minute, count in zip(record.minutes, record.instances, strict=True)]


def _simulated(record: Record, replayed: Replayed, requested: Sequence[float], price: float | None) -> DryRunSumsData:
    """Hours count the same minutes as those of what was, if there are any."""
    compared = _compared(record)
    chosen = [count for count, known in zip(requested, compared, strict=True) if known or not any(compared)]
    wait = replayed.wait_quantile(_PART)
    return _sums(
        sum(chosen) / 60,
        price,
        None if wait is None else wait * _MILLI,
        max(replayed.requested, default=0),
    )


def _actual(record: Record, price: float | None) -> DryRunSumsData:
    """Hours count the minutes whose calls and number of instances are known."""
    compared = _compared(record)
    known = [count for count, counts in zip(record.instances, compared, strict=True) if counts and count is not None]
    hours = sum(known) / 60 if known else None
    return _sums(hours, price, record.p95_wait_ms, round(max(known)) if known else None)


def _sums(hours: float | None, price: float | None, wait: float | None, most: int | None) -> DryRunSumsData:
    return DryRunSumsData(
        instance_hours=None if hours is None else round(hours, _DIGITS),
        cost=None if hours is None or price is None else round(hours * price, _DIGITS),
        p95_wait_ms=None if wait is None else round(wait, _DIGITS),
        most_instances=most,
    )


def _kind(before: int, decision: Decision) -> ScalingKind:
    if decision.wanted == 0:
        return ScalingKind.SLEEP
    if decision.reason == WOKEN:
        return ScalingKind.WAKE_UP
    return ScalingKind.SCALE_UP if decision.wanted > before else ScalingKind.SCALE_DOWN


def _per_minute(steps: Sequence[float]) -> Sequence[float]:
    return [
        sum(steps[at : at + _STEPS_PER_MINUTE]) / _STEPS_PER_MINUTE for at in range(0, len(steps), _STEPS_PER_MINUTE)
    ]


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return round(sum(known) / len(known), _DIGITS) if known else None
