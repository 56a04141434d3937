"""Accounts on the wire."""

from datetime import datetime
from enum import StrEnum
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field

from mlpcore.quantities import Quantity
from mlpcore.time_zone_names import TimeZoneName
from mlplace_contracts.enums import Feature
from mlplace_contracts.internal.identity import InternalModel
from mlplace_kit.pagination import Pagination
from mlplace_kit.reasons import Reason
from mlplace_kit.wire import Input, Output

Count = Annotated[int, Field(ge=0, lt=2**31)]
Language = Literal["RU", "EN"]


class AccountLimitsData(Input):
    """Limits in public resource groups and at the gates. Quantities are in Kubernetes notation."""

    base_model_instance_limit: Count
    derived_model_instance_limit: Count
    gpu_model_instance_limit: Count
    cpu_limit: Quantity
    memory_limit: Quantity
    ephemeral_disk_limit: Quantity
    predict_per_sec: Count
    fit_per_minute: Count
    storage_limit: Quantity = "10Gi"


class AccountLimitsUpdate(AccountLimitsData):
    """`reason`: why they change, for the administration's records."""

    reason: Reason | None = None

    def limits(self) -> AccountLimitsData:
        return AccountLimitsData.model_validate(self.model_dump(exclude={"reason"}))


DEFAULT_LIMITS = AccountLimitsData(
    base_model_instance_limit=5,
    derived_model_instance_limit=10,
    gpu_model_instance_limit=0,
    cpu_limit="4",
    memory_limit="8Gi",
    ephemeral_disk_limit="20Gi",
    predict_per_sec=10,
    fit_per_minute=5,
)


class AccountInfoData(Output):
    """`lastActivity`: Unix time in milliseconds. `timeZone`: of the schedules of its services, an IANA name."""

    account_id: int
    short_name: str
    limits: AccountLimitsData
    language: str
    tags: dict[str, str]
    display_name: str
    last_activity: int | None
    email: str
    time_zone: str


class AccountUpdateData(Input):
    """AccountInfoData as a request. Only `language`, `tags`, `displayName` and `timeZone` may differ."""

    account_id: int
    short_name: str
    limits: AccountLimitsData | None = None
    language: Language | None = None
    tags: dict[Annotated[str, Field(max_length=64)], Annotated[str, Field(max_length=256)]] | None = Field(
        default=None, max_length=50
    )
    display_name: Annotated[str, Field(min_length=1, max_length=128)] | None = None
    last_activity: int | None = None
    email: str | None = None
    time_zone: TimeZoneName | None = None


def _lower(name: object) -> object:
    """Makes the names of features case-insensitive."""
    return name.lower() if isinstance(name, str) else name


class FeatureData(Input):
    name: Annotated[Feature, BeforeValidator(_lower)]
    enabled: bool


class AccountFeatureData(Input):
    features: Annotated[list[FeatureData], Field(max_length=100)]


class AccountFeatureUpdate(AccountFeatureData):
    """`reason`: why they change, for the administration's records."""

    reason: Reason | None = None


class AccountChangeKind(StrEnum):
    LIMITS_CHANGED = "LIMITS_CHANGED"
    FEATURES_CHANGED = "FEATURES_CHANGED"
    NETWORKS_CHANGED = "NETWORKS_CHANGED"


ChangedValue = bool | int | str


class ValueChange(Output):
    before: ChangedValue
    after: ChangedValue


class AccountChangeData(Output):
    """`details`: the limits or features that changed, by name; or `whiteList`, networks separated by commas.

    `actorLogin`: the user's login at that time. It and `actorUserId` are null for the start of the installation.
    `reason` null: none was given.
    """

    id: int
    occurred_at: datetime
    actor_user_id: int | None
    actor_login: str | None
    kind: AccountChangeKind
    details: dict[str, ValueChange]
    reason: str | None


class PagedAccountChanges(Output):
    paging: Pagination
    records: list[AccountChangeData]


class AccessByIp(Output):
    allowed: bool


class CallerInfo(Output):
    account_id: int | None
    user_id: str | None
    token_name: str | None
    permissions: list[str]


class BootstrapAccount(InternalModel):
    """Enables these features, and sets these limits when given."""

    account_id: Annotated[int, Field(gt=0, lt=2**63)]
    features: tuple[Feature, ...]
    limits: AccountLimitsData | None = None
