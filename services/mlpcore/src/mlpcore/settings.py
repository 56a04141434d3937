"""Settings of mlpcore: environment variables that start with `MLP_MLPCORE_`."""

from pydantic import Field, field_validator
from pydantic_settings import SettingsConfigDict

from mlpcore.licensing.terms import public_key
from mlplace_contracts.enums import Feature
from mlplace_kit.money import Currency
from mlplace_kit.prices import PriceSettings
from mlplace_kit.settings import Environment


class MlpcoreSettings(PriceSettings):
    """`open_registration_features` are enabled for each new account.

    A hosted installation empties the list, and a manager grants features one by one; a self-hosted one lets everybody
    create services and test them.
    """

    model_config = SettingsConfigDict(env_prefix="MLP_MLPCORE_", extra="ignore", frozen=True)

    database_url: str
    """`postgresql+asyncpg://...` of the role that serves, with its password."""
    owner_database_url: str = ""
    """Of the role that migrates; only `migrate` needs it."""
    max_body_bytes: int = Field(default=16 * 1024 * 1024, gt=0)
    """The largest body of a request."""
    open_registration_features: tuple[Feature, ...] = (Feature.MODEL_ADMIN, Feature.TEST_FORM)
    """Enabled for each new account."""
    currency: Currency = Currency.RUBLE
    """The one that people see."""
    billing_enabled: bool = True
    """Whether the console shows prices and balances."""
    english_only: bool = False
    """Whether the console offers no other language."""
    refill_by_manager: bool | None = None
    """Whether the console tells people to ask a manager for money. Unset: in production, where no cards are taken
    either until a provider is named."""
    environment_name: str = "self-hosted"
    """Name of the installation in the console."""
    extended_landing: bool = False
    """Whether the landing page shows all of its sections."""
    archive_enabled: bool = True
    """Whether the console offers to keep the last requests of a service."""
    save_clicks_enabled: bool = False
    """Whether usage events of people are kept, for 90 days."""
    manager_mail: str = ""
    """Address that the console names where people shall write to a manager."""
    support_chat_url: str = ""
    """Address of the support chat; the console shows none without it."""
    secrets_per_account: int = Field(default=200, gt=0, le=100_000)
    """Secrets that an account may keep."""
    team_mail: str = ""
    """Address that requests to the team are sent to, where `MLP_SMTP_HOST` says how."""
    team_requests_per_hour: int = Field(default=10, gt=0)
    """Requests to the team that are taken from one address."""
    license_public_key: str = ""
    """Ed25519 key (PEM) that licences are signed with. Without it no licence is needed."""
    license_file: str = ""
    """Path of the licence."""
    license_dashboard_url: str = ""
    """Address of a dashboard that shows what the licence counts."""
    build_number: str = ""
    """Shown by `/version`."""
    build_date: str = ""
    """Shown by `/version`."""
    build_branch: str = ""
    """Shown by `/version`."""
    public_grpc_address: str = "localhost:10601"
    """`host:port` of the gates, for instructions that people are given."""
    public_rest_url: str = "http://localhost:8080"
    """Address of the edge, for the same."""
    public_grpc_secure: bool = False
    """Whether instances are told to use TLS."""
    heartbeat_seconds: float = Field(default=1.0, ge=0.05, le=20)
    """How often agents report."""
    drain_seconds: float = Field(default=20.0, ge=0, le=600)
    """What an instance that goes gets to finish its calls, before it is stopped."""
    stop_grace_seconds: int = Field(default=30, ge=0, le=600)
    """From the stop signal to the end by force."""

    @property
    def refills_by_manager(self) -> bool:
        given = self.refill_by_manager
        return self.environment is Environment.PRODUCTION if given is None else given

    @field_validator("license_public_key")
    @classmethod
    def _key_can_be_read(cls, value: str) -> str:
        if value:
            public_key(value)
        return value
