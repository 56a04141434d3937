"""The maximal price of a call if the owner of the model has published none, and the form in which callers send a
maximal price.
"""

import re
from collections.abc import Iterable
from decimal import Decimal
from typing import Annotated, Final

from pydantic import Field

from mlplace_kit.errors import ValidationFailed
from mlplace_kit.money import NANO, to_nano
from mlplace_kit.settings import Settings
from mlplace_kit.violations import broken

MOST: Final = 1_000_000
"""Units of a currency. The largest maximal price of a call that an owner may publish or an installation may set."""
_AMOUNT: Final = re.compile(r"(\d{1,10})(?:\.(\d{1,9}))?", re.ASCII)


class PriceSettings(Settings):
    """Price settings that several services read. One variable sets them for all services."""

    default_max_price: Annotated[Decimal, Field(ge=0, le=MOST, decimal_places=9)] = Field(
        default=Decimal(100), validation_alias="MLP_DEFAULT_MAX_PRICE"
    )
    """What one call may cost at most, in units of the currency, where the price is not known before (`custom` and
    `direct`) and the owner of the service has published no maximal price. The same for mlpcore, mlpgateway and
    mlpbilling."""

    @property
    def default_max_price_nano(self) -> int:
        return to_nano(self.default_max_price)


def parse_max_price(text: str, *, field: str) -> int:
    """Returns the nano-units of a text such as `0.05`. Raises ValidationFailed that names the field."""
    found = _AMOUNT.fullmatch(text.strip())
    if found is None:
        raise ValidationFailed({field: broken("amount")})
    return int(found[1]) * NANO + int((found[2] or "").ljust(9, "0"))


def least_max_price(texts: Iterable[str], *, field: str) -> int | None:
    """Returns the smallest of several prices, in nano-units; None without any. A proxy can thus add a stricter bound.

    Raises ValidationFailed, which names `field`, when a text is not an amount.
    """
    return min((parse_max_price(text, field=field) for text in texts), default=None)
