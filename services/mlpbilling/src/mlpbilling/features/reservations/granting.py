"""Computes how much of a payer's money a gate gets. No I/O."""

from dataclasses import dataclass

SHARE = 8
"""A gate gets at most 1/SHARE of what is available, so that several gates can serve the payer until the last call."""


@dataclass(frozen=True, slots=True)
class Grant:
    """Money in nano-units, and free units."""

    money_nano: int
    free_units: int


def grant(
    *,
    available_nano: int,
    minimum_nano: int,
    wanted_nano: int,
    free_left: int,
    wanted_free_units: int,
    for_answer: bool = False,
) -> Grant | None:
    """Grants what is wanted, but at most an eighth of what is available and at least the minimum.

    With `for_answer` the money pays an answer that was already given, so all that is available may be granted. Returns
    None if neither the minimum nor a free unit is available.
    """
    free_units = max(0, min(wanted_free_units, free_left))
    if available_nano >= minimum_nano:
        most = available_nano if for_answer else available_nano // SHARE
        return Grant(max(minimum_nano, min(wanted_nano, most)), free_units)
    return Grant(0, free_units) if free_units else None
