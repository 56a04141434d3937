from pathlib import Path

import check_sizes
import pytest

SOURCE = Path("libs/kit/src/mlplace_kit/money.py")


def function_of(lines: int) -> str:
    return "def large():\n" + "    x = 1\n" * (lines - 1)


class TestFiles:
    @pytest.mark.parametrize(("path", "limit"), [("a.py", 400), ("a.ts", 250), ("a.tsx", 250)])
    def test_one_line_over_the_limit_is_found(self, path, limit):
        assert list(check_sizes.check(Path(path), "\n" * limit)) == []
        assert "split it" in next(iter(check_sizes.check(Path(path), "\n" * (limit + 1))))

    @pytest.mark.parametrize("path", ["libs/kit/tests/test_money.py", "services/mlpcore/migrations/0001.py"])
    def test_tests_and_migrations_may_be_long(self, path):
        assert list(check_sizes.check(Path(path), "\n" * 500)) == []


class TestFunctions:
    def test_one_line_over_the_limit_is_found(self):
        assert list(check_sizes.check(SOURCE, function_of(60))) == []
        assert list(check_sizes.check(SOURCE, function_of(61))) == [f"{SOURCE}:1: large has 61 lines, the limit is 60"]

    def test_methods_count_too(self):
        method = "class A:\n    async def large(self):\n" + "        x = 1\n" * 60
        assert len(list(check_sizes.check(SOURCE, method))) == 1

    def test_a_listed_exception_passes(self):
        allowed = {f"{SOURCE}:large": "a table that reads best in one piece"}
        assert list(check_sizes.check(SOURCE, function_of(61), allowed)) == []
