"""The limits of an API key, as the gates enforce them. Part of ApiKeyChanged and of KeyIdentity."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from mlplace_contracts.moment import Moment
from mlplace_kit.money import Currency

Seconds = Annotated[int, Field(ge=1)]


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")


class SpendingRule(_Part):
    """An allowance that refills evenly within the period. With the `period` TOTAL it never refills, and
    `period_seconds` is None.

    A `currency` of None counts money of either currency. An allowance that is available immediately begins full; any
    other begins empty at `since`. Raising an immediate allowance makes the difference available at once.
    """

    amount_nano: int
    currency: Currency | None
    period: Literal["MINUTE", "HOUR", "DAY", "MONTH", "TOTAL"]
    period_seconds: Seconds | None
    available_immediately: bool
    since: Moment


class RequestRule(_Part):
    """The number of calls within the period. It refills evenly."""

    calls: Annotated[int, Field(ge=1)]
    period: Literal["SECOND", "MINUTE", "HOUR", "DAY", "MONTH", "YEAR"]
    period_seconds: Seconds


class SizeRule(_Part):
    """The largest total size of data, config and parameters of one call."""

    most: Annotated[int, Field(ge=1)]
    unit: Literal["BYTES", "CHARACTERS"]


class KeyLimits(_Part):
    """`llms` None allows all language models. An entry is the name of a language model, the name of a service, or
    `service/language model`.
    """

    requests: RequestRule | None = None
    size: SizeRule | None = None
    spending: tuple[SpendingRule, ...] = ()
    llms: tuple[str, ...] | None = None
