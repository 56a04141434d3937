"""Resource groups on the wire. Fields for kinds of groups that do not exist yet are stored and returned unchanged."""

from collections.abc import Mapping
from decimal import Decimal
from enum import StrEnum
from typing import Annotated, Any, Final

from pydantic import Field, StringConstraints

from mlplace_kit.money import Currency
from mlplace_kit.wire import Input, Output


class GroupType(StrEnum):
    DOCKER = "DOCKER"
    KUBERNETES = "KUBERNETES"
    HOSTING_SERVER = "HOSTING_SERVER"
    SHARED_RESOURCE_QUOTA = "SHARED_RESOURCE_QUOTA"


class GroupAccess(StrEnum):
    PRIVATE = "PRIVATE"
    PUBLIC = "PUBLIC"
    SHARED_POOL = "SHARED_POOL"


class TariffPeriod(StrEnum):
    SECOND = "SECOND"
    MINUTE = "MINUTE"
    HOUR = "HOUR"
    DAY = "DAY"
    MONTH = "MONTH"
    YEAR = "YEAR"


HOURS: Final[Mapping[TariffPeriod, float]] = {
    TariffPeriod.SECOND: 1 / 3600,
    TariffPeriod.MINUTE: 1 / 60,
    TariffPeriod.HOUR: 1.0,
    TariffPeriod.DAY: 24.0,
    TariffPeriod.MONTH: 24.0 * 30,
    TariffPeriod.YEAR: 24.0 * 365,
}
"""Hours in a period, where prices of different periods are compared. A month has 30 days, a year 365."""

NAME_PATTERN = r"^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$"
GroupName = Annotated[str, StringConstraints(pattern=NAME_PATTERN)]
Price = Annotated[Decimal, Field(ge=0, lt=10**9, decimal_places=9)]
_Count = Annotated[int, Field(ge=0, le=100_000)]
_Id = Annotated[int, Field(ge=1, lt=2**63)]


class RentalConstraints(Input):
    min_cuda_version: Annotated[str, StringConstraints(max_length=32)] | None = None
    min_duration_minutes: _Count | None = None
    min_reliability_percent: Annotated[float, Field(ge=0, le=100)] | None = None
    min_vram_gb: _Count | None = None
    possible_gpus: Annotated[list[Annotated[str, StringConstraints(max_length=64)]], Field(max_length=64)] | None = None
    max_price_per_hour: Annotated[float, Field(ge=0, lt=10**9)] | None = None


class ResourceGroupAutoScalingConfiguration(Input):
    server_id: _Id | None = None
    server_configuration: Annotated[str, StringConstraints(max_length=65_536)] | None = None
    fallback_servers_ids: Annotated[list[_Id], Field(max_length=100)] | None = None
    min_servers_count: _Count
    max_servers_count: _Count | None = None
    cooldown_period_minutes: _Count | None = None
    reserve_resource_group_name: GroupName | None = None
    max_downtime_minutes: _Count | None = None
    servers_pool: Annotated[list[_Id], Field(max_length=100)] | None = None


class GroupExtras(Input):
    deployment_name: Annotated[str, StringConstraints(max_length=128)] | None = None
    is_shared: bool | None = None
    rental_constraints: RentalConstraints | None = None
    cost_price: Price | None = None
    price: Price | None = None
    payback: Price | None = None
    tariffication_period: TariffPeriod | None = None
    currency: Currency | None = None


class CreateResourceGroupData(GroupExtras):
    name: GroupName
    is_default: bool = False
    enabled_eviction: bool = False
    access: GroupAccess = GroupAccess.PRIVATE
    resource_group_type: GroupType = GroupType.HOSTING_SERVER
    enabled_auto_scaling: bool = False
    auto_scaling_configuration: ResourceGroupAutoScalingConfiguration | None = None


class UpdateResourceGroupData(GroupExtras):
    """An update keeps the fields that are not sent."""

    name: GroupName | None = None
    is_default: bool | None = None
    enabled_eviction: bool | None = None
    enabled_auto_scaling: bool | None = None
    access: GroupAccess | None = None
    auto_scaling_configuration: ResourceGroupAutoScalingConfiguration | None = None


class ResourceGroupEssentialData(Output):
    name: str
    owner_id: int
    is_default: bool
    access: GroupAccess
    enabled_eviction: bool
    resource_group_type: GroupType
    enabled_auto_scaling: bool
    auto_scaling_configuration: ResourceGroupAutoScalingConfiguration | None
    deployment_name: str | None
    is_shared: bool | None
    rental_constraints: RentalConstraints | None
    cost_price: float | None
    price: float | None
    payback: float | None
    tariffication_period: TariffPeriod | None
    currency: Currency | None


_PRICES = frozenset({"cost_price", "price", "payback", "tariffication_period", "currency"})


def prices_of(data: GroupExtras) -> dict[str, Any]:
    """Returns the sent prices by column."""
    return data.model_dump(include=set(_PRICES), exclude_unset=True)


def extras_of(data: GroupExtras) -> dict[str, Any]:
    """Returns the other sent fields in the wire's shape."""
    wanted = set(GroupExtras.model_fields) - _PRICES
    return data.model_dump(mode="json", by_alias=True, include=wanted, exclude_unset=True)
