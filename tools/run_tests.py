"""Runs tests, and what failed once more: `python tools/run_tests.py pytest|vitest|playwright [options of it]`.

The second run is alone, at the end, when the machine is quiet: one process, only what failed, an ordered class whole.
What passes there is listed as UNSTEADY with its first error, and does not fail the run. What fails again does. Many
failures are no accident: they are not repeated, unless one error of a shared set-up explains them.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

FEW = 10
"""So many failures are run again."""
TESTS_FAILED = 1
FRONTEND = Path(__file__).parents[1] / "frontend"
COLOURS = re.compile(r"\x1b\[[0-9;]*m")


@dataclass(frozen=True)
class Failure:
    """`test` is the name that the program gives it, `error` one line, `stage` that of pytest: setup, call, teardown."""

    test: str
    error: str
    stage: str = "call"


Run = Callable[[Sequence[Failure]], tuple[int, list[Failure]]]
"""Runs all tests if nothing is given, else only what failed. Returns the exit status, and what failed now."""


def run_twice(run: Run) -> int:
    """Returns the exit status: 0 if each test passed in the first or in the second run."""
    status, failures = run([])
    if status != TESTS_FAILED or not failures:
        return status
    if not may_be_accidents(failures):
        print(f"{len(failures)} failures are too many for accidents: no second run", flush=True)
        return status
    print(f"-- {len(failures)} failed; they run again, alone", flush=True)
    second, left = run(failures)
    remaining = {failure.test for failure in left}
    for failure in failures:
        if failure.test not in remaining:
            print(f"UNSTEADY {failure.test}: {failure.error}")
    return second


def may_be_accidents(failures: Sequence[Failure]) -> bool:
    """Whether they are few, apart from those that have the most frequent error of a set-up in common."""
    in_setup = Counter(failure.error for failure in failures if failure.stage == "setup")
    shared = max(in_setup.values(), default=0)
    return len(failures) - (shared if shared > FEW else 0) <= FEW


def pytest_run(options: Sequence[str], folder: Path) -> Run:
    def run(again: Sequence[Failure]) -> tuple[int, list[Failure]]:
        report, wanted = folder / "failures.json", folder / "wanted.json"
        report.unlink(missing_ok=True)
        command = [sys.executable, "-m", "pytest", *options, f"--failures={report}"]
        if again:
            wanted.write_text(json.dumps([failure.test for failure in again]))
            # As one word: an existing file would be taken for a path to collect.
            command += [f"--only={wanted}", "-n", "0"]
        status = subprocess.run(command, check=False).returncode
        # A run that ends early, for instance by a syntax error, writes no report.
        found = json.loads(report.read_text()) if report.exists() else []
        return status, [Failure(**entry) for entry in found]

    return run


def vitest_run(options: Sequence[str], folder: Path) -> Run:
    def run(again: Sequence[Failure]) -> tuple[int, list[Failure]]:
        report = folder / "vitest.json"
        report.unlink(missing_ok=True)
        command = ["node_modules/.bin/vitest", "run", *options, "--reporter=default", "--reporter=json"]
        command += [f"--outputFile={report}", *(["--no-file-parallelism"] if again else [])]
        command += sorted({failure.test.partition(" > ")[0] for failure in again})
        status = subprocess.run(command, check=False, cwd=FRONTEND).returncode
        return status, vitest_failures(json.loads(report.read_text())) if report.exists() else []

    return run


def vitest_failures(report: dict[str, Any]) -> list[Failure]:
    """Reads a report of Vitest's JSON reporter. A file that could not be loaded has no tests, and is one failure."""
    failures: list[Failure] = []
    for file in report["testResults"]:
        name = os.path.relpath(file["name"], FRONTEND)
        failed = [test for test in file["assertionResults"] if test["status"] == "failed"]
        failures += [
            Failure(f"{name} > {test['fullName']}", first_line("\n".join(test["failureMessages"]))) for test in failed
        ]
        if file["status"] == "failed" and not failed:
            failures.append(Failure(name, first_line(file["message"])))
    return failures


def playwright_run(options: Sequence[str], folder: Path) -> Run:
    def run(again: Sequence[Failure]) -> tuple[int, list[Failure]]:
        report = folder / "playwright.json"
        report.unlink(missing_ok=True)
        command = ["node_modules/.bin/playwright", "test", *options, "--reporter=list,json"]
        command += ["--last-failed", "--workers=1"] if again else []
        environment = {**os.environ, "PLAYWRIGHT_JSON_OUTPUT_NAME": str(report)}
        status = subprocess.run(command, check=False, cwd=FRONTEND, env=environment).returncode
        return status, list(playwright_failures(json.loads(report.read_text())["suites"])) if report.exists() else []

    return run


def playwright_failures(suites: Sequence[dict[str, Any]], above: str = "") -> Iterator[Failure]:
    """Reads the suites of a report of Playwright's JSON reporter, which contain further ones."""
    for suite in suites:
        name = f"{above} > {suite['title']}" if above else suite["title"]
        yield from playwright_failures(suite.get("suites", []), name)
        for spec in suite.get("specs", []):
            if not spec["ok"]:
                errors = (error for test in spec["tests"] for result in test["results"] for error in result["errors"])
                message = next((error.get("message", "") for error in errors), "")
                yield Failure(f"{name} > {spec['title']}", first_line(message))


def first_line(text: str) -> str:
    plain = COLOURS.sub("", text)
    return next((line.strip() for line in plain.splitlines() if line.strip()), "no message")[:300]


def main() -> int:
    program, options = sys.argv[1], sys.argv[2:]
    with tempfile.TemporaryDirectory(prefix="mlplace-tests-") as folder:
        runs = {"pytest": pytest_run, "vitest": vitest_run, "playwright": playwright_run}
        return run_twice(runs[program](options, Path(folder)))


if __name__ == "__main__":
    sys.exit(main())
