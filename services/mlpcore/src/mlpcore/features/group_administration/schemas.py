"""Resource groups of all accounts on the wire."""

from typing import Annotated

from pydantic import Field, JsonValue

from mlpcore.features.resource_groups.schemas import (
    GroupAccess,
    GroupExtras,
    GroupName,
    GroupType,
    ResourceGroupAutoScalingConfiguration,
    ResourceGroupEssentialData,
)
from mlplace_kit.wire import Input, Output, StoredText

_Id = Annotated[int, Field(ge=1, lt=2**63)]
_Object = Annotated[dict[Annotated[str, Field(max_length=256)], JsonValue], Field(max_length=64)]


class ResourceGroupData(ResourceGroupEssentialData):
    """`tolerations` and `affinity`: for Kubernetes; stored and returned unchanged."""

    account_id: int
    account_name: str | None
    tolerations: dict[str, JsonValue]
    affinity: dict[str, JsonValue]


class ResourceGroupsData(Output):
    groups: list[ResourceGroupData]


class ResourceGroupChange(GroupExtras):
    """The group that `accountId` (or `ownerId`) and `name` name, with the fields to change. Others stay."""

    name: GroupName
    account_id: _Id | None = None
    owner_id: _Id | None = None
    account_name: StoredText | None = None
    resource_group_type: GroupType | None = None
    is_default: bool | None = None
    enabled_eviction: bool | None = None
    enabled_auto_scaling: bool | None = None
    access: GroupAccess | None = None
    auto_scaling_configuration: ResourceGroupAutoScalingConfiguration | None = None
    tolerations: _Object | None = None
    affinity: _Object | None = None


class ResourceGroupsChange(Input):
    """At most 1,000 groups. Either all of them change, or none."""

    groups: Annotated[list[ResourceGroupChange], Field(max_length=1000)]
