"""Settings of mlpbilling: environment variables that start with `MLP_MLPBILLING_`. Amounts are in currency units."""

from datetime import timedelta
from decimal import Decimal
from enum import StrEnum
from typing import Annotated

from pydantic import Field
from pydantic_settings import SettingsConfigDict

from mlplace_kit.money import Currency
from mlplace_kit.prices import PriceSettings
from mlplace_kit.settings import Environment
from mlplace_runtime.db.urls import DatabaseUrl

Amount = Annotated[Decimal, Field(ge=0, le=1_000_000_000, decimal_places=9)]


class ProviderName(StrEnum):
    AUTO = "auto"
    SANDBOX = "sandbox"
    NONE = "none"


class MlpbillingSettings(PriceSettings):
    """Amounts are in units of their currency."""

    model_config = SettingsConfigDict(env_prefix="MLP_MLPBILLING_", extra="ignore", frozen=True)

    database_url: DatabaseUrl
    """`postgresql+asyncpg://...` of the role that serves, with its password."""
    owner_database_url: DatabaseUrl = ""
    """`postgresql+asyncpg://...` of the role that migrates; only `migrate` needs it."""
    max_body_bytes: int = Field(default=1024 * 1024, gt=0)
    """Largest request body in bytes."""
    currency: Currency = Currency.RUBLE
    """The currency that people see; amounts in the other currency are kept and served, too."""
    welcome_bonus: Amount = Decimal(100)
    """Bonus that a new user may request once; 0 turns it off.

    If the installation sends mail, only users with a confirmed address get it, and several logins of one mailbox count
    as one person.
    """
    welcome_bonus_per_address_per_day: int = Field(default=3, ge=0)
    """Welcome bonuses per day (UTC) for people at one network address (for IPv6: one /64); 0 turns them off."""
    welcome_bonus_per_day: int = Field(default=500, ge=0)
    """Welcome bonuses per day (UTC) in total; 0 turns them off."""
    commission_basis_points: int = Field(default=0, ge=0, le=10_000)
    """The platform's part of each charge, in hundredths of a percent."""
    credit_limit: Amount = Decimal(1_000_000)
    """How far reservations may take an account with the feature `mlp_billing.no_blocking` below zero."""
    reservation_usable_seconds: int = Field(default=45, gt=0)
    """How long a gate may spend from its reservation."""
    reservation_expiry_seconds: int = Field(default=55, gt=0)
    """When a reservation that was not released becomes free again."""
    settle_hours: int = Field(default=24, gt=0)
    """How long a released reservation keeps holding what its gate has spent but not reported yet."""
    expiry_interval_seconds: float = Field(default=1.0, gt=0)
    """Interval of the search for expired reservations."""
    debts_interval_seconds: float = Field(default=1.0, gt=0)
    """Interval of the search for debts that can be paid by now."""
    rents_interval_seconds: float = Field(default=10.0, gt=0)
    """Interval of the search for rents with a new period to pay."""
    payment_provider: ProviderName = ProviderName.AUTO
    """Card payment provider: `sandbox`, which takes no real money, or `none`.

    `auto` is `none` in production and `sandbox` otherwise.
    """
    payment_minutes: int = Field(default=30, gt=0, le=1440)
    """Minutes after which an unfinished card payment expires."""
    payment_check_seconds: float = Field(default=15.0, gt=0)
    """Delay before the provider is first asked about a payment without callback; later delays grow."""
    payment_interval_seconds: float = Field(default=2.0, gt=0)
    """Interval of the search for payments that have expired or that the provider has to be asked about."""
    verification_interval_seconds: float = Field(default=300.0, gt=0)
    """Interval of the ledger's self-check."""
    build_number: str = ""
    """Build number in `/version`."""
    build_date: str = ""
    """Build date in `/version`."""
    build_branch: str = ""
    """Build branch in `/version`."""

    @property
    def takes_sandbox_cards(self) -> bool:
        if self.payment_provider is ProviderName.AUTO:
            return self.environment is not Environment.PRODUCTION
        return self.payment_provider is ProviderName.SANDBOX

    @property
    def usable_for(self) -> timedelta:
        return timedelta(seconds=self.reservation_usable_seconds)

    @property
    def expires_after(self) -> timedelta:
        return timedelta(seconds=self.reservation_expiry_seconds)

    @property
    def settles_within(self) -> timedelta:
        return timedelta(hours=self.settle_hours)
