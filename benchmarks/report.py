"""From raw figures to tables, to verdicts on the bars, and into the page."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.figures import features

PAGE = Path(__file__).resolve().parents[1] / "docs" / "performance.md"
Result = dict[str, Any]
_GATEWAY, _NAIVE = "gateway, HTTP caller", "naive FastAPI + httpx proxy"
_GRPC, _ECHO, _PROXY = "gateway, gRPC caller", "echo server alone (the load's ceiling)", "bare ASGI + grpc.aio proxy"
_SHARE_OF_PROXY = 0.65
_ADDED_P50_MS, _ADDED_P99_MS = 0.6, 1.5
_DEAREST_FEATURES = 0.35
_TIMES_UNBATCHED = 3.0
_LONE_MS, _IMPORTANT_MS, _START_MS = 2.0, 5.0, 100.0
_TIMES_NAIVE = 5.0
_EVENTS_PER_CORE = 3000.0
_LIST_P95_MS = 100.0


@dataclass(frozen=True, slots=True)
class Verdict:
    """A bar, and how the figure stands to it."""

    bar: str
    found: str
    missed: bool

    def __str__(self) -> str:
        return f"{'MISSED' if self.missed else 'met':7}{self.bar}: {self.found}"


def judge(result: Result) -> list[Verdict]:
    figures = result["figures"]
    found: list[Verdict] = []
    if "calls" in figures:
        low, ratio, high = ratio_of(figures["calls"], _GATEWAY, _NAIVE, concurrency=64)
        text = f"{ratio:.1f} times ({low:.1f} to {high:.1f})"
        bar = f"the gateway serves {_TIMES_NAIVE:g} times the requests of the naive proxy per core"
        found.append(Verdict(bar, text, ratio < _TIMES_NAIVE))
        found += _judge_calls(figures["calls"])
    if "features" in figures:
        found += _judge_features(figures["features"])
    if "ledger" in figures:
        least = min(row["per_second_per_core"]["median"] for row in figures["ledger"]["rows"])
        bar = f"{_EVENTS_PER_CORE:g} usage events per second on one core"
        found.append(Verdict(bar, f"{least:.0f}", least < _EVENTS_PER_CORE))
    if "listing" in figures:
        rows = [row for row in figures["listing"]["rows"] if row["concurrency"] == 1]
        worst = max(row["p95_us"]["median"] for row in rows) / 1000
        bar = f"a page of 20 out of {figures['listing']['rows_in_list']} services within {_LIST_P95_MS:g} ms (p95)"
        found.append(Verdict(bar, f"{worst:.1f} ms", worst > _LIST_P95_MS))
    return found


def _judge_calls(figure: Result) -> list[Verdict]:
    low, share, high = ratio_of(figure, _GRPC, _PROXY, concurrency=64)
    bar = f"a gRPC call costs no more than a bare raw-ASGI + grpc.aio proxy leaves room for ({_SHARE_OF_PROXY:.0%})"
    found = [Verdict(bar, f"{share:.0%} ({low:.0%} to {high:.0%}) of its requests per core", share < _SHARE_OF_PROXY)]
    for name, most in (("p50_us", _ADDED_P50_MS), ("p99_us", _ADDED_P99_MS)):
        added = _difference(figure["rows"], _GATEWAY, _ECHO, name)
        bar = f"one caller waits {most:g} ms longer at most than without the gateway ({name[:3]})"
        found.append(Verdict(bar, f"{added:.2f} ms", added > most))
    return found


def _judge_features(figure: Result) -> list[Verdict]:
    _, ratio, _ = ratio_of(figure, features.FULL, features.BARE, concurrency=64)
    cost, waits = 1 - ratio, figure["waits_ms"]
    batched, single = (
        next(row for row in figure["rows"] if (row["name"], row["concurrency"]) == (name, 64))["rounds"]["per_second"]
        for name in (features.BATCHED, features.SINGLE)
    )
    times = sorted(a / b for a, b in zip(batched, single, strict=True))[len(batched) // 2]
    lone = _difference(figure["rows"], features.BATCHED, features.SINGLE, "p50_us")
    most_lone, most_important = figure["batch_wait_ms"] + _LONE_MS, waits["work"] + _IMPORTANT_MS
    important, start = waits["important"]["median"], waits["start"]["worst"]
    low = waits["low_waiting"]
    return [
        Verdict(
            f"all features together take {_DEAREST_FEATURES:.0%} of the requests per core at most",
            f"{cost:.0%}",
            cost > _DEAREST_FEATURES,
        ),
        Verdict(f"batches of 8 serve {_TIMES_UNBATCHED:g} times", f"{times:.1f} times", times < _TIMES_UNBATCHED),
        Verdict(f"a call that nobody joins waits {most_lone:g} ms at most", f"{lone:.1f} ms", lone > most_lone),
        Verdict(
            f"an important call waits {most_important:g} ms at most while {low} others wait",
            f"{important:.1f} ms",
            important > most_important,
        ),
        Verdict(
            f"the first call reaches an instance {_START_MS:g} ms after its first word at most",
            f"{start:.1f} ms",
            start > _START_MS,
        ),
    ]


def _difference(rows: list[Result], one: str, other: str, name: str) -> float:
    """Of a time with one caller, in milliseconds: the middle of the differences of each round."""
    found = {row["name"]: row["rounds"][name] for row in rows if row["concurrency"] == 1}
    differences = sorted(a - b for a, b in zip(found[one], found[other], strict=True))
    return differences[len(differences) // 2] / 1000


def ratio_of(figure: Result, one: str, other: str, *, concurrency: int) -> tuple[float, float, float]:
    """Of requests per second per core: lowest, middle and highest over the rounds, each round by itself."""
    rounds = {
        row["name"]: row["rounds"]["per_second_per_core"] for row in figure["rows"] if row["concurrency"] == concurrency
    }
    ratios = sorted(a / b for a, b in zip(rounds[one], rounds[other], strict=True))
    return ratios[0], ratios[len(ratios) // 2], ratios[-1]


def tables(result: Result) -> str:
    """Everything as Markdown."""
    return "\n\n".join(f"### {name}\n\n{text}" for name, text in _parts(result).items()) + "\n"


def _parts(result: Result) -> dict[str, str]:
    figures = result["figures"]
    parts = {"machine": _machine(result)}
    if "calls" in figures:
        parts |= {"calls": _calls(figures["calls"]), "stages": _stages(figures["calls"])}
    if "features" in figures:
        parts["features"] = _features(figures["features"])
    if "ledger" in figures:
        parts["ledger"] = _ledger(figures["ledger"])
    if "listing" in figures:
        parts["listing"] = _timed(figures["listing"], "request")
    if "sign_in" in figures or "sign-in" in figures:
        parts["sign-in"] = _timed(figures.get("sign-in") or figures["sign_in"], "sign-in")
    parts["bars"] = "\n".join(f"- {v.bar}: **{v.found}**, {'missed' if v.missed else 'met'}" for v in judge(result))
    return parts


def _machine(result: Result) -> str:
    about = result["machine"]
    packages = ", ".join(f"{name} {version}" for name, version in about["packages"].items())
    pinned = "pinned" if about["pinned"] else "not pinned"
    return (
        f"{about['cpu']}, {about['cores']} cores ({pinned}), {about['kernel']}, Python {about['python']}; {packages}. "
        f"Measured {about['date']} at commit {about['commit']}, {result['rounds']} rounds, "
        f"load average {about['load_average_at_start']} before the start."
    )


def _spread(row: Result, figure: str, *, scale: float = 1.0) -> str:
    found = row[figure]
    digits = 0 if found["median"] / scale >= 100 else 1 if found["median"] / scale >= 10 else 2
    middle, low, high = (f"{found[name] / scale:.{digits}f}" for name in ("median", "low", "high"))
    return f"{middle} ({low}–{high})"


def _table(head: list[str], rows: list[list[str]]) -> str:
    lines = ["| " + " | ".join(head) + " |", "|---" + "|--:" * (len(head) - 1) + "|"]
    return "\n".join([*lines, *("| " + " | ".join(row) + " |" for row in rows)])


def _calls(figure: Result) -> str:
    rows = {(row["name"], row["concurrency"]): row for row in figure["rows"]}
    names = list(dict.fromkeys(row["name"] for row in figure["rows"]))
    lines: list[list[str]] = []
    for name in names:
        one, many = rows[name, 1], rows[name, 64]
        _, ratio, _ = ratio_of(figure, name, _NAIVE, concurrency=64)
        lines.append(
            [
                name,
                _spread(many, "per_second_per_core"),
                f"{ratio:.1f}",
                _spread(many, "cpu_us"),
                _spread(many, "per_second"),
                *(f"{one[f]['median'] / 1000:.2f}" for f in ("p50_us", "p95_us", "p99_us")),
                *(f"{many[f]['median'] / 1000:.1f}" for f in ("p50_us", "p95_us", "p99_us")),
                f"{many['generator_busy']['median']:.0%}",
            ]
        )
    lines += [[f"{name}: skipped, {reason}", *[""] * 11] for name, reason in figure["skipped"].items()]
    head = ["", "requests/s per core", "× naive", "CPU-µs each", "requests/s seen", "p50 ms, 1 caller", "p95", "p99"]
    return _table([*head, "p50 ms, 64 callers", "p95", "p99", "generator busy"], lines)


def _stages(figure: Result) -> str:
    return _table(["one call, one caller", "mean µs"], [[n, f"{us:.0f}"] for n, us in figure["stages_us"].items()])


def _features(figure: Result) -> str:
    names = ("per_second_per_core", "cpu_us", "per_second")
    lines = [
        [
            row["name"],
            str(row["concurrency"]),
            *(_spread(row, name) for name in names),
            *(_spread(row, name, scale=1000) for name in ("p50_us", "p99_us")),
        ]
        for row in figure["rows"]
    ]
    waits = figure["waits_ms"]
    head = ["", "callers", "requests/s per core", "CPU-µs each", "requests/s seen", "p50 ms", "p99 ms"]
    waited = [
        [f"an important call, {waits['low_waiting']} others waiting, {waits['work']} ms of work each", "important"],
        ["the first call, from the first word of the instance that it waited for", "start"],
    ]
    table = [[text, *(f"{waits[name][figure]:.1f}" for figure in ("median", "worst"))] for text, name in waited]
    return f"{_table(head, lines)}\n\n{_table(['waits', 'median ms', 'worst ms'], table)}"


def _ledger(figure: Result) -> str:
    names = ("per_second_per_core", "per_second", "cpu_us")
    lines = [[row["name"], *(_spread(row, name) for name in names)] for row in figure["rows"]]
    return _table(["", "events/s per core", "events/s seen", "CPU-µs each"], lines)


def _timed(figure: Result, what: str) -> str:
    lines = [
        [
            row["name"],
            str(row["concurrency"]),
            *(_spread(row, name, scale=1000) for name in ("p50_us", "p95_us", "p99_us")),
            _spread(row, "per_second"),
            _spread(row, "cpu_us", scale=1000),
        ]
        for row in figure["rows"]
    ]
    return _table(["", "callers", "p50 ms", "p95 ms", "p99 ms", f"{what}s/s", "CPU-ms each"], lines)


def write_docs(result: Result, page: Path = PAGE) -> None:
    """Put each table between its marks. Raises ValueError when the page lacks a mark."""
    text = page.read_text()
    for name, table in _parts(result).items():
        pattern = re.compile(rf"(<!-- {re.escape(name)} -->\n).*?(<!-- /{re.escape(name)} -->)", re.DOTALL)
        if not pattern.search(text):
            raise ValueError(f"{page.name} has no place for {name}")
        text = pattern.sub(lambda found, body=table: f"{found[1]}\n{body}\n\n{found[2]}", text)
    page.write_text(text)
