"""What a new server gets from its request, and what from the template that the request names."""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from mlpcore.features.resource_groups.schemas import TariffPeriod
from mlpcore.features.server_templates.prices import TemplatePrice, price_for
from mlpcore.features.server_templates.tables import ServerTemplate
from mlpcore.features.servers.configuration import ServerConfiguration, read_configuration
from mlpcore.features.servers.schemas import CreateResourceGroupServer
from mlplace_kit.errors import ValidationFailed
from mlplace_kit.violations import broken


@dataclass(frozen=True, slots=True)
class ServerOrigin:
    """`extras`: what the server keeps of request and template beside its columns."""

    raw_configuration: str
    configuration: ServerConfiguration
    description: str | None
    price: Decimal
    period: TariffPeriod | None
    cost: Decimal | None
    extras: Mapping[str, Any]


def origin_of(data: CreateResourceGroupServer, template: ServerTemplate | None, *, account_id: int) -> ServerOrigin:
    """What the request says counts before what the template says. Raises ValidationFailed.

    Nothing of it changes with the template later: the server keeps what it takes here.
    """
    raw = data.raw_configuration or (template.raw_configuration if template else data.raw_configuration)
    if raw is None:
        raise ValidationFailed({"rawConfiguration": broken("required")})
    configuration = read_configuration(raw)
    free = TemplatePrice(Decimal(0), data.tariffication_period, None, None)
    offered = price_for(account_id, template) if template else free
    extras = data.model_dump(mode="json", include={"template_id", "is_temporary"}, exclude_none=True)
    if template is not None:
        extras |= {"template_capacity": template.capacity, "currency": offered.currency}
    sent = data.tariffication_price
    return ServerOrigin(
        raw_configuration=raw,
        configuration=configuration,
        description=configuration.description or (template.description if template else None) or None,
        price=offered.price if sent is None else sent,
        period=offered.period if sent is None else data.tariffication_period,
        cost=offered.cost if data.cost_price is None else data.cost_price,
        extras=extras,
    )
