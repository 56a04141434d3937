from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mlplace_kit.money import exact, from_nano, shown, to_nano


class TestToNano:
    @given(st.integers(min_value=-(2**62), max_value=2**62))
    def test_inverts_from_nano(self, nano: int) -> None:
        assert to_nano(from_nano(nano)) == nano

    @pytest.mark.parametrize("amount", ["NaN", "Infinity", "-Infinity", "1e308", "0.0000000001", "9223372037"])
    def test_unrepresentable_amount_is_refused(self, amount: str) -> None:
        with pytest.raises(ValueError, match="the amount"):
            to_nano(Decimal(amount))


class TestShown:
    @pytest.mark.parametrize(
        ("nano", "seen"),
        [(0, 0.0), (9_999_999, 0.0), (10_000_000, 0.01), (1_999_999_999, 1.99), (-1, -0.01), (-10_000_000, -0.01)],
    )
    def test_rounds_down_to_two_decimals(self, nano: int, seen: float) -> None:
        assert shown(nano) == seen


class TestExact:
    @pytest.mark.parametrize(
        ("nano", "seen"),
        [(100 * 10**9, "100"), (1_500_500_000_000, "1500.5"), (1, "0.000000001"), (0, "0"), (-(10**10), "-10")],
    )
    def test_has_all_digits_and_no_more(self, nano: int, seen: str) -> None:
        assert exact(nano) == seen
