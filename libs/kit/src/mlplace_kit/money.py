"""Amounts are integers of nano-units (10^-9) of one currency. Two currencies never mix.

Decimal values exist only on the wire and on screens.
"""

from decimal import ROUND_FLOOR, Decimal
from enum import StrEnum

NANO = 1_000_000_000
MAX_NANO = 2**63 - 1
_CENT = Decimal("0.01")


class Currency(StrEnum):
    RUBLE = "RUBLE"
    TOKEN = "TOKEN"  # noqa: S105  a currency, not a secret


def to_nano(amount: Decimal) -> int:
    """Returns `amount` in nano-units.

    Raises ValueError when the amount is not finite, is finer than one nano-unit or does not fit 64 bits.
    """
    if not amount.is_finite():
        raise ValueError("the amount must be a finite number")
    scaled = amount * NANO
    if scaled != scaled.to_integral_value():
        raise ValueError("the amount has more than nine decimal places")
    if abs(scaled) > MAX_NANO:
        raise ValueError("the amount is too large")
    return int(scaled)


def from_nano(nano: int) -> Decimal:
    """Returns the exact decimal value of `nano` nano-units."""
    return Decimal(nano) / NANO


def exact(nano: int) -> str:
    """Returns all significant digits of the amount and no trailing zeros: 100, 0.5."""
    return f"{from_nano(nano):f}"


def shown(nano: int) -> float:
    """Returns the amount as people see it: rounded down to two decimals (the specification's rule)."""
    return float(from_nano(nano).quantize(_CENT, rounding=ROUND_FLOOR))
