"""The price of a call, its maximal price and its distribution. The gateway and billing share these rules.

Pure arithmetic on integers: units, and nano-units of one currency (see `money`).
"""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from mlplace_kit.money import MAX_NANO

BASIS: Final = 10_000
"""A commission is a whole number of these parts."""


class BillingUnit(StrEnum):
    """`calls`: each call is one unit. `custom`: the answer reports the number of units. `direct`: the answer reports
    the price.
    """

    CALLS = "calls"
    DIRECT = "direct"
    CUSTOM = "custom"

    def price(self, unit_price_nano: int) -> int:
        """Returns the price of one unit in nano-units; a unit of `direct` is one nano-unit."""
        return 1 if self is BillingUnit.DIRECT else unit_price_nano

    @property
    def known_before(self) -> bool:
        """Returns whether the price is known before the answer."""
        return self is BillingUnit.CALLS


@dataclass(frozen=True, slots=True)
class Cost:
    """`units` is the number of units that free units can replace."""

    units: int
    unit_price_nano: int

    @property
    def nano(self) -> int:
        return self.nano_without(0)

    def nano_without(self, free_units: int) -> int:
        return min((self.units - free_units) * self.unit_price_nano, MAX_NANO)

    def within(self, most_units: int) -> "Cost":
        return self if self.units <= most_units else Cost(most_units, self.unit_price_nano)


@dataclass(frozen=True, slots=True)
class Charge:
    """What a payer pays for one call, and the part of it that the platform keeps."""

    free_units: int
    charged_nano: int
    fee_nano: int

    @property
    def income_nano(self) -> int:
        return self.charged_nano - self.fee_nano


NOTHING: Final = Charge(0, 0, 0)


def pays(*, payer_account_id: int, owner_account_id: int) -> bool:
    """Returns False when the payer owns the model: owners do not pay themselves."""
    return payer_account_id != owner_account_id


def bound_of_model(published_nano: int | None, *, default_nano: int, unit_price_nano: int) -> int:
    """Returns the maximal price of a call whose answer reports its price, in nano-units.

    It is the price that the owner has published, else the default of the platform, which is never below the price of
    one unit.
    """
    return max(default_nano, unit_price_nano) if published_nano is None else published_nano


def least(bounds: Iterable[int | None]) -> int | None:
    """Returns the smallest of the bounds that are set; None when none is set."""
    return min((bound for bound in bounds if bound is not None), default=None)


def charge_for(cost: Cost, amount_nano: int, *, free_units_left: int, commission_basis_points: int) -> Charge:
    """Uses free units first and money for the rest. Rounds the commission down, in the owner's favour.

    `amount_nano` is the price before free units; it may be less than the price of the units.
    """
    free_units = min(cost.units, free_units_left)
    charged = max(0, amount_nano - free_units * cost.unit_price_nano)
    return Charge(free_units, charged, charged * commission_basis_points // BASIS)
