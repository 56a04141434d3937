import pytest

from mlpgateway.proxy.errors import RateExceeded
from mlpgateway.proxy.rate import RateLimit


class TestTake:
    def test_lets_through_one_seconds_worth_and_then_evenly(self) -> None:
        now = [100.0]
        rate = RateLimit(lambda: now[0])
        passed = 0
        for _ in range(1000):  # ten seconds in steps of ten milliseconds, at ten times the limit
            now[0] += 0.01
            try:
                rate.take(1, 10)
                passed += 1
            except RateExceeded:
                pass
        assert 109 <= passed <= 110

    def test_says_when_the_next_call_will_pass(self) -> None:
        now = [0.0]
        rate = RateLimit(lambda: now[0])
        rate.take(1, 1)
        with pytest.raises(RateExceeded) as caught:
            rate.take(1, 1)
        assert caught.value.retry_after_seconds == pytest.approx(1.0)
        now[0] = 1.0
        rate.take(1, 1)

    def test_a_limit_of_none_lets_nothing_through(self) -> None:
        with pytest.raises(RateExceeded):
            RateLimit().take(1, 0)

    def test_accounts_do_not_share(self) -> None:
        rate = RateLimit(lambda: 0.0)
        rate.take(1, 1)
        rate.take(2, 1)
