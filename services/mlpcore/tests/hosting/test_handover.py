"""The rule of every replacement, without a database."""

import pytest

from mlpcore.features.instances.replacement.handover import Cause, Serving, replaced

BOTH = frozenset({"gate:1", "gate:2"})
ONE = frozenset({"gate:1"})
UPDATE, SERVER = Cause.CONFIGURATION, Cause.SERVER


def serving(number: int, gates: frozenset[str] = ONE) -> Serving:
    return Serving(number, started=True, gates=gates)


def starting(number: int) -> Serving:
    return Serving(number, started=False)


@pytest.mark.parametrize("cause", list(Cause))
class TestHandover:
    def test_predecessor_stays_while_nobody_has_taken_its_place(self, cause: Cause) -> None:
        assert replaced([serving(1)], [], wanted=1, cause=cause) == []
        assert replaced([serving(1)], [starting(2)], wanted=1, cause=cause) == []

    def test_it_ends_when_its_successor_serves_at_each_of_its_gates(self, cause: Cause) -> None:
        assert replaced([serving(1, BOTH)], [serving(2, ONE)], wanted=1, cause=cause) == []
        assert replaced([serving(1, BOTH)], [serving(2, BOTH)], wanted=1, cause=cause) == [1]
        assert replaced([serving(1, ONE)], [serving(2, BOTH)], wanted=1, cause=cause) == [1]

    def test_as_many_stay_as_are_still_needed_the_oldest_ones(self, cause: Cause) -> None:
        three = [serving(1), serving(2), serving(3)]
        assert replaced(three, [serving(4)], wanted=3, cause=cause) == [3]
        assert replaced(three, [serving(4), serving(5)], wanted=3, cause=cause) == [3, 2]
        assert replaced(three, [], wanted=0, cause=cause) == [3, 2, 1]

    def test_gate_that_only_one_of_them_serves_keeps_that_one(self, cause: Cause) -> None:
        two = [serving(1, BOTH), serving(2, ONE)]
        assert replaced(two, [serving(3, ONE), serving(4, ONE)], wanted=2, cause=cause) == [2]


class TestUnreachable:
    def test_on_a_server_that_goes_it_ends_at_once_and_counts_for_nothing(self) -> None:
        assert replaced([starting(1), serving(2)], [starting(3)], wanted=2, cause=SERVER) == [1]

    def test_with_an_old_configuration_it_stays_until_its_successor_serves(self) -> None:
        assert replaced([starting(1)], [starting(2)], wanted=1, cause=UPDATE) == []
        assert replaced([starting(1)], [serving(2)], wanted=1, cause=UPDATE) == [1]


def test_without_room_an_instance_ends_first_only_where_that_makes_room() -> None:
    assert replaced([serving(1)], [], wanted=1, cause=UPDATE, no_room=True) == [1]
    assert replaced([serving(1)], [], wanted=1, cause=SERVER, no_room=True) == []
