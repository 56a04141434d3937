"""What calls cost: before the answer an estimate, after it the figure that is charged."""

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


def unit_price(billing: ModelBilling) -> int:
    """Nano-units per unit of the usage event; 0 for a model that costs nothing."""
    if not billing.enabled:
        return 0
    return 1 if billing.unit == "direct" else billing.unit_price_nano


class Estimates:
    """What the next call of a model will plausibly cost at worst: the highest of late, sinking slowly.

    Only for models that tell their price in the answer.
    """

    def __init__(self, *, first_cost_nano: int) -> None:
        self._first_cost_nano = first_cost_nano
        self._units: dict[int, int] = {}

    def of(self, model_id: int, billing: ModelBilling) -> Cost:
        match billing.unit:
            case "calls":
                return Cost(1, billing.unit_price_nano)
            case "custom":
                first = max(1, self._first_cost_nano // max(1, billing.unit_price_nano))
                return Cost(max(1, self._units.get(model_id, first)), billing.unit_price_nano)
            case "direct":
                return Cost(max(1, self._units.get(model_id, self._first_cost_nano)), 1)

    def learn(self, model_id: int, units: int) -> None:
        """Called with each answer of such a model."""
        before = self._units.get(model_id, 0)
        self._units[model_id] = max(units, before - before // 8)
