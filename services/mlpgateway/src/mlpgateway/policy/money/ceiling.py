"""The most that one call may cost: the smallest of all bounds, known before the call starts."""

from typing import Final

import msgspec

from mlplace_contracts.events import CappedBy, ModelBilling
from mlplace_gateproto import codes
from mlplace_kit.errors import DomainError
from mlplace_kit.money import exact
from mlplace_kit.pricing import Cost, bound_of_model

UNBOUNDED: Final = 2**63 - 1


class PriceAboveCap(DomainError):
    """`cap` and `price` are in units of the model's currency. When only the answer tells the price, `price` is the
    price of one unit, or the median cost of the last answers.
    """

    code = codes.PRICE_ABOVE_CAP
    status = 402
    message = "the call costs {price} or more, and may cost {cap} at most"


class Ceiling(msgspec.Struct, frozen=True):
    """The highest price before free units, in billionths of a currency unit, and whose bound it is."""

    nano: int
    by: CappedBy

    def units(self, unit_price_nano: int) -> int:
        """Returns the whole units that the ceiling pays for."""
        return self.nano // unit_price_nano

    @property
    def of_payer(self) -> bool:
        return self.by in {"caller", "key"}


def ceiling_of(
    billing: ModelBilling,
    *,
    published_nano: int | None,
    default_nano: int,
    caller_nano: int | None,
    key_nano: int | None,
) -> Ceiling | None:
    """Returns None when the price is known before. Raises PriceAboveCap when the bounds do not pay for one unit.

    `default_nano` applies to models without a published price, raised to the price of one unit if necessary.
    """
    published, price = published_nano, billing.price_nano
    bound = bound_of_model(published, default_nano=default_nano, unit_price_nano=price)
    if caller_nano is None and key_nano is None:
        return None if billing.unit.known_before else Ceiling(bound, "platform" if published is None else "model")
    by: CappedBy = "caller"
    least = UNBOUNDED if caller_nano is None else caller_nano
    if key_nano is not None and key_nano < least:
        least, by = key_nano, "key"
    if price > least:
        raise too_dear(price, least)
    if billing.unit.known_before:
        return None
    if bound <= least:
        return Ceiling(bound, "platform" if published is None else "model")
    return Ceiling(least, by)


def check_typical(ceiling: Ceiling, typical: Cost | None) -> None:
    """Raises PriceAboveCap when the payer's bound is below the median cost of the last answers.

    Otherwise the service would often work without full payment.
    """
    if typical is not None and ceiling.of_payer and typical.nano > ceiling.nano:
        raise too_dear(typical.nano, ceiling.nano)


def too_dear(price_nano: int, cap_nano: int) -> PriceAboveCap:
    return PriceAboveCap(price=exact(price_nano), cap=exact(cap_nano))
