"""The licence on the wire and in its file."""

from datetime import datetime
from typing import Annotated

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel

from mlplace_kit.wire import Output

Count = Annotated[int, Field(ge=0, lt=2**31)]


class LicenseLimits(Output):
    """The limits of the licence. Null: unlimited."""

    allowed_services: Count | None
    allowed_to_develop: bool | None
    allowed_to_fit: bool | None
    allowed_vllm_models: Count | None
    cpu_total_count: Count | None
    vram_total_gb: Count | None


class LicenseData(Output):
    """`licenseStarts`, `licenseEnds` and `limits` are null when the licence cannot be read."""

    grafana_license_dashboard_url: str | None
    hard_limits_are_exceeded: bool
    soft_limits_are_exceeded: bool
    license_starts: datetime | None
    license_ends: datetime | None
    license_expired_or_invalid: bool
    license_expires_soon: bool
    days_left_before_hard_limits: int | None
    limits: LicenseLimits | None


class LicenseTerms(BaseModel):
    """The content of the file. `hardPercent`: percentage of a limit above which no grace period applies."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, frozen=True, extra="ignore")

    customer: str
    not_before: AwareDatetime
    expires: AwareDatetime
    allowed_services: Count | None = None
    allowed_to_develop: bool | None = None
    allowed_to_fit: bool | None = None
    allowed_vllm_models: Count | None = None
    cpu_total_count: Count | None = None
    vram_total_gb: Count | None = None
    grace_days: Annotated[int, Field(ge=0, le=365)] = 14
    hard_percent: Annotated[int, Field(ge=100, le=1000)] = 120
    warning_days: Annotated[int, Field(ge=0, le=365)] = 30
