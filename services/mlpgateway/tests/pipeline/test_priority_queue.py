"""The order of a priority queue: by priority and by age, and no call waits for ever."""

from hypothesis import given
from hypothesis import strategies as st

from mlpgateway.delivery.queue.priority_queue import PriorityQueue, QueueEntry


def anybody(_: object) -> bool:
    return True


def line_of(*priorities: int, ageing_seconds: float = 1000.0, now: float = 0.0) -> PriorityQueue[int]:
    line = PriorityQueue[int](ageing_seconds=ageing_seconds)
    for number, priority in enumerate(priorities):
        line.join(number, priority=priority, size=1, now=now)
    return line


def drained(line: PriorityQueue[int], now: float = 0.0) -> list[int | None]:
    return [line.take(now, anybody) for _ in range(line.waiting)]


class TestOrder:
    @given(st.lists(st.integers(-3, 3)))
    def test_higher_priority_is_first_then_order_of_arrival(self, priorities: list[int]) -> None:
        expected = sorted(range(len(priorities)), key=lambda number: (-priorities[number], number))
        assert drained(line_of(*priorities)) == expected

    @given(st.lists(st.tuples(st.integers(-2, 2), st.booleans())))
    def test_leaving_call_is_not_served_and_delays_nobody(self, callers: list[tuple[int, bool]]) -> None:
        line = PriorityQueue[int](ageing_seconds=1000)
        places: list[QueueEntry[int]] = [
            line.join(number, priority=priority, size=10, now=0) for number, (priority, _) in enumerate(callers)
        ]
        for place, (_, leaves) in zip(places, callers, strict=True):
            if leaves:
                line.leave(place)
                line.leave(place)
        staying = [number for number, (_, leaves) in enumerate(callers) if not leaves]
        assert (line.waiting, line.size) == (len(staying), 10 * len(staying))
        assert drained(line) == sorted(staying, key=lambda number: (-callers[number][0], number))
        assert line.take(0, anybody) is None

    def test_call_that_does_not_fit_keeps_its_place(self) -> None:
        line = line_of(5, 1, 5)
        assert line.take(0, lambda who: who == 1) == 1
        assert line.take(0, lambda who: who > 5) is None
        assert drained(line) == [0, 2]

    def test_memory_follows_the_number_of_waiting_calls(self) -> None:
        line = PriorityQueue[int](ageing_seconds=1000)
        stays = line.join(0, priority=0, size=1, now=0)
        for number in range(1000):
            line.leave(line.join(number, priority=1, size=1, now=0))
        assert list(line) == [stays]
        assert max(len(line._by_age), len(line._by_priority)) < 200


class TestAge:
    def test_every_fourth_turn_goes_to_the_oldest_aged_call(self) -> None:
        line = line_of(0, 0, ageing_seconds=10)
        taken = []
        for number in range(100, 110):
            line.join(number, priority=9, size=1, now=20)
            taken.append(line.take(20, anybody))
        assert taken == [100, 101, 102, 0, 103, 104, 105, 1, 106, 107]

    def test_only_priority_counts_before_that_age(self) -> None:
        line = line_of(0, ageing_seconds=10)
        for number in range(100, 110):
            line.join(number, priority=9, size=1, now=9)
            assert line.take(9, anybody) == number

    @given(st.lists(st.integers(1, 9), min_size=1, max_size=60), st.integers(1, 5))
    def test_no_call_starves(self, important: list[int], old: int) -> None:
        """However many important calls come, each old one is served within four turns."""
        line = line_of(*[0] * old, ageing_seconds=1)
        served: list[int | None] = []
        for number, priority in enumerate(important * 20):
            line.join(1000 + number, priority=priority, size=1, now=2)
            served.append(line.take(2, anybody))
        assert [number for number in served[: 4 * old] if number is not None and number < 1000] == list(range(old))[
            : len(served) // 4
        ]
