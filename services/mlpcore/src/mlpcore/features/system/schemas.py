"""Settings and version of the installation on the wire."""

from mlpcore.licensing.schemas import LicenseData
from mlplace_kit.money import Currency
from mlplace_kit.wire import Output


class TaskTypeData(Output):
    name: str
    display_name: str
    icon: str
    color: str


class CaptchaData(Output):
    enabled: bool
    site_key: str


class FrontendSettings(Output):
    """`license` is null when no licence is needed. `defaultMaxPrice`: the maximal price of a call to a model that
    publishes none.
    """

    is_system_account: bool
    is_billing_enabled: bool
    is_archive_enabled: bool
    is_extended_landing: bool
    currency_type: Currency
    default_max_price: float
    english_only: bool
    refill_by_manager: bool
    manager_mail: str | None
    support_chat_url: str | None
    save_clicks_enabled: bool
    env_name: str
    license: LicenseData | None


class VersionData(Output):
    build_number: str
    build_date: str
    build_branch: str
