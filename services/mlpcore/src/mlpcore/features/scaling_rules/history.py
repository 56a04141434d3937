"""Stores decisions, writes them to the log of the model, and publishes them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Final, TypedDict

from mlpcore.features.scaling_rules.decision import Counts, Load
from mlpcore.features.scaling_rules.repository import DecisionRepository
from mlpcore.features.scaling_rules.schedule import Bounds
from mlpcore.features.scaling_rules.tables import ScalingDecision
from mlpcore.features.stat_logs.codes import LogCode
from mlpcore.features.stat_logs.service import StatLogs
from mlpcore.metrics import SCALING_DECISIONS
from mlplace_contracts.events import MeasuredValue, ModelScaled
from mlplace_kit.clock import Clock
from mlplace_runtime.db.outbox import Outbox

_DIGITS: Final = 3


class ScalingKind(StrEnum):
    """SLEEP: the last instances stop. HELD: more instances are needed than the maximum allows."""

    SCALE_UP = "SCALE_UP"
    SCALE_DOWN = "SCALE_DOWN"
    SLEEP = "SLEEP"
    WAKE_UP = "WAKE_UP"
    NEED_SCALE_UP = "NEED_SCALE_UP"
    HELD = "HELD"


class ScalingNumbers(TypedDict, total=False):
    """What a decision was made from; what was not known is absent.

    `values`: averages per connected instance over the window, by measure; `recent`: at its end. `waiting`: waiting
    calls. `unusedSeconds`: how long nobody has used the model. `wanted`: the number that the load needs. `detail`: what
    stands against it. `causeAccountId`: the caller who woke the model.
    """

    values: Mapping[str, float]
    recent: Mapping[str, float]
    waiting: float
    starting: int
    unusedSeconds: float
    wanted: int
    detail: str
    causeAccountId: int


def numbers_of(load: Load, counts: Counts) -> ScalingNumbers:
    found = ScalingNumbers(
        values={measure.value: round(value, _DIGITS) for measure, value in load.values.items()},
        recent={measure.value: round(value, _DIGITS) for measure, value in load.recent.items()},
        waiting=round(load.waiting, _DIGITS),
        starting=counts.starting,
    )
    if load.unused is not None:
        found["unusedSeconds"] = round(load.unused.total_seconds(), _DIGITS)
    return found


@dataclass(frozen=True, slots=True)
class Scaled:
    """A decision about a model. `before`, `after`: requested instances."""

    account_id: int
    model_id: int
    kind: ScalingKind
    reason: str
    before: int
    after: int
    connected: int
    bounds: Bounds
    numbers: ScalingNumbers


class ScalingHistory:
    def __init__(
        self,
        repository: DecisionRepository,
        logs: StatLogs,
        outbox: Outbox,
        clock: Clock,
        *,
        after_commit: Callable[[Callable[[], None]], None],
    ) -> None:
        self._repository = repository
        self._logs = logs
        self._outbox = outbox
        self._after_commit = after_commit
        self._clock = clock

    async def add(self, scaled: Scaled) -> None:
        """Writes the decision in the caller's transaction."""
        now = self._clock.now()
        row = _row(scaled, now)
        await self._repository.add(row)
        self._logs.add(
            LogCode.MODEL_SCALED,
            account_id=scaled.account_id,
            model_id=scaled.model_id,
            at=now,
            level="WARNING" if scaled.kind in {ScalingKind.NEED_SCALE_UP, ScalingKind.HELD} else "INFO",
            message=f"{scaled.kind.value}: from {scaled.before} to {scaled.after} instances ({scaled.reason})",
            args={
                "kind": scaled.kind.value,
                "reason": scaled.reason,
                "before": scaled.before,
                "after": scaled.after,
                "numbers": dict(scaled.numbers),
            },
        )
        await self._outbox.add(_event(scaled, row.decision_id, now))
        self._after_commit(SCALING_DECISIONS.labels(kind=scaled.kind.value, reason=scaled.reason).inc)


def _row(scaled: Scaled, now: datetime) -> ScalingDecision:
    return ScalingDecision(
        account_id=scaled.account_id,
        model_id=scaled.model_id,
        decided_at=now,
        kind=scaled.kind.value,
        reason=scaled.reason,
        before=scaled.before,
        after=scaled.after,
        connected=scaled.connected,
        least=scaled.bounds.least,
        most=scaled.bounds.most,
        scheduled=scaled.bounds.scheduled,
        numbers=dict(scaled.numbers),
    )


def _event(scaled: Scaled, decision_id: int, now: datetime) -> ModelScaled:
    return ModelScaled(
        decision_id=decision_id,
        account_id=scaled.account_id,
        model_id=scaled.model_id,
        kind=scaled.kind.value,
        reason=scaled.reason,
        before=scaled.before,
        after=scaled.after,
        connected=scaled.connected,
        decided_at=now,
        values=tuple(
            MeasuredValue(name=name, value=value) for name, value in sorted(scaled.numbers.get("values", {}).items())
        ),
    )
