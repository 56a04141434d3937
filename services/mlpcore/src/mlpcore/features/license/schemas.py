"""The licence as the administration reads it."""

from mlpcore.licensing.schemas import LicenseData
from mlplace_kit.wire import Output


class LicenseUsageData(Output):
    """What counts against a licence: services, and the cores and GB of VRAM that running instances hold on servers."""

    services: int
    vllm_models: int
    cpu: float
    vram_gb: float


class LicenseOverviewData(Output):
    """`license`, `customer`, `graceDays` and `hardPercent` are null without a licence.

    `required`: whether the installation needs one; else nothing is limited. `usage` is counted for this answer; whether
    limits are exceeded follows from it, too. `graceDays`: how long limits may be exceeded by at most `hardPercent`.
    """

    required: bool
    customer: str | None
    license: LicenseData | None
    usage: LicenseUsageData
    grace_days: int | None
    hard_percent: int | None
