"""The interface of payment providers that work by redirects: create, redirect, receive callbacks, look up."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from mlplace_kit.money import Currency


class Outcome(StrEnum):
    """The state of a payment at its provider."""

    OPEN = "OPEN"
    PAID = "PAID"
    DECLINED = "DECLINED"
    CANCELLED = "CANCELLED"


@dataclass(frozen=True, slots=True)
class PaymentOrder:
    """`order_id` is our unique id: for a repeated id the provider returns the payment that it created before.

    `platform_url` is the platform's URL in the payer's browser; `return_url` is where the browser goes afterwards. The
    payer may pay until `expires_at`.
    """

    order_id: str
    amount_nano: int
    currency: Currency
    platform_url: str
    return_url: str
    expires_at: datetime


@dataclass(frozen=True, slots=True)
class CreatedPayment:
    """`payment_id` is the provider's id."""

    payment_id: str
    payment_url: str


@dataclass(frozen=True, slots=True)
class Report:
    """A provider's report of one payment, by callback or look-up. The amount is what was paid, or is to be paid."""

    order_id: str
    payment_id: str
    outcome: Outcome
    amount_nano: int
    currency: Currency


class ProviderUnavailableError(Exception):
    """The provider gave no usable answer. The request may have taken effect."""


class PaymentProvider(ABC):
    """One instance serves all requests. Every call has its own time limit."""

    name: str
    """The name in the URL of callbacks; stored with each attempt."""

    @abstractmethod
    async def create(self, order: PaymentOrder) -> CreatedPayment:
        """Raises ProviderUnavailableError."""

    @abstractmethod
    def read_callback(self, headers: Mapping[str, str], body: bytes) -> Report:
        """`headers` have lower-case names. Raises CallbackForged unless the provider signed exactly this, recently."""

    @abstractmethod
    async def look_up(self, payment_id: str) -> Report | None:
        """Looks up a payment, in case its callback was lost. Returns None for an unknown payment.

        Raises ProviderUnavailableError.
        """
