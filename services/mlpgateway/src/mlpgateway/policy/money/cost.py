"""What a call costs: units times the price of a unit, before and after free units."""

from dataclasses import dataclass

from mlplace_contracts.events import ModelBilling
from mlplace_kit.money import MAX_NANO


@dataclass(frozen=True, slots=True)
class Cost:
    """`units` are what free units stand for. With the unit `direct` a unit is one nano-unit of money."""

    units: int
    unit_price_nano: int

    @property
    def nano(self) -> int:
        return self.nano_without(0)

    def nano_without(self, free_units: int) -> int:
        return min((self.units - free_units) * self.unit_price_nano, MAX_NANO)

    def within(self, most_units: int) -> "Cost":
        return self if self.units <= most_units else Cost(most_units, self.unit_price_nano)


def unit_price(billing: ModelBilling) -> int:
    """Nano-units per unit of the usage event; 0 for a model that costs nothing."""
    if not billing.enabled:
        return 0
    return 1 if billing.unit == "direct" else billing.unit_price_nano
