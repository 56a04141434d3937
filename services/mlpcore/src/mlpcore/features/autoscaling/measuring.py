"""Turns samples into the load of models: sums over the window, divided by the connected instances.

Gates report at the end of each interval, so the window ends with the last whole period of 10 s that ended at least two
seconds ago and that every live gate has reported: without the calls of one gate, the load would look too low. A gate
that has not reported for five minutes, while others have, is left out: it must not stop scaling for ever.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final, Protocol

import structlog

from mlpcore.features.autoscaling.repository import ModelFacts
from mlpcore.features.metrics.gate_reports import COARSE
from mlpcore.features.metrics.kinds import CallKind, GaugeKind, UseFigure
from mlpcore.features.metrics.reading_repository import Calls, SampleReader, TierSpan
from mlpcore.features.metrics.tiers import SAMPLE
from mlpcore.features.placement.reasons import ACCOUNT_LIMIT
from mlpcore.features.scaling_rules.decision import Counts, Load
from mlpcore.features.scaling_rules.rules import Measure
from mlpcore.metrics import SCALING_GATES_LEFT_OUT

log = structlog.get_logger(__name__)

_GRACE: Final = timedelta(seconds=2)
_RECENT: Final = timedelta(seconds=20)
_SILENT: Final = timedelta(seconds=30)
"""Without a report of any gate for so long, nothing is known."""
_LEFT_OUT_AFTER: Final = timedelta(minutes=5)
_NONE: Final = Calls()
_MINUTE: Final = 60.0
_MILLI: Final = 1000.0

Steps = Mapping[datetime, Calls]
Covered = Mapping[datetime, int]
Figures = Mapping[datetime, Sequence[float | None]]


@dataclass(frozen=True, slots=True)
class Sums:
    """What was counted in `seconds` for which gates reported."""

    seconds: int
    calls: Calls
    cpu: float | None
    """Thousandths of a core that all instances used on average."""


class LiveGates(Protocol):
    async def members(self) -> Sequence[str]:
        """Returns the live gates; empty before any gate has announced itself."""
        ...

    async def members_since(self) -> datetime | None:
        """Returns when the set of live gates changed last."""
        ...


class GatesLeftOut:
    """Tells how many live gates do not report, and logs each change of the number."""

    def __init__(self) -> None:
        self._count = 0

    def note(self, count: int) -> None:
        SCALING_GATES_LEFT_OUT.set(count)
        if count > self._count:
            log.warning("scaling_gates_left_out", gates=count, seconds=_LEFT_OUT_AFTER.total_seconds())
        elif count < self._count:
            log.info("scaling_gates_report_again", gates_left_out=count)
        self._count = count


class Loads:
    def __init__(
        self, reader: SampleReader, gates: LiveGates, *, window: timedelta, left_out: GatesLeftOut | None = None
    ) -> None:
        self._reader = reader
        self._gates = gates
        self._window = window
        self._left_out = left_out

    async def read(self, models: Sequence[ModelFacts], now: datetime) -> Mapping[int, Load]:
        """Returns the load of each model."""
        ids = [model.model_id for model in models]
        until = await self._reported_until(now)
        span = TierSpan(SAMPLE, until - self._window, until, SAMPLE.step, now)
        covered = await self._reader.covered(span)
        calls = await self._reader.calls(CallKind.MODEL, ids, span)
        used = await self._reader.gauges(GaugeKind.INSTANCE, ids, span)
        return {
            model.model_id: load_of(
                model, counts_of(model, now), covered, calls.get(model.model_id, {}), used.get(model.model_id, {}), now
            )
            for model in models
        }

    async def _reported_until(self, now: datetime) -> datetime:
        """Returns the end of the newest period that all live gates have reported. Replaced gates count until then.

        A report has no name of its gate, so a missing gate is known by the number of those that report. A gate that has
        just become live gets the time, too.
        """
        gates = max(1, len(await self._gates.members()))
        ends = await self._reader.reported_until(since=now - _LEFT_OUT_AFTER)
        missing = gates - len(ends)
        if missing > 0 and (not ends or await self._changed_lately(now)):
            reached, missing = now - self._window, 0
        else:
            reached = ends[min(gates, len(ends)) - 1]
        if self._left_out:
            self._left_out.note(max(0, missing))
        return SAMPLE.start_of(min(reached + SAMPLE.step / 2, now - _GRACE))

    async def _changed_lately(self, now: datetime) -> bool:
        since = await self._gates.members_since()
        return since is not None and now - since < _LEFT_OUT_AFTER


def counts_of(model: ModelFacts, now: datetime) -> Counts:
    start_timeout = timedelta(seconds=model.start_seconds)
    connected = sum(instance.connected for instance in model.instances)
    starting = sum(
        not instance.connected
        and instance.waiting != ACCOUNT_LIMIT
        and now - instance.start_requested_at < start_timeout
        for instance in model.instances
    )
    return Counts(model.requested, connected, starting)


def load_of(model: ModelFacts, counts: Counts, covered: Covered, calls: Steps, used: Figures, now: datetime) -> Load:
    """`covered`: the seconds of each period that gates reported. Without a report of the last 30 s nothing is known."""
    newest = max(covered, default=None)
    if newest is None or newest + SAMPLE.step <= now - _SILENT:
        return Load({}, {}, known=False)
    whole = _sums(covered, calls, used, newest - timedelta(days=1))
    recent = _sums(covered, calls, used, newest + SAMPLE.step - _RECENT)
    last = _sums(covered, calls, used, newest)
    values = _values(whole, counts)
    ended = whole.calls.answered + whole.calls.failed + whole.calls.refused
    quiet = not (ended or whole.calls.active_ms or whole.calls.waiting_ms)
    earlier = _sums({at: covered[at] for at in covered if at < newest}, calls, used, newest + SAMPLE.step - _RECENT)
    return Load(
        values=values,
        recent=_values(recent, counts),
        waiting=_waiting(last),
        growth=(_waiting(last) - _waiting(earlier)) / SAMPLE.seconds if earlier.seconds else 0.0,
        served=(recent.calls.answered + recent.calls.failed) / recent.seconds / max(1, counts.connected),
        at_once=float(model.calls_at_once or max(1.0, values.get(Measure.ACTIVE, 1.0))),
        quiet=quiet,
        unused=_unused(model, now) if quiet else timedelta(0),
    )


def _unused(model: ModelFacts, now: datetime) -> timedelta | None:
    """A start is a use: whoever started the model is about to call it."""
    used_at = None if model.used_at is None else model.used_at + COARSE
    moments = [used_at, model.changed_at, *(instance.start_requested_at for instance in model.instances)]
    known = [moment for moment in moments if moment is not None]
    return max(timedelta(0), now - max(known)) if known else None


def _sums(covered: Covered, calls: Steps, used: Figures, since: datetime) -> Sums:
    starts = [at for at in covered if at >= since]
    chosen = [calls[at] for at in starts if at in calls]
    cpu = [value for at in starts if at in used and (value := used[at][UseFigure.CPU - 1]) is not None]
    return Sums(sum(covered[at] for at in starts), _added(chosen), sum(cpu) / len(cpu) if cpu else None)


def _added(steps: Sequence[Calls]) -> Calls:
    return Calls(
        answered=sum(step.answered for step in steps),
        failed=sum(step.failed for step in steps),
        refused=sum(step.refused for step in steps),
        active_ms=sum(step.active_ms for step in steps),
        waiting_ms=sum(step.waiting_ms for step in steps),
        timed=sum(step.timed for step in steps),
        time_ms=sum(step.time_ms for step in steps),
        waited=sum(step.waited for step in steps),
        wait_ms=sum(step.wait_ms for step in steps),
    )


def _waiting(sums: Sums) -> float:
    return sums.calls.waiting_ms / _MILLI / sums.seconds if sums.seconds else 0.0


def _values(sums: Sums, counts: Counts) -> Mapping[Measure, float]:
    if not sums.seconds:
        return {}
    calls, instances = sums.calls, max(1, counts.connected)
    ended = calls.answered + calls.failed + calls.refused
    values = {
        Measure.ACTIVE: calls.active_ms / _MILLI / sums.seconds / instances,
        # Callers who leave are not charged, so the calls that they leave must not cost the owner an instance.
        Measure.REQUESTS: (calls.answered + calls.failed) * _MINUTE / sums.seconds / instances,
    }
    if sums.cpu is not None:
        values[Measure.CPU] = sums.cpu / instances
    if calls.timed:
        values[Measure.LATENCY] = calls.time_ms / calls.timed
    if ended or calls.waited:
        values[Measure.QUEUE_TIME] = calls.wait_ms / max(ended, calls.waited)
    return values
