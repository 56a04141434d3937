from typing import Any

import pytest

from mlpcore.features.placement.account_room import AccountLimit, AccountRoom, Exceeded, Used
from mlpcore.features.placement.reasons import message_of

from .rooms import GIB, needs

LIMITS = Used(base=5, derived=2, milli_cpu=4000, ram_mb=8 * GIB, disk_mb=20 * GIB, gpu_instances=1)


class TestExceeded:
    @pytest.mark.parametrize(
        ("used", "wanted", "expected"),
        [
            ({"milli_cpu": 3000}, {}, None),
            ({"milli_cpu": 3001}, {}, Exceeded(AccountLimit.CPU, 4000, 3001, 1000)),
            ({"ram_mb": 8 * GIB}, {}, Exceeded(AccountLimit.MEMORY, 8 * GIB, 8 * GIB, GIB)),
            ({"disk_mb": 20 * GIB}, {}, Exceeded(AccountLimit.DISK, 20 * GIB, 20 * GIB, GIB)),
            ({"gpu_instances": 1}, {}, None),
            ({"gpu_instances": 1}, {"gpu_count": 2}, Exceeded(AccountLimit.GPU, 1, 1, 1)),
            ({"base": 5}, {}, Exceeded(AccountLimit.BASE, 5, 5, 1)),
            ({"derived": 2}, {}, None),
        ],
    )
    def test_first_limit_that_one_more_would_exceed(
        self, used: dict[str, int], wanted: dict[str, Any], expected: Exceeded | None
    ) -> None:
        assert AccountRoom(LIMITS, Used(**used), foreign=True).exceeded(needs(**wanted)) == expected

    def test_derived_instances_have_a_limit_of_their_own(self) -> None:
        account = AccountRoom(LIMITS, Used(base=5, derived=1), foreign=True)
        assert account.exceeded(needs(), derived=True) is None
        account.take(needs(), derived=True)
        assert account.exceeded(needs(), derived=True) == Exceeded(AccountLimit.DERIVED, 2, 2, 1)

    def test_own_group_is_limited_by_instances_only(self) -> None:
        account = AccountRoom(LIMITS, Used(base=4), foreign=False)
        huge = needs(milli_cpu=10**6, ram_mb=10**6, disk_mb=10**6, gpu_count=8)
        assert account.exceeded(huge) is None
        account.take(huge)
        assert account.exceeded(huge) == Exceeded(AccountLimit.BASE, 5, 5, 1)

    def test_what_was_taken_counts_for_the_next(self) -> None:
        account = AccountRoom(LIMITS, Used(), foreign=True)
        for _ in range(4):
            assert account.exceeded(needs()) is None
            account.take(needs())
        assert account.exceeded(needs()) == Exceeded(AccountLimit.CPU, 4000, 4000, 1000)

    def test_message_names_limit_value_and_use_with_units(self) -> None:
        exceeded = AccountRoom(LIMITS, Used(milli_cpu=3500), foreign=True).exceeded(needs())
        assert exceeded is not None
        expected = "the account's cpuLimit is 4000m; 3500m is in use and 1000m more is needed"
        assert message_of({"limit": dict(exceeded.texts())}) == expected
