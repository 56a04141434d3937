"""Formats raw figures as tables, and writes them into docs/performance.md."""

import re
from collections.abc import Callable
from pathlib import Path

from benchmarks.bars import Result, judge, ratio_of, share_of_measures
from benchmarks.figures import bodies, calls, heartbeats, measures, peers
from benchmarks.spread import percentile

PAGE = Path(__file__).resolve().parents[1] / "docs" / "performance.md"


def tables(result: Result) -> str:
    """All tables as Markdown."""
    return "\n\n".join(f"### {name}\n\n{text}" for name, text in _parts(result).items()) + "\n"


def _parts(result: Result) -> dict[str, str]:
    figures = result["figures"]
    parts = {"machine": _machine(result)}
    if "calls" in figures:
        parts |= {"calls": _calls(figures["calls"]), "stages": _stages(figures["calls"])}
    if "features" in figures:
        parts["features"] = _features(figures["features"])
    parts |= {name: table(figures[name]) for name, table in _NEWER.items() if name in figures}
    if "ledger" in figures:
        parts["ledger"] = _ledger(figures["ledger"])
    if "listing" in figures:
        parts["listing"] = _timed(figures["listing"], "request")
    if "placement" in figures:
        parts["placement"] = _placement(figures["placement"])
    if "freed-place" in figures:
        parts["freed-place"] = _freed_place(figures["freed-place"])
    if "measures" in figures:
        parts["measures"] = _measures(figures["measures"])
    if "sign_in" in figures or "sign-in" in figures:
        parts["sign-in"] = _timed(figures.get("sign-in") or figures["sign_in"], "sign-in")
    for name in parts.keys() & figures.keys():
        parts[name] += _later(figures[name])
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


def _later(figure: Result) -> str:
    later = figure.get("later")
    if later is None:
        return ""
    cpu = f" on {later['cpu']}" if "cpu" in later else ""
    return (
        f"\n\nMeasured {later['date']}{cpu} at commit {later['commit']}, {later['rounds']} rounds, "
        f"load average {later['load_average_at_start']} before the start."
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
        _, ratio, _ = ratio_of(figure, name, calls.NAIVE, concurrency=64)
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
        [f"a call alone in its batch; batches wait {figure['batch_wait_ms']} ms", "lone"],
        [f"a high-priority call, {waits['low_waiting']} others waiting, {waits['work']} ms of work each", "important"],
        ["the first call, after the first message of the instance that it waited for", "start"],
    ]
    table = [
        [text, *(f"{waits[name][part]:.1f}" for part in ("median", "worst"))] for text, name in waited if name in waits
    ]
    return f"{_table(head, lines)}\n\n{_table(['extra wait of', 'median ms', 'worst ms'], table)}"


def _ledger(figure: Result) -> str:
    names = ("per_second_per_core", "per_second", "cpu_us")
    lines = [[row["name"], *(_spread(row, name) for name in names)] for row in figure["rows"]]
    return _table(["", "events/s per core", "events/s seen", "CPU-µs each"], lines)


def _peers(figure: Result) -> str:
    names = dict.fromkeys(row["name"] for row in figure["rows"] if not row["name"].endswith(peers.streamed("")))
    whole = [_peer(figure, name) for name in names]
    parts = [_streaming_peer(figure, name) for name in names if _rows(figure).get((peers.streamed(name), peers.ONE))]
    skipped = [f"{name}: skipped, {reason}." for name, reason in figure["skipped"].items()]
    head = ["whole answers", "requests/s per core", "of nginx", "× LiteLLM", "CPU-µs each", "p50 ms, 1 caller", "p99"]
    streams = ["streamed answers", "frames/s per core", "CPU-µs a frame", "first frame p50 ms, 1 caller", "p99"]
    tables = [
        _table([*head, f"p50 ms, {peers.MANY} callers", "p99"], whole),
        _table([*streams, f"p50 ms, {peers.STREAMS} callers", "p99"], parts),
    ]
    return "\n\n".join([*tables, *skipped])


def _rows(figure: Result) -> dict[tuple[str, int], Result]:
    return {(row["name"], row["concurrency"]): row for row in figure["rows"]}


def _peer(figure: Result, name: str) -> list[str]:
    rows = _rows(figure)
    one, many = rows[name, peers.ONE], rows[name, peers.MANY]
    ratios = [
        f"{ratio_of(figure, name, other, concurrency=peers.MANY)[1]:.{digits}f}" if (other, peers.MANY) in rows else "–"
        for other, digits in ((peers.NGINX, 3), (peers.LITELLM, 1))
    ]
    times = [f"{row[figure]['median'] / 1000:.2f}" for row in (one, many) for figure in ("p50_us", "p99_us")]
    return [name, _spread(many, "per_second_per_core"), *ratios, _spread(many, "cpu_us"), *times]


def _streaming_peer(figure: Result, name: str) -> list[str]:
    rows = _rows(figure)
    one, many = (rows[peers.streamed(name), callers] for callers in (peers.ONE, peers.STREAMS))
    times = [f"{row[figure]['median'] / 1000:.2f}" for row in (one, many) for figure in ("p50_us", "p99_us")]
    return [name, _spread(many, "frames_per_second_per_core"), _spread(many, "frame_cpu_us"), *times]


def _spread_answers(figure: Result) -> str:
    lines = [
        [
            row["name"],
            str(row["concurrency"]),
            *(_spread(row, name) for name in ("cpu_us", "per_second")),
            *(_spread(row, name, scale=1000) for name in ("p50_us", "p99_us")),
            f"{row['generator_busy']['median']:.0%}",
        ]
        for row in figure["rows"]
    ]
    head = ["", "callers", "CPU-µs each", "requests/s seen", "p50 ms", "p99 ms", "generator busy"]
    return _table(head, lines)


def _streams(figure: Result) -> str:
    lines = [
        [
            row["name"],
            str(row["concurrency"]),
            _spread(row, "frames_per_second"),
            _spread(row, "frame_cpu_us"),
            f"{sum(row['rounds']['merged']):.0f}",
            f"{max(row['rounds']['worst_gap_us']) / 1000:.0f}",
            *(_spread(row, name, scale=1000) for name in ("p50_us", "p99_us")),
        ]
        for row in figure["rows"]
    ]
    head = ["", "streams", "frames/s", "CPU-µs a frame", "merged", "longest pause ms", "first frame p50 ms", "p99"]
    return f"{_table(head, lines)}\n\nPlacement: {figure['layout']}."


def _idle(figure: Result) -> str:
    lines = [
        [
            row["name"],
            str(row["concurrency"]),
            f"{row['rss_mb']['median']:.0f}",
            f"{row['cpu_share']['median']:.1%}",
            f"{max(row['rounds']['health_ms']):.1f}",
        ]
        for row in figure["rows"]
    ]
    return _table(["connected", "each", "memory MB", "of a core", "longest wait for `/health/live` ms"], lines)


def _bodies(figure: Result) -> str:
    lines = [
        [
            row["name"],
            f"{max(row['rounds']['extra_mb']):.1f}",
            _spread(row, "cpu_ms"),
            "refused" if row["name"] in (bodies.DECLARED, bodies.UNDECLARED) else _spread(row, "mb_per_second"),
        ]
        for row in figure["rows"]
    ]
    return _table(["", "more memory MB", "CPU-ms", "MB/s"], lines)


def _overload(figure: Result) -> str:
    lines = [
        [
            row["name"],
            *(_spread(row, name) for name in ("calls_per_second", "refused_per_second")),
            *_worst(row, "refused_p50_ms", "refused_p99_ms", "refused_worst_ms", "health_p99_ms", "health_worst_ms"),
            *_worst(row, "wait_p50_s", "wait_worst_s", "growth_mb", "kept_mb"),
            f"{row['cpu_share']['median']:.0%}",
        ]
        for row in figure["rows"]
    ]
    head = ["", "calls/s", "refused/s", "refusal p50 ms", "p99", "worst", "`/health/live` p99 ms", "worst"]
    answers = [
        [name, answer, str(count)] for name, found in figure["answers"].items() for answer, count in found.items()
    ]
    return "\n\n".join(
        (
            _table([*head, "wait of others p50 s", "worst", "more memory MB", "afterwards MB", "of a core"], lines),
            _table(["", "answered", "calls"], answers),
        )
    )


def _worst(row: Result, *names: str) -> list[str]:
    """The maximum of all rounds."""
    return [f"{max(row['rounds'][name]):.1f}" for name in names]


def _revocation(figure: Result) -> str:
    lines = [
        [
            row["name"],
            str(len(row["rounds"]["ms"])),
            _spread(row, "ms"),
            f"{percentile(sorted(row['rounds']['ms']), 0.95):.0f}",
            f"{max(row['rounds']['ms']):.0f}",
        ]
        for row in figure["rows"]
    ]
    return _table(["", "times", "ms", "p95", "worst"], lines)


def share_of_heartbeats(figure: Result, kind: str) -> float:
    """Returns the share of a core that the servers take if each reports once a second, and nothing has changed."""
    row = next(row for row in figure["rows"] if row["name"] == heartbeats.SAME)
    return row[kind]["median"] / 1000 * figure["servers"]


def _heartbeats(figure: Result) -> str:
    names = "ms", "cpu_ms", "database_cpu_ms", "statements"
    lines = [[row["name"], *(_spread(row, name) for name in names)] for row in figure["rows"]]
    table = _table(["", "ms", "CPU-ms of mlpcore", "CPU-ms of PostgreSQL", "SQL statements"], lines)
    shares = [share_of_heartbeats(figure, kind) for kind in ("cpu_ms", "database_cpu_ms")]
    return (
        f"{table}\n\n{figure['servers']} servers that report once a second, without a change, take "
        f"{shares[0]:.0%} of a core of mlpcore and {shares[1]:.0%} of PostgreSQL."
    )


_NEWER: dict[str, Callable[[Result], str]] = {
    "peers": _peers,
    "spread": _spread_answers,
    "warm": _spread_answers,
    "streams": _streams,
    "idle": _idle,
    "bodies": _bodies,
    "overload": _overload,
    "heartbeats": _heartbeats,
    "revocation": _revocation,
}


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


def _placement(figure: Result) -> str:
    names = [name for name in ("ms", "cpu_ms", "statements", "server_statements") if name in figure["rows"][0]]
    heads = ["ms", "CPU-ms of mlpcore", "SQL statements", "of them read servers"]
    lines = [[row["name"], *(_spread(row, name) for name in names)] for row in figure["rows"]]
    return _table(["", *heads[: len(names)]], lines)


def _measures(figure: Result) -> str:
    lines = [
        [
            row["name"],
            str(measures.SECONDS.get(row["name"], "")),
            *(_spread(row, name) for name in ("ms", "cpu_ms", "database_cpu_ms")),
        ]
        for row in figure["rows"]
    ]
    table = _table(["", "every s", "ms", "CPU-ms of mlpcore", "CPU-ms of PostgreSQL"], lines)
    shares = [share_of_measures(figure, kind) for kind in ("cpu_ms", "database_cpu_ms")]
    return (
        f"{table}\n\nIn all {shares[0]:.0%} of a core of mlpcore and {shares[1]:.0%} of PostgreSQL. "
        f"A year of one service takes {figure['bytes_of_a_year'] / 1e6:.1f} MB."
    )


def _freed_place(figure: Result) -> str:
    lines = [
        [
            row["name"],
            str(len(row["rounds"]["ms"])),
            _spread(row, "place_ms"),
            _spread(row, "ms"),
            f"{percentile(sorted(row['rounds']['ms']), 0.95):.0f}",
            f"{max(row['rounds']['ms']):.0f}",
        ]
        for row in figure["rows"]
    ]
    return _table(
        ["", "times freed", "until the place is given ms", "until the instance runs ms", "p95", "worst"], lines
    )


def write_docs(result: Result, page: Path = PAGE) -> None:
    """Replace each table between its marks. Raises ValueError if the page lacks a mark."""
    text = page.read_text()
    for name, table in _parts(result).items():
        pattern = re.compile(rf"(<!-- {re.escape(name)} -->\n).*?(<!-- /{re.escape(name)} -->)", re.DOTALL)
        if not pattern.search(text):
            raise ValueError(f"{page.name} has no marks for {name}; add `<!-- {name} -->` and `<!-- /{name} -->`")
        text = pattern.sub(lambda found, body=table: f"{found[1]}\n{body}\n\n{found[2]}", text)
    page.write_text(text)
