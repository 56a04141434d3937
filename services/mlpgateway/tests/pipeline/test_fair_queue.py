"""Accounts take turns in the queue of a model."""

from hypothesis import given
from hypothesis import strategies as st

from mlpgateway.delivery.queue.fair_queue import FairQueue


def anybody(_: object) -> bool:
    return True


def line_of(*callers: tuple[int, int]) -> FairQueue[tuple[int, int]]:
    """Builds a queue from pairs of account and number."""
    line = FairQueue[tuple[int, int]](ageing_seconds=1000)
    for caller in callers:
        line.join(caller, account_id=caller[0], priority=0, size=1, now=0)
    return line


class TestTurns:
    def test_new_account_is_served_after_one_of_a_thousand_calls(self) -> None:
        line = line_of(*[(1, number) for number in range(1000)])
        line.join((2, 0), account_id=2, priority=0, size=1, now=0)
        assert [line.take(0, anybody) for _ in range(3)] == [(1, 0), (2, 0), (1, 1)]

    def test_priority_counts_only_within_an_account(self) -> None:
        line = FairQueue[str](ageing_seconds=1000)
        for name, account_id, priority in (("a1", 1, 5), ("a2", 1, 9), ("b1", 2, 0), ("a3", 1, 7)):
            line.join(name, account_id=account_id, priority=priority, size=1, now=0)
        assert [line.take(0, anybody) for _ in range(4)] == ["a2", "b1", "a3", "a1"]

    def test_account_whose_calls_do_not_fit_blocks_no_other(self) -> None:
        line = line_of((1, 0), (2, 0))
        assert line.take(0, lambda who: who[0] == 2) == (2, 0)
        assert line.take(0, lambda who: who[0] == 2) is None
        assert line.take(0, anybody) == (1, 0)

    @given(st.lists(st.tuples(st.integers(1, 4), st.booleans()), max_size=60))
    def test_every_call_is_served_after_at_most_one_of_each_other_account(
        self, callers: list[tuple[int, bool]]
    ) -> None:
        line = FairQueue[int](ageing_seconds=1000)
        places = [
            line.join(number, account_id=account_id, priority=0, size=3, now=0)
            for number, (account_id, _) in enumerate(callers)
        ]
        for place, (_, leaves) in zip(places, callers, strict=True):
            if leaves:
                line.leave(place)
                line.leave(place)
        staying = [number for number, (_, leaves) in enumerate(callers) if not leaves]
        assert (line.waiting, line.size) == (len(staying), 3 * len(staying))
        assert sorted(place.who for place in line) == staying
        served = [number for _ in staying if (number := line.take(0, anybody)) is not None]
        assert sorted(served) == staying
        assert (line.waiting, line.size, line._queues) == (0, 0, {})
        turns = [callers[number][0] for number in served]
        left = {account: turns.count(account) for account in turns}
        for place, account in enumerate(turns):
            left[account] -= 1
            others = [other for other, count in left.items() if count and other != account]
            assert set(others) <= set(turns[place + 1 : place + 1 + len(left)])
