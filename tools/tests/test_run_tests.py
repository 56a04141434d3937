"""Tests the second run of what failed."""

import os
import re
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import pytest
import run_tests
from run_tests import Failure, beside, run_both, run_twice

TOOL = Path(run_tests.__file__)
ROOT = TOOL.parents[1]
PLUGINS = 'pytest_plugins = ["mlplace_testing.second_run"]\n'
FLAKY = """
import pathlib, pytest
RAN = pathlib.Path(__file__).with_name("ran")
def once(name):
    "Fails the first time."
    marker = RAN.with_suffix("." + name)
    first = not marker.exists()
    marker.touch()
    return first
def test_good(): pass
def test_unsteady(): assert not once("a"), "the clock was late"
@pytest.mark.ordered
class TestOrdered:
    value = []
    def test_first(self): self.value.append(1)
    def test_second(self): assert self.value and not once("b")
"""
WITHOUT_A_PROGRAM = """
from tests.clients.installed import program
def test_client(): program("no-such-client", "no-such-package")
"""
BROKEN = FLAKY + "def test_broken(): assert 1 == 2\n"


def results(first: list[Failure], second: list[Failure]):
    runs = iter([first, second])
    asked: list[list[str]] = []

    def run(again):
        asked.append([failure.test for failure in again])
        failures = next(runs)
        return (1 if failures else 0), failures

    return run, asked


class TestRunTwice:
    def test_a_run_without_failures_is_not_repeated(self):
        run, asked = results([], [])
        assert run_twice(run) == 0
        assert asked == [[]]

    def test_what_passes_in_the_second_run_is_listed_and_fails_nothing(self, capsys):
        run, asked = results([Failure("t::a", "late")], [])
        assert run_twice(run) == 0
        assert asked == [[], ["t::a"]]
        assert "UNSTEADY t::a: late" in capsys.readouterr().out

    def test_what_fails_again_fails_the_run(self, capsys):
        run, _ = results([Failure("t::a", "late"), Failure("t::b", "wrong")], [Failure("t::b", "wrong")])
        assert run_twice(run) == 1
        out = capsys.readouterr().out
        assert "UNSTEADY t::a" in out
        assert "UNSTEADY t::b" not in out

    def test_a_run_that_ended_early_fails_without_a_second_one(self):
        asked = []
        assert run_twice(lambda again: asked.append(again) or (2, [])) == 2
        assert len(asked) == 1

    def test_many_failures_are_not_repeated(self):
        run, asked = results([Failure(f"t::{n}", f"e{n}") for n in range(11)], [])
        assert run_twice(run) == 1
        assert len(asked) == 1

    def test_many_failures_of_one_set_up_are_repeated(self):
        run, asked = results([Failure(f"t::{n}", "no server", "setup") for n in range(700)], [])
        assert run_twice(run) == 0
        assert len(asked[1]) == 700


class TestRunBoth:
    def test_what_failed_runs_again_after_both(self):
        begun: list[str] = []

        def noted(name: str, again: Sequence[Failure]) -> tuple[int, list[Failure]]:
            begun.append(f"{name} again" if again else name)
            return (0, []) if again else (1, [Failure(name, "late")])

        assert run_both(partial(noted, "pytest"), partial(noted, "vitest")) == 0
        assert begun == ["pytest", "vitest", "pytest again", "vitest again"]

    @pytest.mark.parametrize(("first", "second"), [(2, 0), (0, 2), (-15, 0), (2, 2)])
    def test_fails_if_either_fails(self, first: int, second: int):
        assert run_both(lambda _: (first, []), lambda _: (second, [])) != 0

    def test_passes_if_both_pass(self):
        assert run_both(lambda _: (0, []), lambda _: (0, [])) == 0


class TestBeside:
    def test_runs_during_the_block_and_its_output_comes_whole_when_it_is_waited_for(self, tmp_path: Path, capfd):
        program = (
            "import pathlib, sys; print('one'); print('two', file=sys.stderr); pathlib.Path('ran').touch(); exit(3)"
        )
        with beside([sys.executable, "-u", "-c", program], cwd=tmp_path, output=tmp_path / "output") as wait:
            until((tmp_path / "ran").exists)
            print("the block's")
            assert wait() == 3
        assert capfd.readouterr() == ("the block's\none\ntwo\n\n", "")

    def test_ends_with_the_block_also_when_that_is_interrupted(self, tmp_path: Path):
        program = "import os, pathlib, time; pathlib.Path('pid').write_text(f'{os.getpid()}\\n'); time.sleep(600)"
        pid = tmp_path / "pid"

        def interrupted():
            with beside([sys.executable, "-c", program], cwd=tmp_path, output=tmp_path / "output"):
                until(lambda: pid.exists() and pid.read_text().endswith("\n"))
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            interrupted()
        with pytest.raises(ProcessLookupError):
            os.kill(int(pid.read_text()), 0)


def until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.01)


class TestPytest:
    def _run(
        self, folder: Path, test: str, conftest: str = PLUGINS, **environment: str
    ) -> subprocess.CompletedProcess[str]:
        (folder / "test_some.py").write_text(test)
        (folder / "conftest.py").write_text(conftest)
        command = [
            sys.executable,
            str(TOOL),
            "pytest",
            "-p",
            "no:cacheprovider",
            "-p",
            "xdist",
            "-n",
            "2",
            "--rootdir",
            str(folder),
            str(folder),
        ]
        few_plugins = {
            **os.environ,
            "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
            **environment,
        }  # loading all others takes longer than the runs
        return subprocess.run(command, check=False, cwd=folder, env=few_plugins, capture_output=True, text=True)

    def test_only_what_failed_runs_again_and_an_ordered_class_whole(self, tmp_path: Path):
        result = self._run(tmp_path, FLAKY)
        assert result.returncode == 0, result.stdout
        assert "UNSTEADY test_some.py::test_unsteady: AssertionError: the clock was late" in result.stdout
        assert "UNSTEADY test_some.py::TestOrdered::test_second" in result.stdout
        assert "3 passed, 1 deselected" in result.stdout

    def test_a_test_that_fails_again_fails_the_run(self, tmp_path: Path):
        result = self._run(tmp_path, BROKEN)
        assert result.returncode == 1
        assert "FAILED test_some.py::test_broken" in result.stdout
        assert "UNSTEADY test_some.py::test_unsteady" in result.stdout

    @pytest.mark.parametrize("other", ["", FLAKY], ids=["alone", "beside one that is unsteady"])
    def test_a_client_that_is_not_installed_fails_a_run_that_requires_all(self, tmp_path: Path, other: str):
        whole = (ROOT / "conftest.py").read_text()
        conftest = re.sub(r"^pytest_plugins = .*\n", PLUGINS, whole, flags=re.MULTILINE)
        assert conftest != whole
        for required, status in (("1", 1), ("0", 0)):
            for marker in tmp_path.glob("ran.*"):
                marker.unlink()
            result = self._run(
                tmp_path, other + WITHOUT_A_PROGRAM, conftest, PYTHONPATH=str(ROOT), MLP_REQUIRE_ALL=required
            )
            assert result.returncode == status, result.stdout
            assert ("no-such-client is not installed" in result.stdout) is (status == 1)


class TestReports:
    def test_vitest_names_the_file_and_the_test(self):
        failed = {
            "status": "failed",
            "fullName": "list is empty",
            "failureMessages": ["\x1b[31mError: 1\x1b[0m\n at x"],
        }
        files = [
            {
                "name": f"{run_tests.FRONTEND}/src/a.test.ts",
                "status": "failed",
                "assertionResults": [failed],
                "message": "",
            },
            {
                "name": f"{run_tests.FRONTEND}/src/b.test.ts",
                "status": "failed",
                "assertionResults": [],
                "message": "no b",
            },
        ]
        assert run_tests.vitest_failures({"testResults": files}) == [
            Failure("src/a.test.ts > list is empty", "Error: 1"),
            Failure("src/b.test.ts", "no b"),
        ]

    def test_playwright_names_the_suites_and_the_test(self):
        result = {"errors": [{"message": "Error: not visible\n"}]}
        spec = {"title": "opens", "ok": False, "tests": [{"results": [result]}]}
        suites = [{"title": "keys.spec.ts", "suites": [{"title": "keys", "specs": [spec, {**spec, "ok": True}]}]}]
        assert list(run_tests.playwright_failures(suites)) == [
            Failure("keys.spec.ts > keys > opens", "Error: not visible")
        ]
