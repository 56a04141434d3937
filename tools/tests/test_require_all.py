import re
from pathlib import Path

import pytest

ROOT_CONFTEST = Path(__file__).parents[2] / "conftest.py"
SKIPPED_IN_TEST = "import pytest\ndef test_a(): pytest.skip('no engine')\ndef test_b(): pass\n"
SKIPPED_MODULE = "import pytest\npytest.skip('no engine', allow_module_level=True)\n"
SLOW = "import time\ndef test_a(): time.sleep(0.2)\n"
EXPECTED_FAILURE = "import pytest\n@pytest.mark.xfail(reason='known')\ndef test_a(): assert False\n"
DISTRIBUTIONS = [(), ("-n", "2")]


@pytest.mark.parametrize("options", DISTRIBUTIONS, ids=["alone", "distributed"])
class TestRequireAll:
    @pytest.fixture(autouse=True)
    def _few_plugins(self, monkeypatch):
        """All others take longer to import than the runs take."""
        monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")

    def _run(self, pytester: pytest.Pytester, test: str, options: tuple[str, ...]) -> pytest.RunResult:
        whole = ROOT_CONFTEST.read_text()
        without_plugins = re.sub(r"^pytest_plugins = .*$", "", whole, flags=re.MULTILINE)
        assert without_plugins != whole
        pytester.makeconftest(without_plugins)
        pytester.makepyfile(test)
        return pytester.runpytest_subprocess("-p", "no:cacheprovider", "-p", "xdist", *options)

    @pytest.mark.parametrize("test", [SKIPPED_IN_TEST, SKIPPED_MODULE], ids=["test", "module"])
    def test_a_skip_fails_the_run_and_is_named(self, pytester, monkeypatch, options, test):
        monkeypatch.setenv("MLP_REQUIRE_ALL", "1")
        result = self._run(pytester, test, options)
        assert result.ret == pytest.ExitCode.TESTS_FAILED
        result.stdout.fnmatch_lines(["*skipped tests are failures*", "*test_a_skip_fails*.py*: *no engine*"])

    def test_a_skip_passes_without_the_option(self, pytester, monkeypatch, options):
        monkeypatch.delenv("MLP_REQUIRE_ALL", raising=False)
        assert self._run(pytester, SKIPPED_IN_TEST, options).ret == pytest.ExitCode.OK

    def test_an_expected_failure_does_not_count_as_a_skip(self, pytester, monkeypatch, options):
        monkeypatch.setenv("MLP_REQUIRE_ALL", "1")
        assert self._run(pytester, EXPECTED_FAILURE, options).ret == pytest.ExitCode.OK

    def test_a_run_over_its_budget_says_so_and_passes(self, pytester, options):
        result = self._run(pytester, SLOW, (*options, "--budget", "0.1"))
        assert result.ret == pytest.ExitCode.OK
        result.stdout.fnmatch_lines(["The tests took * s; 0.1 s are planned."])
