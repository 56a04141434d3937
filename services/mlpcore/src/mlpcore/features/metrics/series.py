"""Turns what was read into series of values. What is not known has no point."""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Final

from mlpcore.features.metrics.reading_repository import Calls, Histograms

Series = Mapping[datetime, float]
Figures = Mapping[datetime, Sequence[float | None]]
_MILLI: Final = 1000.0
_MINUTE: Final = 60.0
NO_CALLS: Final = Calls()


def counted(calls: Mapping[datetime, Calls], covered: Mapping[datetime, int], of: Callable[[Calls], int]) -> Series:
    """Returns numbers of calls. Where gates reported and nothing was counted, the number is 0."""
    return {at: float(of(calls.get(at, NO_CALLS))) for at in covered}


def per_minute(calls: Mapping[datetime, Calls], covered: Mapping[datetime, int], of: Callable[[Calls], int]) -> Series:
    return {at: of(calls.get(at, NO_CALLS)) * _MINUTE / seconds for at, seconds in covered.items()}


def at_once(calls: Mapping[datetime, Calls], covered: Mapping[datetime, int], of: Callable[[Calls], int]) -> Series:
    """Returns how many calls there were at once on average. `of`: the time that all of them spent, in milliseconds."""
    return {at: of(calls.get(at, NO_CALLS)) / _MILLI / seconds for at, seconds in covered.items()}


def where_known(calls: Mapping[datetime, Calls], of: Callable[[Calls], float | None]) -> Series:
    found = {at: of(each) for at, each in calls.items()}
    return {at: value for at, value in found.items() if value is not None}


def percentile(histograms: Mapping[datetime, Histograms], part: float, *, waits: bool = False) -> Series:
    found = {at: (each.waits if waits else each.times).quantile_ms(part) for at, each in histograms.items()}
    return {at: float(value) for at, value in found.items() if value is not None}


def figure(rows: Figures, position: int, *, scale: float = 1.0, noted: Figures | None = None) -> Series:
    """Returns one figure. `noted`: the steps in which states were noted; what has no row then was 0."""
    found = {at: figures[position - 1] for at, figures in rows.items()}
    known = {at: value * scale for at, value in found.items() if value is not None}
    if noted is None:
        return known
    return {at: 0.0 for at in noted if at not in rows} | known


def added(series: Sequence[Series | None]) -> Series:
    """Adds up series of several subjects; a subject without a point has nothing at that time."""
    total: dict[datetime, float] = {}
    for one in series:
        for at, value in (one or {}).items():
            total[at] = total.get(at, 0.0) + value
    return total


def average_time(calls: Calls) -> float | None:
    return calls.time_ms / calls.timed if calls.timed else None


def average_wait(calls: Calls) -> float | None:
    """Calls that did not wait count as waits of 0; None without calls."""
    total = calls.answered + calls.failed + calls.refused
    return calls.wait_ms / max(total, calls.waited) if total or calls.waited else None


def least_time(calls: Calls) -> float | None:
    return None if calls.min_ms is None else float(calls.min_ms)


def largest_time(calls: Calls) -> float | None:
    return None if calls.max_ms is None else float(calls.max_ms)


def largest_wait(calls: Calls) -> float | None:
    return None if calls.max_wait_ms is None else float(calls.max_wait_ms)
