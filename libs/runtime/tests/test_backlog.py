import random
from collections import defaultdict
from uuid import uuid4

import pytest

from mlplace_contracts.events import Envelope, SessionRevoked
from mlplace_kit.clock import SystemClock
from mlplace_runtime.bus.backlog import Arrival, Backlog
from mlplace_runtime.bus.handling import Received
from mlplace_runtime.bus.port import Delivered, Record

_NOW = SystemClock().now()


class _Seconds:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def seconds() -> _Seconds:
    return _Seconds()


@pytest.fixture
def backlog(seconds: _Seconds) -> Backlog:
    return Backlog(seconds=seconds)


def _add(backlog: Backlog, key: str, offset: int, *, partition: int = 0) -> None:
    record = Record("t", key, b"")
    event = SessionRevoked(session_hash=key, user_id=offset, revoked_at=_NOW)
    envelope = Envelope(event_id=uuid4(), type_name="t", occurred_at=_NOW, payload={})
    backlog.add(Delivered(record, partition, offset), Received(record, envelope, event))


def _seen(arrivals: list[Arrival]) -> list[tuple[str, int]]:
    return [(arrival.lane[1], arrival.delivered.offset) for arrival in arrivals]


class TestTake:
    def test_a_key_in_work_waits_while_others_are_taken(self, backlog: Backlog) -> None:
        _add(backlog, "a", 1)
        taken = backlog.take(10)
        _add(backlog, "a", 2)
        _add(backlog, "b", 3)
        assert _seen(backlog.take(10)) == [("b", 3)]
        backlog.done(taken)
        assert _seen(backlog.take(10)) == [("a", 2)]

    def test_a_key_with_many_events_takes_turns_with_the_others(self, backlog: Backlog) -> None:
        for offset in range(10):
            _add(backlog, "a", offset)
        _add(backlog, "b", 10)
        backlog.done(backlog.take(5))
        assert ("b", 10) in _seen(backlog.take(5))

    def test_a_redelivered_waiting_event_is_taken_once(self, backlog: Backlog) -> None:
        for _ in range(2):
            _add(backlog, "a", 1)
        assert (backlog.size, len(backlog.take(10))) == (1, 1)


class TestScatter:
    def test_scattered_lanes_have_one_turn_apart_and_rejoin(self, backlog: Backlog) -> None:
        _add(backlog, "a", 1)
        _add(backlog, "b", 2)
        backlog.scatter(backlog.take(10))
        assert backlog.take(10) == []
        for expected in ("a", "b"):
            turn = backlog.take_apart(10)
            assert [key for key, _ in _seen(turn)] == [expected]
            backlog.done(turn)
        _add(backlog, "a", 3)
        assert _seen(backlog.take(10)) == [("a", 3)]

    def test_a_lane_in_trouble_stays_apart_for_a_minute(self, backlog: Backlog, seconds: _Seconds) -> None:
        _add(backlog, "a", 1)
        backlog.scatter(backlog.take(10))
        backlog.done(backlog.take_apart(10), trouble=True)
        _add(backlog, "a", 2)
        assert backlog.take(10) == []
        seconds.now = 61
        backlog.done(backlog.take_apart(10))
        _add(backlog, "a", 3)
        assert _seen(backlog.take(10)) == [("a", 3)]

    def test_a_paused_lane_keeps_its_order(self, backlog: Backlog) -> None:
        for offset in (1, 2, 3):
            _add(backlog, "a", offset)
        backlog.scatter(backlog.take(10))
        turn = backlog.take_apart(10)
        assert backlog.pause(turn[:1], turn[1:]) == 1
        _add(backlog, "a", 4)
        assert backlog.take_apart(10) == []
        backlog.resume(("t", "a"))
        assert _seen(backlog.take_apart(10)) == [("a", 2), ("a", 3), ("a", 4)]


class TestCommittable:
    def test_the_oldest_unfinished_event_limits_the_commit_of_its_partition(self, backlog: Backlog) -> None:
        _add(backlog, "a", 5)
        stuck = backlog.take(10)
        _add(backlog, "b", 6)
        _add(backlog, "c", 9, partition=1)
        backlog.done(backlog.take(10))
        assert backlog.committable() == {("t", 0): 5, ("t", 1): 10}
        backlog.done(stuck)
        assert backlog.committable() == {("t", 0): 7, ("t", 1): 10}

    def test_a_skipped_record_is_committable_at_once(self, backlog: Backlog) -> None:
        backlog.skip(Delivered(Record("t", "a", b""), 0, 3))
        assert backlog.committable() == {("t", 0): 4}

    def test_random_steps_finish_each_event_once_in_order_and_commit_nothing_early(self) -> None:
        for seed in range(50):
            _random_walk(random.Random(seed))


def _random_walk(chance: random.Random) -> None:
    """Checks random steps against a model: the smallest unfinished offset limits what may be committed."""
    backlog = Backlog(seconds=lambda: 0.0)
    done: defaultdict[str, list[int]] = defaultdict(list)
    at_work: list[list[Arrival]] = []
    paused: list[tuple[str, str]] = []
    offset = 0
    for step in range(600):
        action = chance.randrange(6)
        if action == 0 and step < 300:
            _add(backlog, f"k{chance.randrange(5)}", offset)
            offset += 1
        elif action in {1, 2}:
            turn = backlog.take(chance.randrange(1, 6)) if action == 1 else backlog.take_apart(3)
            at_work += [turn] if turn else []
        elif at_work:
            turn = at_work.pop(chance.randrange(len(at_work)))
            if action == 3 and len({arrival.lane for arrival in turn}) == 1:
                cut = chance.randrange(len(turn))
                backlog.pause(turn[:cut], turn[cut:])
                paused.append(turn[0].lane)
                turn = turn[:cut]
            elif action == 4:
                backlog.scatter(turn)
                turn = []
            else:
                backlog.done(turn, trouble=chance.random() < 0.3)
            for arrival in turn:
                done[arrival.lane[1]].append(arrival.delivered.offset)
        elif paused:
            backlog.resume(paused.pop())
        finished = {number for numbers in done.values() for number in numbers}
        missing = next(number for number in range(offset + 1) if number not in finished)
        assert backlog.committable().get(("t", 0), 0) == missing
        assert backlog.size == offset - len(finished)
    assert all(numbers == sorted(set(numbers)) for numbers in done.values())
