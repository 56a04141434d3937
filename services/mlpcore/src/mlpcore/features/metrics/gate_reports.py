"""Adds up what gates report of calls. A report counts once, however often and in whichever order it arrives."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from operator import attrgetter
from typing import Final, Protocol

import structlog

from mlpcore.features.call_statistics.histogram import LARGEST_BUCKET
from mlpcore.features.metrics.kinds import CallKind
from mlpcore.features.metrics.repository import SampleRepository
from mlpcore.features.metrics.tables import SUMS
from mlpcore.features.metrics.tiers import SAMPLE
from mlplace_contracts.events import CallsSampled, InstanceSample
from mlplace_kit.clock import Clock

log = structlog.get_logger(__name__)

COARSE: Final = timedelta(seconds=20)
"""So much earlier than a call may be noted as the last use of its model."""
_LONGEST = timedelta(minutes=10)
"""A gate that was paused reports a longer interval."""

_MOST: Final = 10**12
"""A larger number in one report counts neither calls nor time. Millions of such numbers still add up to a bigint."""
_LARGEST_ID: Final = 2**63 - 1

_numbers = attrgetter(*SUMS)  # this way an interval of many services costs half as much
_ANSWERED, _REFUSED = SUMS.index("answered"), SUMS.index("refused")

Key = tuple[int, int, datetime, int]
"""Kind, subject, start, part: the key of a row."""


class CallSums:
    """What reports add to one row."""

    __slots__ = ("histogram", "largest", "largest_wait", "least", "sums")

    def __init__(self) -> None:
        self.sums = [0] * len(SUMS)
        self.histogram: dict[int, int] = {}
        self.least: int | None = None
        self.largest: int | None = None
        self.largest_wait: int | None = None

    def add(self, sample: InstanceSample) -> None:
        """Adds a sample. Numbers that no gate sends, negative or too large ones, count as the nearest possible one."""
        self.sums = [known + _bounded(number) for known, number in zip(self.sums, _numbers(sample), strict=True)]
        if sample.timed > 0:
            least = _bounded(sample.min_ms)
            self.least = least if self.least is None else min(self.least, least)
            self.largest = max(self.largest or 0, _bounded(sample.max_ms))
        if sample.waited > 0:
            self.largest_wait = max(self.largest_wait or 0, _bounded(sample.max_wait_ms))
        histogram = self.histogram
        for number, count in zip(sample.time_buckets, sample.time_counts, strict=False):
            bucket = _bucket(number)
            histogram[bucket] = histogram.get(bucket, 0) + _bounded(count)
        for number, count in zip(sample.wait_buckets, sample.wait_counts, strict=False):
            bucket = -_bucket(number)
            histogram[bucket] = histogram.get(bucket, 0) + _bounded(count)

    def row(self, key: Key) -> dict[str, object]:
        kind, subject, start, part = key
        buckets = sorted(self.histogram.items())
        return {
            "kind": kind,
            "subject_id": subject,
            "start": start,
            "part_id": part,
            **dict(zip(SUMS, self.sums, strict=True)),
            "min_ms": self.least,
            "max_ms": self.largest,
            "max_wait_ms": self.largest_wait,
            "buckets": [bucket for bucket, _ in buckets],
            "counts": [count for _, count in buckets],
        }


def _bounded(number: int) -> int:
    return number if 0 <= number <= _MOST else max(0, min(number, _MOST))


def _bucket(number: int) -> int:
    return number if 1 <= number <= LARGEST_BUCKET else max(1, min(number, LARGEST_BUCKET))


class Activity(Protocol):
    async def note_models(self, moments: Mapping[int, datetime], *, coarse: timedelta) -> None:
        """Stores when models were used."""
        ...


class GateReports:
    def __init__(self, repository: SampleRepository, activity: Activity, clock: Clock) -> None:
        self._repository = repository
        self._activity = activity
        self._clock = clock

    async def store(self, reports: Sequence[CallsSampled]) -> None:
        """Adds the reports that were not counted before. Those of a time that is no longer kept are dropped."""
        now = self._clock.now()
        reports = [report for report in reports if 0 <= report.sequence <= _LARGEST_ID]
        fresh = await self._repository.fresh_reports({(r.reporter, r.sequence): r.ended_at for r in reports}, now)
        counted: list[CallsSampled] = []
        for report in reports:
            if (report.reporter, report.sequence) not in fresh:
                continue
            fresh.discard((report.reporter, report.sequence))  # the batch may hold it twice
            if report.ended_at <= now - SAMPLE.kept:
                log.warning("samples_too_late", reporter=str(report.reporter), ended_at=report.ended_at.isoformat())
                continue
            counted.append(report)
        rows, used = _added_up(counted, now)
        await self._repository.add_calls([sums.row(key) for key, sums in rows.items()])
        await self._repository.cover({start for r in counted for start in periods_of(r, now)}, by_gates=True)
        await self._activity.note_models(used, coarse=COARSE)


def _added_up(reports: Sequence[CallsSampled], now: datetime) -> tuple[Mapping[Key, CallSums], Mapping[int, datetime]]:
    """Returns the rows to add, and when models had calls in progress: an open stream is a use of its model."""
    rows: dict[Key, CallSums] = {}
    used: dict[int, datetime] = {}
    for report in reports:
        start = periods_of(report, now)[-1]
        moment = min(report.ended_at, now)
        for sample in report.instances:
            if not (0 < sample.model_id <= _LARGEST_ID and 0 <= sample.instance_id <= _LARGEST_ID):
                log.warning("sample_dropped", reporter=str(report.reporter), model_id=sample.model_id)
                continue
            _row_of(rows, (CallKind.MODEL.value, sample.model_id, start, sample.instance_id)).add(sample)
            if sample.active_ms > 0 or sample.waiting_ms > 0:
                used[sample.model_id] = max(moment, used.get(sample.model_id, moment))
        for caller in report.callers:
            if not 0 < caller.account_id <= _LARGEST_ID:
                log.warning("sample_dropped", reporter=str(report.reporter), account_id=caller.account_id)
                continue
            sums = _row_of(rows, (CallKind.CALLER.value, caller.account_id, start, 0)).sums
            calls = _bounded(caller.calls)
            exceeded = min(_bounded(caller.exceeded), calls)
            sums[_ANSWERED] += calls - exceeded
            sums[_REFUSED] += exceeded
    return rows, used


def _row_of(rows: dict[Key, CallSums], key: Key) -> CallSums:
    found = rows.get(key)
    if found is None:
        found = rows[key] = CallSums()
    return found


def periods_of(report: CallsSampled, now: datetime) -> list[datetime]:
    """Returns the 10 s periods that the report covers, the oldest first; what it counted belongs to the last one.

    A period is covered if the report holds its middle: a gate reports some milliseconds after a period's end. The clock
    of a gate may run ahead: the future is now.
    """
    ended = min(report.ended_at, now)
    began = max(min(report.started_at, ended), ended - _LONGEST)
    half = SAMPLE.step / 2
    last = SAMPLE.start_of(max(began, ended - half))
    first = SAMPLE.start_of(began + half)
    count = max(1, (last - first) // SAMPLE.step + 1)
    return [last - SAMPLE.step * number for number in reversed(range(count))]
