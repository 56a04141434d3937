"""What an API key may use up, as the gates enforce it. Part of ApiKeyChanged and of KeyIdentity."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from mlplace_contracts.moment import Moment
from mlplace_kit.money import Currency

Seconds = Annotated[int, Field(ge=1)]


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")


class SpendingRule(_Part):
    """An allowance that refills evenly within the period. `period` TOTAL never refills, and `period_seconds` is None.

    `currency` None counts money of either currency. An allowance begins full when it is available immediately, else
    empty at `since`; raising it makes the difference available at once, or not.
    """

    amount_nano: int
    currency: Currency | None
    period: Literal["MINUTE", "HOUR", "DAY", "MONTH", "TOTAL"]
    period_seconds: Seconds | None
    available_immediately: bool
    since: Moment


class RequestRule(_Part):
    """So many calls within the period; refills evenly."""

    calls: Annotated[int, Field(ge=1)]
    period: Literal["SECOND", "MINUTE", "HOUR", "DAY", "MONTH", "YEAR"]
    period_seconds: Seconds


class SizeRule(_Part):
    """The most of data, config and parameters of one call together."""

    most: Annotated[int, Field(ge=1)]
    unit: Literal["BYTES", "CHARACTERS"]


class KeyLimits(_Part):
    """`llms` None: every one. Entries are names of language models, or of services, or `service/language model`."""

    requests: RequestRule | None = None
    size: SizeRule | None = None
    spending: tuple[SpendingRule, ...] = ()
    llms: tuple[str, ...] | None = None
