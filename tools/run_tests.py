"""Runs tests, and what failed once more: `python tools/run_tests.py pytest|vitest|playwright [options of it]`.

`all [options of pytest]` runs Vitest beside pytest, at a lower priority: it works while tests of pytest wait. Vitest's
output follows.

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
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

FEW = 10
"""So many failures are run again."""
TESTS_FAILED = 1
FRONTEND = Path(__file__).parents[1] / "frontend"
VITEST_REPORT = "vitest.json"
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


def vitest_run(options: Sequence[str], folder: Path, first: Callable[[], int] | None = None) -> Run:
    """`first` waits for a first run that has begun already, and returns its exit status."""

    def run(again: Sequence[Failure]) -> tuple[int, list[Failure]]:
        report = folder / VITEST_REPORT
        if first is not None and not again:
            status = first()
        else:
            report.unlink(missing_ok=True)
            command = [*vitest_command(options, folder), *(["--no-file-parallelism"] if again else [])]
            command += sorted({failure.test.partition(" > ")[0] for failure in again})
            status = subprocess.run(command, check=False, cwd=FRONTEND).returncode
        return status, vitest_failures(json.loads(report.read_text())) if report.exists() else []

    return run


def vitest_command(options: Sequence[str], folder: Path) -> list[str]:
    reporters = ["--reporter=default", "--reporter=json", f"--outputFile={folder / VITEST_REPORT}"]
    return ["node_modules/.bin/vitest", "run", *options, *reporters]


def run_all(options: Sequence[str], folder: Path) -> int:
    """Returns the exit status: 0 if both ended well."""
    pytest = pytest_run(options, folder)
    # pytest takes longer, so the run ends sooner if Vitest has only what pytest leaves of the processors.
    command = ["nice", *vitest_command([], folder)]
    with beside(command, cwd=FRONTEND, output=folder / "vitest.log") as vitest:
        return run_both(pytest, vitest_run([], folder, vitest))


def run_both(run: Run, other: Run) -> int:
    """Runs both, then what failed in either: only then is the machine quiet."""
    results = [run([]), other([])]
    statuses = [run_twice(begun(*pair)) for pair in zip((run, other), results, strict=True)]
    return next((status for status in statuses if status), 0)


def begun(run: Run, result: tuple[int, list[Failure]]) -> Run:
    """The run after its first part, which had this result."""
    return lambda again: run(again) if again else result


@contextmanager
def beside(command: Sequence[str], *, cwd: Path, output: Path) -> Iterator[Callable[[], int]]:
    """Runs a command during the block, and ends it with the block.

    Yields a function that waits for its end, prints its output and returns its exit status. It stays in this process
    group, so that Ctrl-C reaches it and its children too.
    """
    with output.open("wb") as stream:
        process = subprocess.Popen(command, cwd=cwd, stdin=subprocess.DEVNULL, stdout=stream, stderr=subprocess.STDOUT)

    def wait() -> int:
        status = process.wait()
        print(output.read_text(errors="replace"), flush=True)
        return status

    try:
        yield wait
    finally:
        process.terminate()
        process.wait()


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
        if program == "all":
            return run_all(options, Path(folder))
        runs = {"pytest": pytest_run, "vitest": vitest_run, "playwright": playwright_run}
        return run_twice(runs[program](options, Path(folder)))


if __name__ == "__main__":
    sys.exit(main())
