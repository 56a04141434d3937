"""What one usage costs, and who gets it. No I/O."""

from dataclasses import dataclass

from mlplace_contracts.events import UsageRecorded
from mlplace_kit.money import MAX_NANO

BASIS = 10_000


class ImplausibleUsageError(ValueError):
    """Figures that no gate may report: a charge never pays the caller, and fits 63 bits."""


@dataclass(frozen=True, slots=True)
class Charge:
    free_units: int
    charged_nano: int
    fee_nano: int

    @property
    def income_nano(self) -> int:
        return self.charged_nano - self.fee_nano


NOTHING = Charge(0, 0, 0)


def billable(usage: UsageRecorded) -> bool:
    """Calls of one's own services and calls that cost nothing move no money and use up no free units.

    Raises ImplausibleUsageError.
    """
    if not all(0 <= figure <= MAX_NANO for figure in (usage.units, usage.unit_price_nano, usage.amount_nano)):
        raise ImplausibleUsageError(f"usage {usage.usage_id} has a figure outside of 0..2^63-1")
    return usage.amount_nano > 0 and usage.payer_account_id != usage.model_account_id


def charge_for(usage: UsageRecorded, *, free_units_left: int, commission_basis_points: int) -> Charge:
    """Free units first, money for the rest. The commission is rounded down, in the owner's favour."""
    free_units = min(usage.units, free_units_left)
    unit_price = 1 if usage.billing_unit == "direct" else usage.unit_price_nano
    charged = max(0, usage.amount_nano - free_units * unit_price)
    return Charge(free_units, charged, charged * commission_basis_points // BASIS)
