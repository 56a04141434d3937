import pytest

from mlplace_kit.money import MAX_NANO, Currency
from mlplace_kit.pricing import BillingUnit, Charge, Cost, bound_of_model, charge_for, least, pays


class TestUnits:
    def test_unit_of_direct_is_one_nano_unit_at_any_price(self) -> None:
        assert [unit.price(5) for unit in BillingUnit] == [5, 1, 5]

    def test_only_the_price_of_calls_is_known_before_the_answer(self) -> None:
        assert [unit for unit in BillingUnit if unit.known_before] == [BillingUnit.CALLS]

    def test_an_unknown_unit_or_currency_is_an_error(self) -> None:
        with pytest.raises(ValueError, match="EURO"):
            Currency("EURO")
        with pytest.raises(ValueError, match="tokens"):
            BillingUnit("tokens")


class TestCost:
    def test_free_units_lower_the_amount_and_it_fits_63_bits(self) -> None:
        assert (Cost(7, 3).nano, Cost(7, 3).nano_without(2)) == (21, 15)
        assert Cost(MAX_NANO, MAX_NANO).nano == MAX_NANO

    def test_units_are_cut_to_their_maximum(self) -> None:
        assert [Cost(7, 3).within(most).units for most in (6, 7, 8)] == [6, 7, 7]


class TestBounds:
    @pytest.mark.parametrize(("published", "expected"), [(None, 10), (3, 3), (0, 0)])
    def test_published_price_replaces_the_default(self, published: int | None, expected: int) -> None:
        assert bound_of_model(published, default_nano=10, unit_price_nano=2) == expected

    def test_default_is_at_least_the_price_of_one_unit(self) -> None:
        assert bound_of_model(None, default_nano=10, unit_price_nano=25) == 25

    def test_the_smallest_bound_that_is_set_counts(self) -> None:
        assert (least((None, 7, 3)), least((None, None)), least((0, 5))) == (3, None, 0)


class TestCharge:
    def test_free_units_come_first_and_the_fee_is_rounded_down(self) -> None:
        charge = charge_for(Cost(10, 100), 1000, free_units_left=3, commission_basis_points=1999)
        assert charge == Charge(free_units=3, charged_nano=700, fee_nano=139)
        assert charge.income_nano == 561

    def test_free_units_never_make_the_charge_negative(self) -> None:
        """A capped amount may be less than the price of its units."""
        charge = charge_for(Cost(10, 100), 250, free_units_left=5, commission_basis_points=1000)
        assert (charge.free_units, charge.charged_nano, charge.fee_nano) == (5, 0, 0)

    def test_owners_do_not_pay_themselves(self) -> None:
        assert pays(payer_account_id=1, owner_account_id=2)
        assert not pays(payer_account_id=1, owner_account_id=1)
