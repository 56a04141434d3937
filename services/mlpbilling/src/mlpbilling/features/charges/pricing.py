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


def bounded(usage: UsageRecorded, most_nano: int | None) -> UsageRecorded:
    """With no more units than a call may cost, whatever a gate says: by the event itself, and by `most_nano`.

    `most_nano` is what is known here of the model, None for nothing. The price of `calls` is the model's own, one unit.
    """
    if usage.billing_unit == "calls":
        most, price = usage.unit_price_nano, usage.unit_price_nano
    else:
        price = 1 if usage.billing_unit == "direct" else usage.unit_price_nano
        bounds = [bound for bound in (usage.max_price_nano, most_nano, MAX_NANO) if bound is not None]
        most = min(bounds)
    if usage.amount_nano <= min(most, usage.units * price):
        return usage
    units = min(usage.units, most // price) if price else 0
    return usage.model_copy(
        update={
            "units": units,
            "amount_nano": units * price,
            "reported_units": usage.reported_units or usage.units,
            "reported_amount_nano": usage.reported_amount_nano or usage.amount_nano,
            "capped_by": usage.capped_by or "model",
        }
    )


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
