"""Options of pytest for a second run of what failed in a first: `tools/run_tests.py` gives them."""

import json
import os
from pathlib import Path

import pytest

ERROR_CHARACTERS = 300


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("second run")
    group.addoption("--failures", type=Path, metavar="FILE", help="write what failed, as JSON")
    group.addoption(
        "--only", type=Path, metavar="FILE", help="run only the tests in this file, a JSON list of their names"
    )


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "ordered: its tests build upon each other, so a second run repeats all of them")
    path: Path | None = config.getoption("failures")
    if path is not None and not hasattr(config, "workerinput"):
        config.pluginmanager.register(Failures(path), "failures")


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    path: Path | None = config.getoption("only")
    if path is None:
        return
    wanted = set(json.loads(path.read_text()))
    groups = {group for item in items if item.nodeid in wanted and (group := _ordered_group(item))}
    kept = [item for item in items if item.nodeid in wanted or _ordered_group(item) in groups]
    config.hook.pytest_deselected(items=[item for item in items if item not in kept])
    items[:] = kept


def _ordered_group(item: pytest.Item) -> str | None:
    """Returns the name of the outermost class or module with the mark `ordered`; None if there is none."""
    marked = (node for node in item.listchain() if any(mark.name == "ordered" for mark in node.own_markers))
    group = next(marked, None)
    return group.nodeid if group is not None else None


class Failures:
    """Writes the names of the tests that failed, with the stage and a line of each first error.

    With MLP_REQUIRE_ALL=1, a test that is skipped has failed: a second run without it would pass.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._skips_fail = os.environ.get("MLP_REQUIRE_ALL") == "1"
        self._failed: dict[str, dict[str, str]] = {}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        skipped = report.skipped and not hasattr(report, "wasxfail")
        if report.failed or (skipped and self._skips_fail):
            entry = {"test": report.nodeid, "error": _line(report), "stage": report.when or "call"}
            self._failed.setdefault(report.nodeid, entry)

    def pytest_sessionfinish(self) -> None:
        self._path.write_text(json.dumps(list(self._failed.values())))


def _line(report: pytest.TestReport) -> str:
    crash = getattr(report.longrepr, "reprcrash", None)
    if isinstance(report.longrepr, tuple):
        text = report.longrepr[2]  # why it is skipped
    else:
        text = crash.message if crash is not None else str(report.longrepr)
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return (lines[0] if lines else "no message")[:ERROR_CHARACTERS]
