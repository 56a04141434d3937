"""Tests that work is counted in calls of functions."""

from mlplace_testing.work import counted_calls


def _one() -> int:
    return 1


class TestCountedCalls:
    def test_counts_own_and_built_in_functions_of_the_block(self) -> None:
        with counted_calls() as none:
            pass
        with counted_calls() as work:
            for _ in range(100):
                _one()
                len("abc")
        _one()
        assert work.calls - none.calls == 200
