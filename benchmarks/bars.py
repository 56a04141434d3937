"""The targets, and whether the figures meet them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

from benchmarks.figures import calls, features, idle, measures, peers, spread_answers
from benchmarks.spread import heap_near_40_ms, percentile

Result = dict[str, Any]
_SHARE_OF_PROXY = 0.65
_ADDED_P50_MS, _ADDED_P99_MS = 0.6, 1.5
_DEAREST_FEATURES = 0.35
_TIMES_UNBATCHED = 3.0
_LONE_MS, _IMPORTANT_MS, _START_MS = 2.0, 5.0, 100.0
_TIMES_NAIVE = 5.0
_EVENTS_PER_CORE = 3000.0
_LIST_P95_MS = 100.0
_PASS_MS = 1000.0
_FREED_MS = 2000.0
_REVOKED_MS = 2000.0
_MEASURES_BUSY, _YEAR_MS = 0.3, 50.0
_SHARE_OF_NGINX, _TIMES_LITELLM = 1 / 12, 40.0
_STALL_MS = 200.0
_IDLE_BYTES, _IDLE_CPU = 1e9, 0.05
_BODY_BYTES = 8e6
_SPREAD_US = {spread_answers.OVER_GRPC: 130.0, spread_answers.OVER_HTTP: 160.0}
_REFUSAL_MS, _HEALTH_MS, _OVERLOAD_BYTES = 20.0, 50.0, 64e6


@dataclass(frozen=True, slots=True)
class Verdict:
    """A target, the measured value, and whether the target is missed."""

    bar: str
    found: str
    missed: bool

    def __str__(self) -> str:
        return f"{'MISSED' if self.missed else 'met':7}{self.bar}: {self.found}"


def judge(result: Result) -> list[Verdict]:
    figures = result["figures"]
    found: list[Verdict] = []
    if "calls" in figures:
        low, ratio, high = ratio_of(figures["calls"], calls.OVER_HTTP, calls.NAIVE, concurrency=64)
        text = f"{ratio:.1f} times ({low:.1f} to {high:.1f})"
        bar = f"the gateway serves {_TIMES_NAIVE:g} times the requests of the naive proxy per core"
        found.append(Verdict(bar, text, ratio < _TIMES_NAIVE))
        found += _judge_calls(figures["calls"])
    if "features" in figures:
        found += _judge_features(figures["features"])
    for name, judged in _NEWER.items():
        if name in figures:
            found += judged(figures[name])
    if "ledger" in figures:
        least = min(row["per_second_per_core"]["median"] for row in figures["ledger"]["rows"])
        bar = f"{_EVENTS_PER_CORE:g} usage events per second on one core"
        found.append(Verdict(bar, f"{least:.0f}", least < _EVENTS_PER_CORE))
    if "listing" in figures:
        rows = [row for row in figures["listing"]["rows"] if row["concurrency"] == 1]
        worst = max(row["p95_us"]["median"] for row in rows) / 1000
        bar = f"a page of 20 out of {figures['listing']['rows_in_list']} models within {_LIST_P95_MS:g} ms (p95)"
        found.append(Verdict(bar, f"{worst:.1f} ms", worst > _LIST_P95_MS))
    if "placement" in figures:
        figure = figures["placement"]
        worst = max(row["ms"]["median"] for row in figure["rows"])
        bar = f"{figure['waiting']} waiting instances and {figure['servers']} servers: a pass within {_PASS_MS:g} ms"
        found.append(Verdict(bar, f"{worst:.0f} ms", worst > _PASS_MS))
    if "freed-place" in figures:
        late = max(percentile(sorted(row["rounds"]["ms"]), 0.95) for row in figures["freed-place"]["rows"])
        bar = f"a freed place is used within {_FREED_MS:g} ms: the waiting instance runs (p95)"
        found.append(Verdict(bar, f"{late:.0f} ms", late > _FREED_MS))
    if "measures" in figures:
        found += _judge_measures(figures["measures"])
    return found


def share_of_measures(figure: Result, kind: str) -> float:
    """Returns the share of a core that all regular work of measures takes. `kind`: `cpu_ms` or `database_cpu_ms`."""
    rows = {row["name"]: row for row in figure["rows"]}
    return sum(rows[part][kind]["median"] / 1000 / seconds for part, seconds in measures.SECONDS.items())


def _judge_measures(figure: Result) -> list[Verdict]:
    busy = share_of_measures(figure, "cpu_ms")
    bar = (
        f"measures of {figure['services']} services with {figure['instances_of_each']} instances each, every 10 s: "
        f"{_MEASURES_BUSY:.0%} of a core of mlpcore"
    )
    worst = max(row["ms"]["median"] for row in figure["rows"] if row["name"] in measures.YEARS)
    return [
        Verdict(bar, f"{busy:.0%}", busy > _MEASURES_BUSY),
        Verdict(f"a year of a service is read within {_YEAR_MS:g} ms", f"{worst:.0f} ms", worst > _YEAR_MS),
    ]


def _judge_calls(figure: Result) -> list[Verdict]:
    low, share, high = ratio_of(figure, calls.OVER_HTTP, calls.BARE, concurrency=64)
    bar = f"a gRPC instance called over HTTP: {_SHARE_OF_PROXY:.0%} of a bare raw-ASGI + grpc.aio proxy"
    found = [Verdict(bar, f"{share:.0%} ({low:.0%} to {high:.0%}) of its requests per core", share < _SHARE_OF_PROXY)]
    found += _judge_added(figure, "over HTTP", calls.OVER_HTTP, calls.ECHO)
    found += _judge_added(figure, "over gRPC", calls.OVER_GRPC, calls.GRPC_ECHO)
    return found + _judge_heaps(figure, (calls.OVER_HTTP, calls.OVER_GRPC))


def _judge_added(figure: Result, path: str, ours: str, without: str) -> list[Verdict]:
    """What the gateway adds to one caller's latency, compared with calls of the model itself."""
    if not {ours, without} <= {row["name"] for row in figure["rows"]}:
        return []
    found: list[Verdict] = []
    for name, most in (("p50_us", _ADDED_P50_MS), ("p99_us", _ADDED_P99_MS)):
        added = _difference(figure["rows"], ours, without, name)
        bar = f"one caller waits at most {most:g} ms longer than without the gateway, {path} ({name[:3]})"
        found.append(Verdict(bar, f"{added:.2f} ms", added > most))
    return found


def _judge_heaps(figure: Result, names: Sequence[str]) -> list[Verdict]:
    """Latencies of one caller. Rows of older runs have no histogram."""
    rows = [row for row in figure["rows"] if row["name"] in names and row["concurrency"] == 1 and row.get("histogram")]
    return [
        Verdict(
            f"{row['name']}: no peak of latencies near 40 ms (delayed acknowledgements)",
            f"{heap_near_40_ms(row['histogram']):.1%} of them",
            heap_near_40_ms(row["histogram"]) > 0,
        )
        for row in rows
    ]


def _judge_features(figure: Result) -> list[Verdict]:
    _, ratio, _ = ratio_of(figure, features.FULL, features.BARE, concurrency=64)
    cost, waits = 1 - ratio, figure["waits_ms"]
    batched, single = (
        next(row for row in figure["rows"] if (row["name"], row["concurrency"]) == (name, 64))["rounds"]["per_second"]
        for name in (features.BATCHED, features.SINGLE)
    )
    times = median(a / b for a, b in zip(batched, single, strict=True))
    most_important = waits["work"] + _IMPORTANT_MS
    important, start = waits["important"]["median"], waits["start"]["worst"]
    low = waits["low_waiting"]
    return [
        Verdict(
            f"all features together cost at most {_DEAREST_FEATURES:.0%} of the requests per core",
            f"{cost:.0%}",
            cost > _DEAREST_FEATURES,
        ),
        Verdict(
            f"batches of 8 serve {_TIMES_UNBATCHED:g} times the requests",
            f"{times:.1f} times",
            times < _TIMES_UNBATCHED,
        ),
        *_judge_lone(figure),
        Verdict(
            f"a high-priority call waits at most {most_important:g} ms longer while {low} others wait",
            f"{important:.1f} ms",
            important > most_important,
        ),
        Verdict(
            f"the first call reaches an instance at most {_START_MS:g} ms after its first message",
            f"{start:.1f} ms",
            start > _START_MS,
        ),
    ]


def _judge_lone(figure: Result) -> list[Verdict]:
    """Older runs did not measure it in pairs."""
    found = figure["waits_ms"].get("lone")
    if found is None:
        return []
    lone, most = found["median"], figure["batch_wait_ms"] + _LONE_MS
    return [Verdict(f"a call alone in its batch waits at most {most:g} ms longer", f"{lone:.1f} ms", lone > most)]


def _difference(rows: list[Result], one: str, other: str, name: str) -> float:
    """Median over the rounds of the difference of one caller's latency, in milliseconds."""
    found = {row["name"]: row["rounds"][name] for row in rows if row["concurrency"] == 1}
    return median(a - b for a, b in zip(found[one], found[other], strict=True)) / 1000


def ratio_of(figure: Result, one: str, other: str, *, concurrency: int) -> tuple[float, float, float]:
    """Ratio of requests per second per core: the lowest, the median and the highest of all rounds."""
    rounds = {
        row["name"]: row["rounds"]["per_second_per_core"] for row in figure["rows"] if row["concurrency"] == concurrency
    }
    ratios = sorted(a / b for a, b in zip(rounds[one], rounds[other], strict=True))
    return ratios[0], median(ratios), ratios[-1]


def _judge_peers(figure: Result) -> list[Verdict]:
    found: list[Verdict] = []
    names = {row["name"] for row in figure["rows"]}
    for ours in (peers.OVER_GRPC, peers.OVER_HTTP):
        for other, least in ((peers.NGINX, _SHARE_OF_NGINX), (peers.LITELLM, _TIMES_LITELLM)):
            if {ours, other} <= names:
                low, ratio, high = ratio_of(figure, ours, other, concurrency=peers.MANY)
                bar = f"{ours}: {_times(least)} the requests per core of {other}"
                text = f"{_times(ratio)} ({_times(low)} to {_times(high)})"
                found.append(Verdict(bar, text, ratio < least))
    found += _judge_added(figure, "at an HTTP instance", peers.OVER_HTTP, peers.DIRECT)
    streams = [peers.streamed(name) for name in (peers.OVER_GRPC, peers.OVER_HTTP)]
    for name in streams:
        found += _judge_added(figure, f"first frame, {name}", name, peers.streamed(peers.DIRECT))
    return found + _judge_heaps(figure, (peers.OVER_GRPC, peers.OVER_HTTP, *streams))


def _times(ratio: float) -> str:
    return f"{ratio:.0f} times" if ratio >= 10 else f"{ratio:.1f} times" if ratio >= 1 else f"1/{1 / ratio:.1f}"


def _judge_spread(figure: Result) -> list[Verdict]:
    least, most = figure["model_ms"]
    rows = {row["name"]: row for row in figure["rows"] if row["concurrency"] == spread_answers.MANY}
    what = f"{spread_answers.MANY} callers of a model of {least} to {most} ms"
    found: list[Verdict] = []
    for name, bar in _SPREAD_US.items():
        us = rows[name]["cpu_us"]["median"]
        found.append(Verdict(f"{what}, {name}: {bar:g} µs a call", f"{us:.0f} µs", us > bar))
        later = median(
            ours - bare
            for ours, bare in zip(
                rows[name]["rounds"]["p99_us"], rows[spread_answers.BARE]["rounds"]["p99_us"], strict=True
            )
        )
        bar_text = f"{what}, {name}: p99 not later than through a bare proxy"
        found.append(Verdict(bar_text, f"{later / 1000:+.1f} ms", later > 0))
    return found


def _judge_streams(figure: Result) -> list[Verdict]:
    found: list[Verdict] = []
    ways = dict.fromkeys(row["name"].rpartition(",")[0] for row in figure["rows"])
    what = f"{figure['streams']} streams at once, a frame every {figure['pace_ms']} ms, over two gates"
    for way in ways:
        rows = [row["rounds"] for row in figure["rows"] if row["name"].rpartition(",")[0] == way]
        worst = max(gap for rounds in rows for gap in rounds["worst_gap_us"]) / 1000
        merged = sum(count for rounds in rows for count in rounds["merged"])
        found += [
            Verdict(f"{what}, {way}: no frame is lost or merged", f"0 lost, {merged:.0f} merged", merged > 0),
            Verdict(f"{what}, {way}: no pause of {_STALL_MS:g} ms", f"{worst:.0f} ms", worst > _STALL_MS),
        ]
    return found


def _judge_idle(figure: Result) -> list[Verdict]:
    row = next(row for row in figure["rows"] if row["name"] == idle.BETWEEN)
    what = f"a gate with {figure['each']} idle instances and {figure['each']} idle callers uses at most"
    memory, cpu = row["rss_mb"]["median"] * 1e6, row["cpu_share"]["median"]
    return [
        Verdict(f"{what} {_IDLE_BYTES / 1e9:g} GB", f"{memory / 1e9:.2f} GB", memory > _IDLE_BYTES),
        Verdict(f"{what} {_IDLE_CPU:.0%} of a core", f"{cpu:.1%}", cpu > _IDLE_CPU),
    ]


def _judge_bodies(figure: Result) -> list[Verdict]:
    found: list[Verdict] = []
    for row in figure["rows"]:
        worst = max(row["rounds"]["extra_mb"])
        bar = f"{row['name']}: at most {_BODY_BYTES / 1e6:g} MB more memory, or 413"
        found.append(Verdict(bar, f"{worst:.1f} MB", worst * 1e6 > _BODY_BYTES))
    return found


def _judge_revocation(figure: Result) -> list[Verdict]:
    found: list[Verdict] = []
    for row in figure["rows"]:
        worst = max(row["rounds"]["ms"])
        bar = f"a key is deleted: within {_REVOKED_MS:g} ms {row['name']} (worst)"
        found.append(Verdict(bar, f"{worst:.0f} ms", worst > _REVOKED_MS))
    return found


def _judge_overload(figure: Result) -> list[Verdict]:
    return [verdict for row in figure["rows"] for verdict in _judge_flood(row["name"], row["rounds"])]


def _judge_flood(name: str, rounds: dict[str, list[float]]) -> list[Verdict]:
    """Judge by the worst round."""
    improper, silent = (sum(rounds[figure]) for figure in ("improper", "health_unanswered"))
    refusal, health, growth = (max(rounds[figure]) for figure in ("refused_p99_ms", "health_p99_ms", "growth_mb"))
    refused = f"{improper:.0f} otherwise, {refusal:.1f} ms"
    answered = f"{silent:.0f} unanswered, {health:.1f} ms"
    most = _OVERLOAD_BYTES / 1e6
    return [
        Verdict(
            f"{name}: refused with 429 or 503 and Retry-After within {_REFUSAL_MS:g} ms (p99)",
            refused,
            improper > 0 or refusal > _REFUSAL_MS,
        ),
        Verdict(
            f"{name}: `/health/live` is answered within {_HEALTH_MS:g} ms (p99)",
            answered,
            silent > 0 or health > _HEALTH_MS,
        ),
        Verdict(f"{name}: at most {most:g} MB more memory", f"{growth:.1f} MB", growth > most),
    ]


_NEWER: dict[str, Callable[[Result], list[Verdict]]] = {
    "peers": _judge_peers,
    "spread": _judge_spread,
    "streams": _judge_streams,
    "idle": _judge_idle,
    "bodies": _judge_bodies,
    "overload": _judge_overload,
    "revocation": _judge_revocation,
}
