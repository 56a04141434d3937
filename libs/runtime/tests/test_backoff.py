import random

from mlplace_runtime.backoff import Backoff

_PAUSES = Backoff(first=0.5, longest=30.0)


class TestSeconds:
    def test_pauses_double_up_to_the_longest(self) -> None:
        assert [_PAUSES.seconds(failures) for failures in range(1, 9)] == [0.5, 1, 2, 4, 8, 16, 30, 30]

    def test_any_number_of_failures_ends_at_the_longest(self) -> None:
        assert _PAUSES.seconds(100_000) == 30.0

    def test_chance_takes_up_to_the_spread_of_a_pause(self) -> None:
        spread = Backoff(first=1.0, longest=30.0, spread=0.5)
        assert [spread.seconds(4, chance=lambda part=part: part) for part in (0.0, 0.5, 1.0)] == [8.0, 6.0, 4.0]

    def test_a_spread_pause_is_neither_longer_than_the_longest_nor_always_the_same(self) -> None:
        spread, dice = Backoff(first=1.0, longest=30.0, spread=0.5), random.Random(5)
        pauses = [spread.seconds(failures, chance=dice.random) for failures in range(1, 200)]
        assert all(0.5 <= pause <= 30.0 for pause in pauses)
        assert len(set(pauses[10:])) > 100
