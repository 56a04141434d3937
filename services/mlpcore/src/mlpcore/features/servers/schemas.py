"""Servers on the wire."""

from datetime import datetime
from enum import StrEnum
from typing import Annotated

from pydantic import Field, StringConstraints

from mlpcore.features.resource_groups.schemas import NAME_PATTERN, Price, TariffPeriod
from mlplace_kit.money import Currency
from mlplace_kit.wire import Input, Output


class ServerStatus(StrEnum):
    RUNNING = "RUNNING"
    STARTING = "STARTING"
    STOPPED = "STOPPED"
    UNAVAILABLE = "UNAVAILABLE"
    DELETING = "DELETING"


class CreateResourceGroupServer(Input):
    """`templateId`: gives what is not sent: configuration, description and prices. Without it, `rawConfiguration` is
    required.
    """

    server_name: Annotated[str, StringConstraints(pattern=NAME_PATTERN)]
    raw_configuration: str | None = None
    tariffication_price: Price | None = None
    tariffication_period: TariffPeriod | None = None
    max_server_lifetime_minutes: Annotated[int, Field(ge=1, le=10_000_000)] | None = None
    template_id: Annotated[int, Field(ge=1, lt=2**63)] | None = None
    cost_price: Price | None = None
    is_temporary: bool | None = None


class ServerCapacityData(Output):
    """Quantities in Kubernetes notation."""

    cpu: str
    memory: str
    disk: str
    gpu_models: list[str]


class _ServerData(Output):
    id: int
    name: str
    server_ip: str | None
    jump_host_ip: str | None
    description: str | None
    is_auto_created: bool
    raw_configuration: str
    tariffication_price: float
    tariffication_period: TariffPeriod | None
    template_id: int | None
    is_temporary: bool
    cost_price: float | None
    currency: Currency | None
    expires_at: datetime | None
    time_left_seconds: int | None


class ResourceGroupServerData(_ServerData):
    """`templateCapacity`: what the template said when the server was made. `templateId` stays if that is deleted."""

    template_capacity: ServerCapacityData | None


class CreatedServerData(ResourceGroupServerData):
    """`enrolmentToken` works once within 24 hours. No other response contains it."""

    enrolment_token: str


class ResourceGroupServerDataWithStatus(_ServerData):
    status: ServerStatus
    resources: ServerCapacityData
