"""Histograms for values measured several times per call: plain lists on the event loop, read on demand.

The client library's own histogram takes two locks and walks over the buckets for each value.
"""

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from math import isinf
from typing import Final

from prometheus_client import REGISTRY, CollectorRegistry
from prometheus_client.metrics_core import HistogramMetricFamily
from prometheus_client.registry import Collector


class Timing:
    """One set of labels. Only one thread may call `observe`."""

    __slots__ = ("_bounds", "counts", "labels", "total")

    def __init__(self, bounds: Sequence[float], labels: Sequence[str]) -> None:
        self._bounds = bounds
        self.labels: Final = labels
        self.counts = [0] * (len(bounds) + 1)
        self.total = 0.0

    def observe(self, seconds: float) -> None:
        self.total += seconds
        self.counts[bisect_left(self._bounds, seconds)] += 1


class Timings(Collector):
    """A histogram. `buckets` are ascending upper bounds; the last, unbounded one is added."""

    def __init__(
        self,
        name: str,
        documentation: str,
        labels: Sequence[str] = (),
        *,
        buckets: Sequence[float],
        registry: CollectorRegistry = REGISTRY,
    ) -> None:
        self._name = name
        self._documentation = documentation
        self._labels = labels
        self._buckets = tuple(buckets)
        self._timings: dict[tuple[str, ...], Timing] = {}
        registry.register(self)

    def labels(self, *values: str) -> Timing:
        """Keep the returned object: the look-up costs more than an observation."""
        timing = self._timings.get(values)
        if timing is None:
            timing = self._timings[values] = Timing(self._buckets, values)
        return timing

    def describe(self) -> Iterable[HistogramMetricFamily]:
        return [HistogramMetricFamily(self._name, self._documentation, labels=self._labels)]

    def collect(self) -> Iterable[HistogramMetricFamily]:
        family = HistogramMetricFamily(self._name, self._documentation, labels=self._labels)
        for timing in list(self._timings.values()):
            family.add_metric(timing.labels, self._cumulated(timing), timing.total)
        return [family]

    def _cumulated(self, timing: Timing) -> list[tuple[str, float]]:
        sums: list[tuple[str, float]] = []
        seen = 0
        for bound, count in zip((*self._buckets, float("inf")), timing.counts, strict=True):
            seen += count
            sums.append(("+Inf" if isinf(bound) else repr(float(bound)), float(seen)))
        return sums
