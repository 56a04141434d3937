"""What servers of a template cost whom."""

from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from mlpcore.features.resource_groups.schemas import HOURS, TariffPeriod
from mlpcore.features.server_templates.tables import ServerTemplate

_NOTHING: Final = Decimal(0)


@dataclass(frozen=True, slots=True)
class TemplatePrice:
    """`price` per `period`; `cost`: what the account pays itself, None if it is unknown or nobody else's business."""

    price: Decimal
    period: TariffPeriod | None
    cost: Decimal | None
    currency: str | None

    @property
    def order(self) -> tuple[bool, bool, str, float]:
        """Sorts free ones first, then those with a period by what an hour costs in each currency, then the others."""
        hours = HOURS[self.period] if self.period else 1.0
        return self.price > 0, self.price > 0 and self.period is None, self.currency or "", float(self.price) / hours


def price_for(account_id: int, template: ServerTemplate) -> TemplatePrice:
    """Returns what a server of the template costs the account: to others than the owner, the public price."""
    if template.account_id == account_id:
        period = template.tariffication_period
        price, cost = template.tariffication_price, template.cost_price
    else:
        period, price, cost = template.public_price_period, template.public_price or _NOTHING, None
    return TemplatePrice(price, TariffPeriod(period) if period else None, cost, template.currency)
