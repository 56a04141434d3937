"""API keys ("tokens" on the wire)."""

from datetime import datetime, timedelta
from decimal import Decimal
from enum import StrEnum
from typing import Annotated, Literal

from pydantic import Field, PlainSerializer

from mlpcore.features.models.schemas import ModelInfoPK
from mlpcore.features.models.settings.texts import ShortText
from mlplace_contracts.enums import KeyPermission
from mlplace_kit.money import Currency
from mlplace_kit.web_origins import MOST_ORIGINS
from mlplace_kit.wire import Input, Output

Amount = Annotated[Decimal, Field(ge=0, le=9_000_000_000), PlainSerializer(float, return_type=float, when_used="json")]
Count = Annotated[int, Field(ge=1, lt=2**63)]
Email = Annotated[str, Field(max_length=254, pattern=r"^[^@\s\x00-\x1f]+@[^@\s\x00-\x1f]+\.[^@\s\x00-\x1f.]+$")]


class LimitPeriod(StrEnum):
    SECOND = "SECOND"
    MINUTE = "MINUTE"
    HOUR = "HOUR"
    DAY = "DAY"
    MONTH = "MONTH"
    YEAR = "YEAR"

    @property
    def length(self) -> timedelta:
        """A month counts as 30 days, a year as 365."""
        return _LENGTHS[self]


_LENGTHS = {
    LimitPeriod.SECOND: timedelta(seconds=1),
    LimitPeriod.MINUTE: timedelta(minutes=1),
    LimitPeriod.HOUR: timedelta(hours=1),
    LimitPeriod.DAY: timedelta(days=1),
    LimitPeriod.MONTH: timedelta(days=30),
    LimitPeriod.YEAR: timedelta(days=365),
}
LONGEST_LIFETIME = timedelta(days=365 * 100)


class SpendingLimit(Input):
    amount: Amount
    currency: Currency
    period: Literal["MINUTE", "HOUR", "DAY", "MONTH"]
    available_immediately: bool = False


class Restrictions(Input):
    """Limits of a key beside its permissions and models. The gates enforce them.

    `notification_emails` get a mail before the key expires and when a spending limit is nearly or fully used.
    `max_price_per_call`: the maximal price of a call that the key pays for, in the currency of the model.
    """

    allowed_llms: Annotated[tuple[ShortText, ...], Field(max_length=1000)] | None = None
    temporary: bool | None = None
    max_lifetime: Count | None = None
    max_lifetime_period: LimitPeriod | None = None
    request_limit: Count | None = None
    request_limit_period: LimitPeriod | None = None
    max_request_size: Count | None = None
    max_request_size_unit: Literal["BYTES", "CHARACTERS"] | None = None
    spending_limits: Annotated[tuple[SpendingLimit, ...], Field(max_length=4)] | None = None
    expense_limit: Amount | None = None
    max_price_per_call: Amount | None = None
    notification_emails: Annotated[tuple[Email, ...], Field(max_length=20)] | None = None


class AccessTokenCreateUpdateData(Restrictions):
    """An update keeps the fields that are not sent. `allowedServices` null: every model that the account may call.

    `allowedOrigins`: web origins such as https://example.com whose pages may call with the key; `*` for any. Empty or
    null: pages of other sites cannot.
    """

    name: Annotated[ShortText, Field(min_length=1, max_length=128)] | None = None
    permissions: Annotated[tuple[KeyPermission, ...], Field(min_length=1, max_length=3)] | None = None
    allowed_services: Annotated[tuple[ModelInfoPK, ...], Field(max_length=1000)] | None = None
    allowed_origins: Annotated[tuple[ShortText, ...], Field(max_length=MOST_ORIGINS)] | None = None


class AccessTokenData(Output):
    """`token`: the whole key in the response to its creation. Later responses mask it, except for the key's id."""

    token: str
    name: str
    creation_date: str
    expires_at: datetime | None
    permissions: list[KeyPermission]
    allowed_services: list[ModelInfoPK] | None
    allowed_llms: list[str] | None
    temporary: bool
    max_lifetime: int | None
    max_lifetime_period: LimitPeriod | None
    request_limit: int | None
    request_limit_period: LimitPeriod | None
    max_request_size: int | None
    max_request_size_unit: str | None
    spending_limits: list[SpendingLimit] | None
    expense_limit: Amount | None
    max_price_per_call: Amount | None
    notification_emails: list[str] | None
    allowed_origins: list[str]
