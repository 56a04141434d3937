"""What holds for the tests of every package."""

import os

import pytest

pytest_plugins = ["pytester", "mlplace_testing.plugin"]


def pytest_configure(config: pytest.Config) -> None:
    in_worker = hasattr(config, "workerinput")
    if os.environ.get("MLP_REQUIRE_ALL") == "1" and not in_worker:
        config.pluginmanager.register(NoSkips(), "no-skips")


class NoSkips:
    """Where everything a test may need is promised to be there, a skipped test is a failure."""

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
