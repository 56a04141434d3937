"""The figures of an overload: refusals, and waits of admitted calls, are reported separately."""

import pytest

from benchmarks.figures.overload import Flood
from benchmarks.load.by_clock import Call


def refusal(milliseconds: float, *, retry_after: str = "1") -> Call:
    return Call(0.0, milliseconds / 1000, 503, "mlp.gate.queue_full", retry_after)


def answer(seconds: float) -> Call:
    return Call(0.0, seconds, 200, "")


class TestFlood:
    def test_separates_refusals_waits_and_health_checks(self) -> None:
        calls = [*(refusal(2.0) for _ in range(98)), refusal(15.0), refusal(40.0), answer(3.0), answer(9.0)]
        found = Flood(calls, [answer(0.004), answer(0.006)], 2.0, 0.5).figures()
        assert (found["calls_per_second"], found["refused_per_second"]) == (51.0, 50.0)
        refused = [found[name] for name in ("refused_p50_ms", "refused_p99_ms", "refused_worst_ms")]
        assert refused == pytest.approx([2.0, 15.0, 40.0])
        assert [found["health_p99_ms"], found["health_worst_ms"]] == pytest.approx([6.0, 6.0])
        assert (found["wait_p50_s"], found["wait_worst_s"]) == (3.0, 9.0)
        assert (found["improper"], found["health_unanswered"], found["cpu_share"]) == (0, 0, 0.5)

    def test_works_without_admitted_calls(self) -> None:
        found = Flood([refusal(1.0)], [answer(0.001)], 1.0, 0.1).figures()
        assert (found["wait_p50_s"], found["wait_worst_s"]) == (0.0, 0.0)

    def test_counts_improper_refusals_and_unanswered_health_checks(self) -> None:
        calls = [refusal(1.0), refusal(1.0, retry_after=""), Call(0.0, 60.0), Call(0.0, 0.1, 500, "internal", "1")]
        found = Flood(calls, [answer(0.001), Call(0.0, 1.0)], 1.0, 0.1).figures()
        assert (found["improper"], found["health_unanswered"]) == (3, 1)
