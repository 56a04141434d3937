"""What a new server gets from its request, and what from the template that the request names."""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from mlpcore.features.servers.configuration import ServerConfiguration, read_configuration
from mlpcore.features.servers.schemas import CreateResourceGroupServer
from mlpcore.ports import TemplateOffer
from mlplace_kit.errors import ValidationFailed
from mlplace_kit.violations import broken


@dataclass(frozen=True, slots=True)
class ServerOrigin:
    """`extras`: what the server keeps of request and template beside its columns."""

    raw_configuration: str
    configuration: ServerConfiguration
    description: str | None
    price: Decimal
    period: str | None
    cost: Decimal | None
    extras: Mapping[str, Any]


def origin_of(data: CreateResourceGroupServer, template: TemplateOffer | None) -> ServerOrigin:
    """What the request says counts before what the template says. Raises ValidationFailed.

    Nothing of it changes with the template later: the server keeps what it takes here.
    """
    raw = data.raw_configuration or (template.raw_configuration if template else data.raw_configuration)
    if raw is None:
        raise ValidationFailed({"rawConfiguration": broken("required")})
    configuration = read_configuration(raw)
    sent, period, cost = data.tariffication_price, data.tariffication_period, data.cost_price
    extras = data.model_dump(mode="json", include={"template_id", "is_temporary"}, exclude_none=True)
    if template is None:
        return ServerOrigin(raw, configuration, configuration.description, sent or Decimal(0), period, cost, extras)
    return ServerOrigin(
        raw_configuration=raw,
        configuration=configuration,
        description=configuration.description or template.description or None,
        price=template.price if sent is None else sent,
        period=template.period if sent is None else period,
        cost=template.cost if cost is None else cost,
        extras={**extras, "template_capacity": template.capacity, "currency": template.currency},
    )
