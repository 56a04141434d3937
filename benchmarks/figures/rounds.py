"""Rounds: each measures every subject once, so that noise of the machine affects all subjects alike."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from math import inf

from benchmarks.content import BODY
from benchmarks.load.generators import Generators, Sample
from benchmarks.load.requests import Order
from benchmarks.spread import Spread

_CPU_FIGURES: Mapping[str, Callable[[Sample], float]] = {
    "per_second_per_core": lambda sample: sample.per_second_per_core,
    "cpu_us": lambda sample: sample.cpu_us,
    "per_second": lambda sample: sample.per_second,
    "p50_us": lambda sample: sample.p50_us,
    "p95_us": lambda sample: sample.p95_us,
    "p99_us": lambda sample: sample.p99_us,
    "generator_busy": lambda sample: sample.generator_busy,
}
_STREAM_FIGURES: Mapping[str, Callable[[Sample], float]] = {
    "frames_per_second_per_core": lambda sample: sample.frames_per_second_per_core,
    "frame_cpu_us": lambda sample: sample.frame_cpu_us,
    "frames_per_second": lambda sample: sample.frames_per_second,
    "merged": lambda sample: sample.merged,
    "worst_gap_us": lambda sample: sample.worst_gap_us,
}


@dataclass(frozen=True, slots=True)
class Size:
    """Size of a run. `share` scales the numbers of rows and events."""

    rounds: int
    seconds: float
    warm_up: float
    share: float

    def of(self, number: int) -> int:
        return max(1, int(number * self.share))


FULL = Size(rounds=5, seconds=1.5, warm_up=0.3, share=1.0)
TINY = Size(rounds=1, seconds=0.1, warm_up=0.03, share=0.02)


@dataclass(frozen=True, slots=True)
class Subject:
    """A target of the load, and the processes whose time is counted. `body` may be a serialised gRPC request."""

    name: str
    port: int
    pids: Sequence[int]
    paths: Sequence[str] = ("/",)
    headers: dict[str, str] = field(default_factory=dict[str, str])
    body: str | None = None
    json_body: str = BODY
    method: str = "POST"
    frames: int = 0
    """Number of events in each answer, if it is a stream of events."""

    def order(self, concurrency: int, size: Size) -> Order:
        return Order(
            kind=self._kind(),
            port=self.port,
            body=self.json_body if self.body is None else self.body,
            concurrency=concurrency,
            seconds=size.seconds,
            warm_up=size.warm_up,
            pids=tuple(self.pids),
            paths=tuple(self.paths),
            method=self.method,
            headers=self.headers,
            frames=self.frames,
        )

    def _kind(self) -> str:
        if self.body is not None:
            return "gate"
        return "sse" if self.frames else "http"


@dataclass(slots=True)
class Row:
    """`figures` maps names to spreads; the raw values of each round are kept too. `histogram` covers all rounds."""

    name: str
    concurrency: int
    figures: dict[str, Spread]
    rounds: dict[str, list[float]]
    histogram: dict[str, int] = field(default_factory=dict[str, int])

    def as_json(self) -> dict[str, object]:
        return {
            "name": self.name,
            "concurrency": self.concurrency,
            **{name: spread.as_json() for name, spread in self.figures.items()},
            "rounds": self.rounds,
            "histogram": self.histogram,
        }


@dataclass(slots=True)
class Figure:
    name: str
    rows: list[Row]
    skipped: dict[str, str] = field(default_factory=dict[str, str])
    extra: dict[str, object] = field(default_factory=dict[str, object])

    def as_json(self) -> dict[str, object]:
        return {"rows": [row.as_json() for row in self.rows], "skipped": self.skipped, **self.extra}


def interleaved(
    generators: Generators, subjects: Sequence[Subject], size: Size, *, concurrency: Sequence[int]
) -> list[Row]:
    """Raises BadAnswerError if a subject gives a wrong answer."""
    samples: dict[tuple[str, int], list[Sample]] = {}
    for _ in range(size.rounds):
        for subject in subjects:
            for callers in concurrency:
                sample = generators.fulfil(subject.order(callers, size))
                samples.setdefault((subject.name, callers), []).append(sample)
    return [row_of(name, callers, found) for (name, callers), found in samples.items()]


def row_of(name: str, concurrency: int, samples: Sequence[Sample]) -> Row:
    streamed = any(sample.frames_per_second for sample in samples)
    figures = {**_CPU_FIGURES, **(_STREAM_FIGURES if streamed else {})}
    row = from_values(
        name, concurrency, {figure: [value(sample) for sample in samples] for figure, value in figures.items()}
    )
    counts = sum((Counter(sample.histogram) for sample in samples), Counter[str]())
    row.histogram = dict(sorted(counts.items(), key=lambda item: float(item[0]) if item[0] != "more" else inf))
    return row


def from_values(name: str, concurrency: int, values: dict[str, list[float]]) -> Row:
    figures = {figure: Spread.of(found) for figure, found in values.items()}
    rounds = {figure: [round(value, 3) for value in found] for figure, found in values.items()}
    return Row(name, concurrency, figures, rounds)
