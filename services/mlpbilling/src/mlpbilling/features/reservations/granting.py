"""How much a gate gets of what a payer has. No I/O."""

from dataclasses import dataclass

SHARE = 8
"""A gate gets at most this part of what is available, so that several gates can serve one payer to the last call."""


@dataclass(frozen=True, slots=True)
class Grant:
    """Nano-units and units."""

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
    """All that is wanted while plenty is there, an eighth of it when not, at least the minimum.

    What an answer costs is no lease for calls to come: `for_answer` gives all that there is. None when neither the
    minimum nor a free unit is there.
    """
    free_units = max(0, min(wanted_free_units, free_left))
    if available_nano >= minimum_nano:
        most = available_nano if for_answer else available_nano // SHARE
        return Grant(max(minimum_nano, min(wanted_nano, most)), free_units)
    return Grant(0, free_units) if free_units else None
