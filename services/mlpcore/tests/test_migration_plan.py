"""Which services move to which groups."""

from mlpcore.features.group_administration.plan import Plan, Target, plan

FIRST, SECOND = Target(10, "first", 1, public=True), Target(20, "second", 1, public=True)
SERVICES = [(5, 51), (5, 52), (6, 61), (7, 71)]


def test_accounts_spread_over_the_targets_and_stay_together() -> None:
    found = plan(SERVICES, [FIRST, SECOND], {}, most_accounts=None)
    assert found == Plan([(51, 10), (52, 10), (61, 20), (71, 10)], {10: (2, 3), 20: (1, 1)}, [])


def test_account_moves_to_the_group_that_it_uses() -> None:
    found = plan(SERVICES, [FIRST, SECOND], {10: {8, 9}, 20: {1, 2, 3, 5}}, most_accounts=None)
    assert dict(found.moves) == {51: 20, 52: 20, 61: 10, 71: 10}


def test_limit_of_accounts_leaves_the_others() -> None:
    found = plan(SERVICES, [FIRST], {}, most_accounts=2)
    assert ([model for model, _ in found.moves], found.stay) == ([51, 52, 61], [7])


def test_private_target_takes_only_its_own_account() -> None:
    found = plan(SERVICES, [Target(30, "mine", 6, public=False)], {}, most_accounts=1)
    assert (found.moves, found.stay) == ([(61, 30)], [5, 7])
