"""Makes every generated file anew, in the order in which they depend on each other, then says what is left for people.

`python tools/fix.py`; a second run changes nothing. Fails if something is left, or a generator fails.
"""

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import audit_dependencies as audit

ROOT = Path(__file__).parents[1]
BIN = Path(sys.executable).parent
PYTHON, NPM, PYTEST = (
    [sys.executable],
    ["npm", "--prefix", "frontend", "run", "--silent"],
    [f"{BIN}/pytest", "--quiet", "-n", "0"],
)
GENERATED: dict[str, list[str]] = {
    "stubs of the gate protocol": [*PYTHON, "libs/gateproto/generate.py"],
    "golden files of events": [*PYTHON, "libs/contracts/tests/golden.py"],
    "OpenAPI documents, pages of errors and settings": [*PYTHON, "-m", "standalone", "openapi"],
    "client of the web interface": [*NPM, "api"],
    "table of settlement": [*PYTHON, "-m", "tests.settlement.document"],
    "page of benchmarks": [*PYTHON, "-m", "benchmarks", "--docs-only"],
    "table of the chart's values": [*PYTHON, "tools/chart_values.py"],
    "imports and style": [f"{BIN}/ruff", "check", "--fix-only", "--quiet"],
    "format": [f"{BIN}/ruff", "format", "--quiet"],
    "format of the web interface": [*NPM, "format"],
}
BY_HAND: dict[str, list[str]] = {
    "a sample request for each route, in tests/security/samples.py": [
        *PYTEST, "tests/security", "-k", "every_route_has_a_sample",
    ],
    "a text in Russian and English for each code, in frontend/src/locales": [
        *NPM, "test", "--", "src/lib/i18n.test.ts", "src/lib/problems",
    ],
    "imports that follow the layers": [f"{BIN}/lint-imports", "--no-logo"],
    "sizes of files and functions": [*PYTHON, "tools/check_sizes.py"],
    "rules of the house": [*PYTHON, "tools/check_rules.py"],
    "what ruff cannot change itself": [f"{BIN}/ruff", "check", "--quiet"],
}  # fmt: skip


def exports_are_stale() -> bool:
    """Whether a dependency is missing in requirements/. Only then are these made anew: that asks the package index."""
    paths = [ROOT / "pyproject.toml", *ROOT.glob("*/pyproject.toml"), *ROOT.glob("*/*/pyproject.toml")]
    projects = {str(path.relative_to(ROOT)): path.read_text() for path in paths}
    return any(audit.export_problems(projects, (ROOT / "requirements" / "dev.txt").read_text()))


def run(name: str, command: Sequence[str]) -> str:
    """Returns the output if it failed; empty if it did not."""
    done = subprocess.run(command, cwd=ROOT, check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    print(f"{'ok' if done.returncode == 0 else 'FAILED':7}{name}", flush=True)
    return done.stdout.strip() or f"exit {done.returncode}" if done.returncode else ""


def main() -> int:
    generators = {"exports of requirements": ["make", "--silent", "lock"]} if exports_are_stale() else {}
    for name, command in {**generators, **GENERATED}.items():
        if output := run(name, command):
            print(output)
            return 1
    left = {name: output for name, command in BY_HAND.items() if (output := run(name, command))}
    for name, output in left.items():
        print(f"\n== by hand: {name}\n{output}")
    return 1 if left else 0


if __name__ == "__main__":
    sys.exit(main())
