"""What one holder may have of a resource, and that nothing is ever lost."""

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from mlpgateway.errors.gate import GateOverloaded
from mlpgateway.errors.shares import ShareExceeded
from mlpgateway.shares.share import OWN, RESERVE, Fractions, Share
from mlplace_kit.errors import DomainError

TOTAL = 2048
MOST, KEPT, LITTLE = TOTAL // 4, TOTAL // RESERVE, TOTAL // OWN


def share(**about: object) -> Share:
    return Share("calls", TOTAL, Fractions(account=0.25, address=0.02), **about)  # type: ignore[arg-type]


def fill(made: Share, holder: int | str) -> int:
    """Takes as much as possible, one by one. Returns how much."""
    taken = 0
    try:
        while True:
            made.take(holder)
            taken += 1
    except DomainError:
        return taken


class TestMost:
    def test_account_never_exceeds_its_maximum_and_is_told_the_limit(self) -> None:
        made = share()
        assert fill(made, 1) == MOST
        with pytest.raises(ShareExceeded) as refused:
            made.take(1)
        assert refused.value.details == {"holder": "account", "limit": str(MOST), "resource": "calls"}
        assert (refused.value.status, refused.value.retry_after_seconds) == (429, 1.0)
        made.give_back(1)
        made.take(1)

    def test_address_has_a_smaller_maximum_and_no_reserve(self) -> None:
        made = share()
        assert fill(made, "192.0.2.1") == int(TOTAL * 0.02)
        for number in range(1000):
            fill(made, f"address {number}")
        assert made.used == TOTAL - KEPT
        assert fill(made, 1) == LITTLE

    def test_error_names_owners(self) -> None:
        made = share(kind="owner")
        fill(made, 1)
        with pytest.raises(ShareExceeded) as refused:
            made.take(1)
        assert refused.value.details["holder"] == "owner"


class TestReserve:
    def test_new_account_gets_its_own_amount_whatever_large_accounts_do(self) -> None:
        made = share()
        hostile = sum(fill(made, account) for account in range(1, 9))
        assert hostile <= TOTAL - KEPT + 8 * LITTLE
        newcomers = (TOTAL - hostile) // LITTLE
        assert newcomers > 20
        assert [fill(made, 1000 + number) for number in range(newcomers)] == [LITTLE] * newcomers
        with pytest.raises(GateOverloaded):
            made.take(9999)
        assert made.used <= TOTAL

    def test_single_large_item_is_admitted_without_using_the_reserve(self) -> None:
        made = share()
        made.take(1, TOTAL - KEPT, mine=0)
        with pytest.raises(GateOverloaded):
            made.take(2, MOST, mine=0)
        assert fill(made, 2) == LITTLE

    def test_item_above_the_total_is_admitted_alone_without_using_the_reserve(self) -> None:
        made = share()
        made.take(1, TOTAL // 2, mine=0)
        made.take(1, 9 * TOTAL, mine=TOTAL // 2)
        with pytest.raises(ShareExceeded):
            made.take(1, 1, mine=0)
        assert fill(made, 2) == LITTLE

    def test_one_account_may_have_all_if_configured(self) -> None:
        assert fill(Share("calls", 100, Fractions(account=1.0)), 1) == 100

    def test_refused_amount_takes_nothing(self) -> None:
        made = share()
        fill(made, 1)
        before = made.used
        for _ in range(10):
            with pytest.raises(ShareExceeded):
                made.take(1)
        assert (made.used, made.of(1)) == (before, MOST)


class Accounting(RuleBasedStateMachine):
    """Compares with a plain dictionary: nothing is lost, no bound is exceeded, and a new account always gets some."""

    def __init__(self) -> None:
        super().__init__()
        self.share = share()
        self.model: dict[int | str, int] = {}

    holders = st.one_of(st.integers(1, 6), st.sampled_from(["a", "b"]))

    @rule(holder=holders, amount=st.integers(1, TOTAL // 3))
    def take(self, holder: int | str, amount: int) -> None:
        try:
            self.share.take(holder, amount)
        except (ShareExceeded, GateOverloaded):
            return
        self.model[holder] = self.model.get(holder, 0) + amount

    @precondition(lambda self: self.model)
    @rule(data=st.data())
    def give_back(self, data: st.DataObject) -> None:
        holder = data.draw(st.sampled_from(sorted(self.model, key=str)))
        amount = data.draw(st.integers(1, self.model[holder]))
        self.share.give_back(holder, amount)
        self.model[holder] -= amount
        if not self.model[holder]:
            del self.model[holder]

    @invariant()
    def nothing_is_lost(self) -> None:
        assert self.share.used == sum(self.model.values())
        assert self.share.holders == len(self.model)
        assert all(self.share.of(holder) == used for holder, used in self.model.items())
        assert self.share._within == sum(min(used, LITTLE) for h, used in self.model.items() if isinstance(h, int))

    @invariant()
    def bounds_hold(self) -> None:
        assert self.share.used <= TOTAL
        assert all(used <= self.share.most(holder) for holder, used in self.model.items())

    @invariant()
    def a_newcomer_gets_in(self) -> None:
        self.share.take(99, LITTLE)
        self.share.give_back(99, LITTLE)


TestAccounting = Accounting.TestCase
