"""Configuration of the tests of all packages."""

import gc
import os
import time
import tomllib
from collections.abc import Generator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from xdist.remote import Producer
    from xdist.scheduler import LoadFileScheduling

ROOT = Path(__file__).parent
_TABLE = ROOT / "tools" / "proofs.toml"
_PROOFS = (
    {path for proof in tomllib.loads(_TABLE.read_text()).values() for path in proof.get("pytest", ())}
    if _TABLE.exists()
    else set[str]()
)  # a test uses a copy of this file

pytest_plugins = ["pytester", "mlplace_testing.plugin", "mlplace_testing.second_run"]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--budget", type=float, metavar="SECONDS", help="how long the run is planned to take; it is only printed"
    )
    parser.addoption("--no-proofs", action="store_true", help="leave out the tests that tools/proofs.toml names")


def pytest_configure(config: pytest.Config) -> None:
    in_worker = hasattr(config, "workerinput")
    if in_worker:
        return
    if os.environ.get("MLP_REQUIRE_ALL") == "1":
        config.pluginmanager.register(NoSkips(), "no-skips")
    budget = config.getoption("budget")
    if budget is not None:
        config.pluginmanager.register(Budget(budget), "budget")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leaves out proofs: `.ci/run` has a phase for each, and runs it when its subject has changed."""
    if not config.getoption("no_proofs"):
        return None
    return collection_path.relative_to(ROOT).as_posix() in _PROOFS or None


LONGEST = (
    "services/mlpcore/tests/autoscaling/test_loop.py",
    "services/mlpgateway/tests/warm/test_differential.py",
    "services/mlpgateway/tests/http_instances/test_malformed_answers.py",
    "tests/security/test_canaries.py",
    "tests/security/test_authorization_matrix.py",
    "services/mlpgateway/tests/http_instances/test_every_entry.py",
    "services/mlpgateway/tests/test_revocation.py",
    "services/mlpcore/tests/hosting/test_hosting.py",
    "services/agent/tests/test_data_volumes.py",
    "services/mlpcore/tests/hosting/test_tasks.py",
    "libs/runtime/tests/test_kafka_bus.py",
    "services/accountsadmin/tests/test_devices.py",
    "tests/security/test_foreign_objects.py",
    "services/mlpbilling/tests/test_machine.py",
    "services/standalone/tests/test_service_processes.py",
)
"""Files whose tests take longest, the longest first: `make test` prints how long each took."""
WAITING = (
    "services/mlpgateway/", "services/standalone/", "services/agent/", "tests/", "gateway-config/", "libs/runtime/",
)  # fmt: skip
"""Folders whose tests wait for processes and deadlines. Vitest and the slow checks work meanwhile."""
TOGETHER = (
    (
        "libs/runtime/tests/test_kafka_", "libs/runtime/tests/test_event_traces.py",
        "services/mlpgateway/tests/readmodels/test_rebuilt_from_kafka.py",
        "services/mlpbilling/tests/test_rebuilt_from_kafka.py",
    ),  # Kafka
    ("gateway-config/",),  # nginx
    (
        "services/mlpgateway/tests/caching/", "services/mlpgateway/tests/limits/test_gates_redis.py",
        "libs/runtime/tests/test_quotas_redis.py",
    ),  # Redis and MongoDB
)  # fmt: skip
"""Beginnings of files that one worker takes: they share a server that takes seconds of processor time to start."""
SHOWN_FILES = 40


def unit_of(file: str) -> str:
    """Returns what a worker takes at once: the file, or the first of its group of `TOGETHER`."""
    return next((group[0] for group in TOGETHER if file.startswith(group)), file)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: "Producer") -> "LoadFileScheduling | None":
    if config.getoption("dist") != "loadfile":
        return None
    from xdist.scheduler import LoadFileScheduling

    class Units(LoadFileScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return unit_of(super()._split_scope(nodeid))

    return Units(config, log)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begins with the longest files, since a file is what a worker takes at once: none of them is alone at the end.

    Files whose tests wait come before those that compute: at the end nothing else could use the processors.
    """
    places = {path: place for place, path in enumerate(LONGEST)}

    def place(item: pytest.Item) -> int:
        path = item.nodeid.partition("::")[0]
        return places.get(path, len(places) if path.startswith(WAITING) else len(places) + 1)

    items.sort(key=place)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Turns garbage collections off while tests are imported and collected: they took an eighth of that time."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()


def pytest_collection_finish() -> None:
    """Leaves out of garbage collections what was imported and collected: it took a seventh of the processor time."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(100_000, 50, 100)
    _Processor.told = time.process_time()


class _Processor:
    """The processor time of this process that reports of tests have told already, in seconds."""

    NAME = "processor seconds"
    told = 0.0


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Tells with the last report of each test how much processor time it took, its fixtures included."""
    report = yield
    if report.when == "teardown":
        now = time.process_time()
        report.user_properties.append((_Processor.NAME, now - _Processor.told))
        _Processor.told = now
    return report


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
    """Says how long the run took, beside what is planned, and which files took longest. A slow machine fails no run."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._began = time.monotonic()
        self._first_test = float("inf")
        self._files: dict[str, tuple[float, float, float]] = {}
        """Of each file: when its first test began, by the clock of the machine, how long all took, and how much
        processor time of the worker; in seconds."""

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        path = report.nodeid.partition("::")[0]
        began, took, spent = self._files.get(path, (report.start, 0.0, 0.0))
        told = [value for name, value in report.user_properties if name == _Processor.NAME]
        spent += sum(value for value in told if isinstance(value, float))
        self._files[path] = (min(began, report.start), took + report.duration, spent)
        self._first_test = min(self._first_test, report.start)

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        took = time.monotonic() - self._began
        for what, column in (("longest", 1), ("most processor time", 2)):
            chosen = sorted(self._files, key=lambda path: self._files[path][column], reverse=True)[:SHOWN_FILES]
            terminalreporter.section(f"{len(chosen)} files that took {what}: seconds, of them computing, and begin")
            for path in chosen:
                began, seconds, spent = self._files[path]
                line = f"{seconds:5.0f} s  {spent:5.1f} s  {began - self._first_test:5.0f} s  {path}"
                terminalreporter.write_line(line)
        terminalreporter.write_line(f"The tests took {took:.0f} s; {self._seconds:g} s are planned.")
