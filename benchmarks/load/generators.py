"""Load generator processes, one for each pair of the cores that are not measured, and their merged results."""

import json
import subprocess
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from types import TracebackType
from typing import Self

from benchmarks.load.requests import Order, Outcome
from benchmarks.machine import Cores, on
from benchmarks.processes import ROOT, module
from benchmarks.spread import histogram, percentile


class BadAnswerError(Exception):
    """The measured process gave a wrong answer, so its figures mean nothing."""


@dataclass(frozen=True, slots=True)
class Sample:
    """Result of one window. `cpu_us` is the measured process's processor time for each request."""

    per_second: float
    cpu_us: float
    p50_us: float
    p95_us: float
    p99_us: float
    generator_busy: float
    """Share of a core that the busiest load generator used."""

    histogram: Mapping[str, int]
    """Number of answers by latency, with the edges of `spread.histogram`."""
    frames_per_second: float = 0.0
    frame_cpu_us: float = 0.0
    merged: int = 0
    worst_gap_us: float = 0.0
    """Set only for streams."""

    @property
    def per_second_per_core(self) -> float:
        return 1e6 / self.cpu_us

    @property
    def frames_per_second_per_core(self) -> float:
        return 1e6 / self.frame_cpu_us if self.frame_cpu_us else 0.0


class Generators:
    def __init__(self, cores: Cores, count: int | None = None) -> None:
        self._cores = cores
        self._count = count or max(1, len(cores.others) // 2)
        self._processes: list[subprocess.Popen[str]] = []

    def __enter__(self) -> Self:
        with on(self._cores.others):
            self._processes = [
                subprocess.Popen(
                    module("benchmarks.load"), cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
                )
                for _ in range(self._count)
            ]
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for process in self._processes:
            process.communicate()

    def fulfil(self, order: Order) -> Sample:
        """Raises BadAnswerError."""
        used = self._processes[: order.concurrency]
        for place, process in enumerate(used):
            share = order.concurrency // len(used) + (place < order.concurrency % len(used))
            _tell(process, replace(order, concurrency=share))
        return _together([_good(_hear(process)) for process in used])

    def fulfil_each(self, *orders: Order) -> list[Sample]:
        """Run one order on each process at the same time. Raises BadAnswerError."""
        used = self._processes[: len(orders)]
        for process, order in zip(used, orders, strict=True):
            _tell(process, order)
        outcomes = [_hear(process) for process in used]
        return [_together([_good(outcome)]) for outcome in outcomes]


def _good(outcome: Outcome) -> Outcome:
    if outcome.errors or not outcome.requests:
        raise BadAnswerError(f"{outcome.errors} bad answers of {outcome.requests}: {outcome.refusal}")
    return outcome


def _tell(process: subprocess.Popen[str], order: Order) -> None:
    if process.stdin is None:
        raise RuntimeError
    process.stdin.write(json.dumps(asdict(order)) + "\n")
    process.stdin.flush()


def _hear(process: subprocess.Popen[str]) -> Outcome:
    line = process.stdout.readline() if process.stdout else ""
    if not line:
        raise RuntimeError(f"a load generator ended with {process.wait()}")
    return Outcome(**json.loads(line))


def _together(outcomes: list[Outcome]) -> Sample:
    latencies = sorted(latency for outcome in outcomes for latency in outcome.latencies_us)
    per_second = sum(outcome.requests / outcome.seconds for outcome in outcomes)
    busy = sum(outcome.cpu_seconds / outcome.seconds for outcome in outcomes) / len(outcomes)
    frames = sum(outcome.frames / outcome.seconds for outcome in outcomes)
    return Sample(
        per_second=per_second,
        cpu_us=max(busy / per_second * 1e6, 0.01),
        p50_us=percentile(latencies, 0.50),
        p95_us=percentile(latencies, 0.95),
        p99_us=percentile(latencies, 0.99),
        generator_busy=max(outcome.own_cpu_seconds / outcome.seconds for outcome in outcomes),
        histogram=histogram(latencies),
        frames_per_second=frames,
        frame_cpu_us=busy / frames * 1e6 if frames else 0.0,
        merged=sum(outcome.merged for outcome in outcomes),
        worst_gap_us=max((gap for outcome in outcomes for gap in outcome.gaps_us), default=0.0),
    )
