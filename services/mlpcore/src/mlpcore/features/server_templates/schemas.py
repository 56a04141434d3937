"""Server templates on the wire."""

from decimal import Decimal
from enum import StrEnum
from typing import Annotated

from pydantic import AfterValidator, Field, StringConstraints
from pydantic_core import PydanticCustomError

from mlpcore.features.resource_groups.schemas import Price, TariffPeriod
from mlpcore.features.servers.schemas import ServerCapacityData
from mlpcore.quantities import Quantity
from mlplace_kit.money import Currency
from mlplace_kit.wire import Input, Output

MOST_INSTANCES = 1000


class TemplateType(StrEnum):
    """The type of the resource groups whose servers a template describes."""

    DOCKER = "DOCKER"
    VAST_AI = "VAST_AI"
    KUBERNETES = "KUBERNETES"
    HOSTING_SERVER = "HOSTING_SERVER"
    SHARED_RESOURCE_QUOTA = "SHARED_RESOURCE_QUOTA"


def _one_line(text: str) -> str:
    if not text.isprintable():
        raise PydanticCustomError("one_line", "must be one line without control characters")
    return text


TemplateName = Annotated[
    str, StringConstraints(strip_whitespace=True, min_length=1, max_length=64), AfterValidator(_one_line)
]
_Note = Annotated[str, StringConstraints(max_length=128), AfterValidator(_one_line)]
_GpuModel = Annotated[str, StringConstraints(min_length=1, max_length=64)]


class TemplateCapacityInput(Input):
    """Quantities in Kubernetes notation. `gpuModels` has an entry for each GPU: of two equal ones, the model twice."""

    cpu: Quantity
    memory: Quantity
    disk: Quantity
    gpu_models: Annotated[list[_GpuModel], Field(max_length=64, default_factory=list)]


class CreateUpdateServerTemplateData(Input):
    """A whole template: an update removes what is not sent.

    `internalTemplateName`, `username`: notes that only the owner sees. `tarifficationPrice` (per `tarifficationPeriod`)
    and `costPrice`: those that servers get. `publicPrice` (per `publicPricePeriod`): what other accounts pay; only the
    platform's account may set one, and publishes the template with it. `currency`: of all prices.
    """

    name: TemplateName
    type: TemplateType
    capacity: TemplateCapacityInput | None = None
    description: Annotated[str, StringConstraints(max_length=1024)] = ""
    raw_configuration: str
    tariffication_price: Price = Decimal(0)
    tariffication_period: TariffPeriod | None = None
    internal_template_name: _Note | None = None
    username: _Note | None = None
    cost_price: Price | None = None
    public_price: Price | None = None
    public_price_period: TariffPeriod | None = None
    currency: Currency | None = None


class ServerTemplateData(Output):
    """`ownerId`: the account whose template it is.

    Others than the owner see the public price as `tarifficationPrice` too, and no cost price, internal name and user
    name.
    """

    id: int
    owner_id: int
    name: str
    type: TemplateType
    capacity: ServerCapacityData | None
    description: str
    raw_configuration: str
    tariffication_price: float
    tariffication_period: TariffPeriod | None
    internal_template_name: str | None
    username: str | None
    cost_price: float | None
    public_price: float | None
    public_price_period: TariffPeriod | None
    currency: Currency | None


class ServerTemplateAvailability(Output):
    """`serversCount`: how many servers can be made from the template now; null if the platform sets no bound."""

    available: bool
    servers_count: int | None
