"""`python -m benchmarks [figure ...]`: measure, store the raw figures, print them and compare them with the targets."""

import argparse
import json
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from benchmarks import machine
from benchmarks.bars import Result, judge
from benchmarks.content import Content, populate
from benchmarks.figures import (
    bodies,
    calls,
    features,
    freed_place,
    heartbeats,
    idle,
    ledger,
    listing,
    measures,
    overload,
    peers,
    placement,
    revocation,
    sign_in,
    spread_answers,
    streams,
    warm,
)
from benchmarks.figures.rounds import FULL, TINY, Figure, Size
from benchmarks.load.generators import Generators
from benchmarks.platform_stack import Stack, wait
from benchmarks.processes import most_open_files
from benchmarks.report import tables, write_docs

Measure = Callable[[Stack, Content, Generators, Size], Figure]
FIGURES: Mapping[str, Measure] = {
    "calls": calls.measure,
    "peers": peers.measure,
    "features": features.measure,
    "spread": spread_answers.measure,
    "warm": warm.measure,
    "streams": lambda stack, content, _, size: streams.measure(stack, content, size),
    "idle": lambda stack, content, _, size: idle.measure(stack, content, size),
    "bodies": lambda stack, content, _, size: bodies.measure(stack, content, size),
    "overload": lambda stack, content, _, size: overload.measure(stack, content, size),
    "ledger": lambda stack, content, _, size: ledger.measure(stack, content, size),
    "listing": listing.measure,
    "placement": lambda stack, _, __, size: placement.measure(stack, size),
    "heartbeats": lambda stack, _, __, size: heartbeats.measure(stack, size),
    "freed-place": lambda stack, content, _, size: freed_place.measure(stack, content, size),
    "revocation": lambda stack, content, _, size: revocation.measure(stack, content, size),
    "measures": lambda stack, _, __, size: measures.measure(stack, size),
    "sign-in": lambda stack, _, generators, size: sign_in.measure(stack, generators, size),
}
RESULTS = Path(__file__).parent / "results"


def main(arguments: Sequence[str] | None = None) -> int:
    """Returns 1 if `--check` was given and a target is missed, else 0."""
    options = _options(arguments)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))  # stop all child processes on SIGTERM too
    if options.docs_only:
        write_docs(json.loads((options.output / "latest.json").read_text()))
        return 0
    size = TINY if options.tiny else FULL
    if options.rounds:
        size = Size(options.rounds, size.seconds, size.warm_up, size.share)
    chosen = options.figures or tuple(FIGURES)
    options.output.mkdir(parents=True, exist_ok=True)
    result = run(chosen, size, options.output)
    text = json.dumps(result, indent=1, ensure_ascii=False)
    path = options.output / "latest.json"
    if set(chosen) != set(FIGURES) and path.exists():
        text = json.dumps(_added(json.loads(path.read_text()), result), indent=1, ensure_ascii=False)
    path.write_text(text + "\n")
    print(tables(result))
    verdicts = judge(result)
    print(*verdicts, sep="\n")
    if options.write_docs:
        write_docs(json.loads(path.read_text()))
    return int(options.check and any(verdict.missed for verdict in verdicts))


def _added(kept: Result, result: Result) -> Result:
    """Merge the figures of a partial run into the stored result.

    Each of them records when and where it was measured.
    """
    about = result["machine"]
    told = ("date", "commit", "load_average_at_start", "cpu")
    later = {name: about[name] for name in told} | {"rounds": result["rounds"]}
    figures = {name: figure | {"later": later} for name, figure in result["figures"].items()}
    return kept | {"figures": kept["figures"] | figures}


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="benchmarks", description=__doc__)
    parser.add_argument("figures", nargs="*", choices=[[], *FIGURES], help="default: all")
    parser.add_argument("--check", action="store_true", help="fail if a target is missed")
    parser.add_argument("--write-docs", action="store_true", help="update the tables of docs/performance.md")
    parser.add_argument("--docs-only", action="store_true", help="the same from the stored figures, without measuring")
    parser.add_argument("--rounds", type=int, default=0)
    parser.add_argument("--tiny", action="store_true", help="only check that everything still works")
    parser.add_argument("--output", type=Path, default=RESULTS, help="the folder of latest.json")
    return parser.parse_args(arguments)


def run(chosen: Sequence[str], size: Size, kept: Path) -> Result:
    cores = machine.Cores.split()
    about = machine.describe(cores)
    most_open_files()
    began = time.monotonic()
    with (
        tempfile.TemporaryDirectory(prefix="mlplace-bench-") as folder,
        Generators(cores) as generators,
        Stack(Path(folder), cores) as stack,
        machine.on(cores.others),
    ):
        content = wait(populate(stack))
        figures: dict[str, object] = {}
        for name in chosen:
            print(f"{name} ...", file=sys.stderr, flush=True)
            figures[name] = FIGURES[name](stack, content, generators, size).as_json()
            (kept / "part.json").write_text(json.dumps(figures))  # survives if a later figure fails
    (kept / "part.json").unlink()
    return {
        "machine": about,
        "rounds": size.rounds,
        "seconds_of_a_window": size.seconds,
        "seconds_in_all": round(time.monotonic() - began),
        "figures": figures,
    }


if __name__ == "__main__":
    sys.exit(main())
