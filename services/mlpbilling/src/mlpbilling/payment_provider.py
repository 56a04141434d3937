"""What the platform needs of a payment provider that works by redirects: create, send the browser, be told, ask."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from mlplace_kit.money import Currency


class Outcome(StrEnum):
    """What has become of a payment, as its provider sees it."""

    OPEN = "OPEN"
    PAID = "PAID"
    DECLINED = "DECLINED"
    CANCELLED = "CANCELLED"


@dataclass(frozen=True, slots=True)
class PaymentOrder:
    """`order_id` is ours and unique: a provider that is given it again answers with the payment that it made before.

    `platform_url` is where the payer's browser sees the platform; `return_url` where it goes afterwards. Until
    `expires_at` the payer may pay.
    """

    order_id: str
    amount_nano: int
    currency: Currency
    platform_url: str
    return_url: str
    expires_at: datetime


@dataclass(frozen=True, slots=True)
class CreatedPayment:
    """`payment_id` is the provider's."""

    payment_id: str
    payment_url: str


@dataclass(frozen=True, slots=True)
class Report:
    """What a provider says of one payment, by callback or when asked. The amount is what was paid, or is to be."""

    order_id: str
    payment_id: str
    outcome: Outcome
    amount_nano: int
    currency: Currency


class ProviderUnavailableError(Exception):
    """The provider does not answer, or not in a way that says anything. What was asked may have had its effect."""


class PaymentProvider(ABC):
    """One instance serves all requests. Every call has a time limit of its own."""

    name: str
    """Stands in the address of its callbacks; stored with each attempt."""

    @abstractmethod
    async def create(self, order: PaymentOrder) -> CreatedPayment:
        """Raises ProviderUnavailableError."""

    @abstractmethod
    def read_callback(self, headers: Mapping[str, str], body: bytes) -> Report:
        """`headers` by lower-case names. Raises CallbackForged unless the provider signed exactly this, and lately."""

    @abstractmethod
    async def look_up(self, payment_id: str) -> Report | None:
        """The fallback for callbacks that got lost. None for a payment that it does not know.

        Raises ProviderUnavailableError.
        """
