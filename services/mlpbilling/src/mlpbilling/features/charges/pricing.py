"""Computes what one usage costs and how the price is split. No I/O."""

from mlplace_contracts.events import UsageRecorded
from mlplace_kit.money import MAX_NANO
from mlplace_kit.pricing import Charge, Cost, bound_of_model, charge_for, least, pays


class ImplausibleUsageError(ValueError):
    """The usage has figures that no gate may report: a charge must not be negative, and must fit 63 bits."""


def bounded(usage: UsageRecorded, known_nano: int | None, default_nano: int) -> UsageRecorded:
    """Returns the usage, reduced to the maximal price of the call whatever the gate reports.

    `known_nano` is the maximal price published for the model, None for a model that is unknown here. Then the maximal
    price in the event applies, or else `default_nano`. For `calls` the price is known before: it is limited by the
    price of the units.
    """
    price = usage.billing_unit.price(usage.unit_price_nano)
    most = usage.units * price
    if not usage.billing_unit.known_before:
        bound = least((usage.max_price_nano, known_nano))
        most = min(most, bound_of_model(bound, default_nano=default_nano, unit_price_nano=price))
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
    """Whether the usage is charged. Calls of one's own models and free calls are not, and use no free units.

    Raises ImplausibleUsageError.
    """
    told = (usage.max_price_nano, usage.reported_units, usage.reported_amount_nano)
    figures = (usage.units, usage.unit_price_nano, usage.amount_nano, *(figure or 0 for figure in told))
    if not all(0 <= figure <= MAX_NANO for figure in figures):
        raise ImplausibleUsageError(f"usage {usage.usage_id} has a figure outside of 0..2^63-1")
    return usage.amount_nano > 0 and pays(
        payer_account_id=usage.payer_account_id, owner_account_id=usage.model_account_id
    )


def charge_of(usage: UsageRecorded, *, free_units_left: int, commission_basis_points: int) -> Charge:
    cost = Cost(usage.units, usage.billing_unit.price(usage.unit_price_nano))
    return charge_for(
        cost, usage.amount_nano, free_units_left=free_units_left, commission_basis_points=commission_basis_points
    )
