"""Configuration of the tests of all packages."""

import gc
import os
import time

import pytest

pytest_plugins = ["pytester", "mlplace_testing.plugin"]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--budget", type=float, metavar="SECONDS", help="how long the run may take, and half as much more")


def pytest_configure(config: pytest.Config) -> None:
    in_worker = hasattr(config, "workerinput")
    if os.environ.get("MLP_REQUIRE_ALL") != "1" or in_worker:
        return
    config.pluginmanager.register(NoSkips(), "no-skips")
    budget = config.getoption("budget")
    if budget is not None:
        config.pluginmanager.register(Budget(budget), "budget")


LONGEST = (
    "tests/benchmarks/test_benchmarks.py",
    "tests/chaos/test_chaos.py",
    "tests/soak/test_soak.py",
    "tests/crashes/test_four_gates.py",
    "tests/security/test_openapi_fuzz.py",
    "tests/crashes/test_predictions.py",
    "services/standalone/tests/test_interrupted_start.py",
    "services/standalone/tests/test_autoscaling.py",
    "tests/crashes/test_slow_stores.py",
    "services/mlpcore/tests/placement/test_machine.py",
    "tools/tests/test_build_wheel.py",
    "tests/rollback/",
)
"""Files whose tests take longest, the longest first."""


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Lets each of several workers begin with some of the longest tests, so that none of these runs alone at the end.

    Each worker gets a part of the list, of equal size, and takes from the ends of the others' when its own is done.
    """
    workers = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
    if workers == 1:
        return
    begins: list[list[pytest.Item]] = [[] for _ in range(workers)]
    others: list[pytest.Item] = []
    for item in items:
        place = next((n for n, path in enumerate(LONGEST) if item.nodeid.startswith(path)), None)
        (others if place is None else begins[place % workers]).append(item)
    ordered: list[pytest.Item] = []
    for number, first in enumerate(begins):
        first.sort(key=lambda item: next(n for n, path in enumerate(LONGEST) if item.nodeid.startswith(path)))
        size = (len(items) - len(ordered)) // (workers - number)
        rest = max(0, size - len(first))
        ordered += [*first, *others[:rest]]
        del others[:rest]
    items[:] = [*ordered, *others]


def pytest_collection_finish() -> None:
    """Leaves out of garbage collections what was imported and collected: it took a seventh of the processor time."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(100_000, 50, 100)


class NoSkips:
    """Fails the run if a test is skipped, on machines that have everything that tests need."""

    def __init__(self) -> None:
        self.skipped: dict[str, str] = {}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self._note(report)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        self._note(report)

    def _note(self, report: pytest.TestReport | pytest.CollectReport) -> None:
        if report.skipped and not hasattr(report, "wasxfail"):
            reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
            self.skipped[report.nodeid] = reason

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if self.skipped and session.exitstatus in {pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED}:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        if self.skipped:
            terminalreporter.section("MLP_REQUIRE_ALL=1: skipped tests are failures", red=True)
            for nodeid, reason in sorted(self.skipped.items()):
                terminalreporter.write_line(f"{nodeid}: {reason}")


class Budget:
    """Fails a run that takes 1.5 times its budget, so that slow tests are noticed."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._began = time.monotonic()
        self._took = 0.0

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        self._took = time.monotonic() - self._began
        if self._exceeded and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        if self._exceeded:
            terminalreporter.section("the tests take too long", red=True)
            terminalreporter.write_line(
                f"They took {self._took:.0f} s; {self._seconds:g} s are their budget, and half as much more the limit. "
                "Make the slowest ones faster (above), or change TEST_BUDGET_SECONDS in the Makefile."
            )

    @property
    def _exceeded(self) -> bool:
        return self._took > 1.5 * self._seconds
