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

Amount = Annotated[Decimal, Field(ge=0, le=1_000_000_000, decimal_places=9)]


class ProviderName(StrEnum):
    AUTO = "auto"
    SANDBOX = "sandbox"
    NONE = "none"


class MlpbillingSettings(PriceSettings):
    """`currency` is the one that people see; amounts in the other are kept and served all the same.

    `credit_limit` is how far an account with the feature mlp_billing.no_blocking may go below zero by reservations.
    `commission_basis_points` of each charge stay with the platform. `settle_hours`: how long a released reservation
    keeps holding what its gate has spent and not yet reported.
    """

    model_config = SettingsConfigDict(env_prefix="MLP_MLPBILLING_", extra="ignore", frozen=True)

    database_url: str
    """`postgresql+asyncpg://...` of the role that serves, with its password."""
    owner_database_url: str = ""
    """Of the role that migrates; only `migrate` needs it."""
    max_body_bytes: int = Field(default=1024 * 1024, gt=0)
    """The largest body of a request."""
    currency: Currency = Currency.RUBLE
    """The one that people see; amounts in the other are kept and served all the same."""
    welcome_bonus: Amount = Decimal(100)
    """What a new user may ask for once; 0: nothing is given. Where mail is sent, only users with a confirmed address
    get it, and several logins of one mailbox are one person."""
    welcome_bonus_per_address_per_day: int = Field(default=3, ge=0)
    """Welcome bonuses for people from one network address (of IPv6: one /64) on one day (UTC); 0: nothing is given."""
    welcome_bonus_per_day: int = Field(default=500, ge=0)
    """Welcome bonuses on one day (UTC) in all; 0: nothing is given."""
    commission_basis_points: int = Field(default=0, ge=0, le=10_000)
    """Of each charge, in hundredths of a percent: stays with the platform."""
    credit_limit: Amount = Decimal(1_000_000)
    """How far an account with the feature `mlp_billing.no_blocking` may go below zero by reservations."""
    reservation_usable_seconds: int = Field(default=45, gt=0)
    """How long a gate may spend what it has reserved."""
    reservation_expiry_seconds: int = Field(default=55, gt=0)
    """When a reservation that nobody released is free again."""
    settle_hours: int = Field(default=24, gt=0)
    """How long a released reservation keeps holding what its gate has spent and not yet reported."""
    expiry_interval_seconds: float = Field(default=1.0, gt=0)
    """How often expired reservations are looked for."""
    debts_interval_seconds: float = Field(default=1.0, gt=0)
    """How often debts are looked for that can be paid by now."""
    rents_interval_seconds: float = Field(default=10.0, gt=0)
    """How often rents are looked for of which another period has begun."""
    payment_provider: ProviderName = ProviderName.AUTO
    """Who takes cards: `sandbox`, which takes no real money, or `none`. `auto` is `none` in production, else the
    sandbox."""
    payment_minutes: int = Field(default=30, gt=0, le=1440)
    """How long a card payment may take before it expires."""
    payment_check_seconds: float = Field(default=15.0, gt=0)
    """When the provider is first asked about a payment that it has not called back about; ever later after that."""
    payment_interval_seconds: float = Field(default=2.0, gt=0)
    """How often payments are looked for that the provider is to be asked about, or that have expired."""
    verification_interval_seconds: float = Field(default=300.0, gt=0)
    """How often the ledger is checked against itself."""
    build_number: str = ""
    """Shown by `/version`."""
    build_date: str = ""
    """Shown by `/version`."""
    build_branch: str = ""
    """Shown by `/version`."""

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
