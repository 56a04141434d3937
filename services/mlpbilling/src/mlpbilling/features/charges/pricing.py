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


def bounded(usage: UsageRecorded, known_nano: int | None, default_nano: int) -> UsageRecorded:
    """With no more units than the call may cost, whatever a gate says.

    `known_nano` is what is published here of the model, None for a model that nobody knows here yet: then what the
    event says of itself holds, and `default_nano` where it says nothing. The price of `calls` is known before; it is
    never more than that of the units.
    """
    price = 1 if usage.billing_unit == "direct" else usage.unit_price_nano
    most = usage.units * price
    if usage.billing_unit != "calls":
        bounds = [bound for bound in (usage.max_price_nano, known_nano) if bound is not None]
        most = min(most, *bounds) if bounds else min(most, max(default_nano, price))
    if usage.amount_nano <= most:
        return usage
    units = most // price if price else 0
    return usage.model_copy(
        update={
            "units": units,
            "amount_nano": units * price,
            "reported_units": usage.units if usage.reported_units is None else usage.reported_units,
            "reported_amount_nano": usage.reported_amount_nano or usage.amount_nano,
            "capped_by": usage.capped_by or "model",
        }
    )


def billable(usage: UsageRecorded) -> bool:
    """Calls of one's own services and calls that cost nothing move no money and use up no free units.

    Raises ImplausibleUsageError.
    """
    told = (usage.max_price_nano, usage.reported_units, usage.reported_amount_nano)
    figures = (usage.units, usage.unit_price_nano, usage.amount_nano, *(figure or 0 for figure in told))
    if not all(0 <= figure <= MAX_NANO for figure in figures):
        raise ImplausibleUsageError(f"usage {usage.usage_id} has a figure outside of 0..2^63-1")
    return usage.amount_nano > 0 and usage.payer_account_id != usage.model_account_id


def charge_for(usage: UsageRecorded, *, free_units_left: int, commission_basis_points: int) -> Charge:
    """Free units first, money for the rest. The commission is rounded down, in the owner's favour."""
    free_units = min(usage.units, free_units_left)
    unit_price = 1 if usage.billing_unit == "direct" else usage.unit_price_nano
    charged = max(0, usage.amount_nano - free_units * unit_price)
    return Charge(free_units, charged, charged * commission_basis_points // BASIS)
