from pathlib import Path

import pytest

ROOT_CONFTEST = Path(__file__).parents[2] / "conftest.py"
SKIPPED_IN_TEST = "import pytest\ndef test_a(): pytest.skip('no engine')\ndef test_b(): pass\n"
SKIPPED_MODULE = "import pytest\npytest.skip('no engine', allow_module_level=True)\n"
EXPECTED_FAILURE = "import pytest\n@pytest.mark.xfail(reason='known')\ndef test_a(): assert False\n"
DISTRIBUTIONS = [(), ("-n", "2")]


@pytest.mark.parametrize("options", DISTRIBUTIONS, ids=["alone", "distributed"])
class TestRequireAll:
    def _run(self, pytester: pytest.Pytester, test: str, options: tuple[str, ...]) -> pytest.RunResult:
        pytester.makeconftest(ROOT_CONFTEST.read_text())
        pytester.makepyfile(test)
        return pytester.runpytest_subprocess("-p", "no:cacheprovider", *options)

    @pytest.mark.parametrize("test", [SKIPPED_IN_TEST, SKIPPED_MODULE], ids=["test", "module"])
    def test_a_skip_fails_the_run_and_is_named(self, pytester, monkeypatch, options, test):
        monkeypatch.setenv("MLP_REQUIRE_ALL", "1")
        result = self._run(pytester, test, options)
        assert result.ret == pytest.ExitCode.TESTS_FAILED
        result.stdout.fnmatch_lines(["*skipped tests are failures*", "*test_a_skip_fails*.py*: *no engine*"])

    def test_a_skip_is_fine_where_nothing_is_promised(self, pytester, monkeypatch, options):
        monkeypatch.delenv("MLP_REQUIRE_ALL", raising=False)
        assert self._run(pytester, SKIPPED_IN_TEST, options).ret == pytest.ExitCode.OK

    def test_an_expected_failure_is_no_skip(self, pytester, monkeypatch, options):
        monkeypatch.setenv("MLP_REQUIRE_ALL", "1")
        assert self._run(pytester, EXPECTED_FAILURE, options).ret == pytest.ExitCode.OK
