"""`python -m benchmarks [figure ...]`: measure, keep the raw figures, print and judge them."""

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from benchmarks import machine
from benchmarks.content import Content, populate
from benchmarks.figures import calls, features, ledger, listing, sign_in
from benchmarks.figures.rounds import FULL, TINY, Figure, Size
from benchmarks.load.generators import Generators
from benchmarks.platform_stack import Stack, wait
from benchmarks.report import judge, tables, write_docs

FIGURES = ("calls", "features", "ledger", "listing", "sign-in")
RESULTS = Path(__file__).parent / "results"


def main(arguments: Sequence[str] | None = None) -> int:
    """The exit code: 1 when `--check` was given and a bar is missed."""
    options = _options(arguments)
    if options.docs_only:
        write_docs(json.loads((options.output / "latest.json").read_text()))
        return 0
    size = TINY if options.tiny else FULL
    if options.rounds:
        size = Size(options.rounds, size.seconds, size.warm_up, size.share)
    chosen = options.figures or FIGURES
    options.output.mkdir(parents=True, exist_ok=True)
    result = run(chosen, size, options.output)
    text = json.dumps(result, indent=1, ensure_ascii=False)
    path = options.output / "latest.json"
    if set(chosen) != set(FIGURES) and path.exists():
        kept = json.loads(path.read_text())
        kept["figures"] |= result["figures"]
        text = json.dumps(kept | {"partly": f"{', '.join(chosen)} measured later"}, indent=1, ensure_ascii=False)
    path.write_text(text + "\n")
    print(tables(result))
    verdicts = judge(result)
    print(*verdicts, sep="\n")
    if options.write_docs:
        write_docs(json.loads(path.read_text()))
    return int(options.check and any(verdict.missed for verdict in verdicts))


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="benchmarks", description=__doc__)
    parser.add_argument("figures", nargs="*", choices=[[], *FIGURES], help="all when none is named")
    parser.add_argument("--check", action="store_true", help="fail when a bar is missed")
    parser.add_argument("--write-docs", action="store_true", help="renew the tables of docs/performance.md")
    parser.add_argument("--docs-only", action="store_true", help="the same from the kept figures; measure nothing")
    parser.add_argument("--rounds", type=int, default=0)
    parser.add_argument("--tiny", action="store_true", help="only to see that everything still works")
    parser.add_argument("--output", type=Path, default=RESULTS, help="the folder of latest.json")
    return parser.parse_args(arguments)


def run(chosen: Sequence[str], size: Size, kept: Path) -> dict[str, object]:
    cores = machine.Cores.split()
    about = machine.describe(cores)
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
            figures[name] = _figure(name, stack, content, generators, size).as_json()
            (kept / "part.json").write_text(json.dumps(figures))  # a later figure that fails does not take this along
    (kept / "part.json").unlink()
    return {
        "machine": about,
        "rounds": size.rounds,
        "seconds_of_a_window": size.seconds,
        "seconds_in_all": round(time.monotonic() - began),
        "figures": figures,
    }


def _figure(name: str, stack: Stack, content: Content, generators: Generators, size: Size) -> Figure:
    print(f"{name} ...", file=sys.stderr, flush=True)
    match name:
        case "calls":
            return calls.measure(stack, content, generators, size)
        case "features":
            return features.measure(stack, content, generators, size)
        case "ledger":
            return ledger.measure(stack, content, size)
        case "listing":
            return listing.measure(stack, content, generators, size)
        case _:
            return sign_in.measure(stack, generators, size)


if __name__ == "__main__":
    sys.exit(main())
