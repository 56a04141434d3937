"""Settings of mlpcore: environment variables that start with `MLP_MLPCORE_`."""

from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pydantic import Field, field_validator
from pydantic_settings import SettingsConfigDict

from mlpcore.licensing.terms import public_key
from mlplace_contracts.enums import Feature
from mlplace_kit.money import Currency
from mlplace_kit.prices import PriceSettings
from mlplace_kit.settings import Environment
from mlplace_runtime.db.urls import DatabaseUrl


class MlpcoreSettings(PriceSettings):
    """A hosted installation empties `open_registration_features`, and a manager grants features one by one.

    The default suits a self-hosted installation: everybody may create models and test them.
    """

    model_config = SettingsConfigDict(env_prefix="MLP_MLPCORE_", extra="ignore", frozen=True)

    database_url: DatabaseUrl
    """`postgresql+asyncpg://...` of the role that serves requests, with its password."""
    owner_database_url: DatabaseUrl = ""
    """The same for the role that migrates the database. Only `migrate` needs it."""
    max_body_bytes: int = Field(default=16 * 1024 * 1024, gt=0)
    """The maximal size of a request body."""
    dataset_bytes: int = Field(default=2 * 1024**3, gt=0)
    """The maximal size of a dataset. An upload takes as much room in the folder of temporary files (`TMPDIR`)."""
    object_bytes: int = Field(default=5 * 1024**3, gt=0, le=40 * 1024**3)
    """The maximal size of an object in an account's bucket that comes in one request, and of each part of others."""
    objects_per_account: int = Field(default=1_000_000, gt=0)
    """The maximal number of objects in an account's bucket."""
    datasets_per_account: int = Field(default=1_000, gt=0, le=1_000)
    """The maximal number of datasets per account. Lists of datasets have no pages, so there cannot be more."""
    images_per_account: int = Field(default=1_000, gt=0, le=100_000)
    """The maximal number of images per account."""
    data_images_per_account: int = Field(default=1_000, gt=0, le=100_000)
    """The maximal number of data images per account."""
    registry_credentials_per_account: int = Field(default=50, gt=0, le=1_000)
    """The maximal number of registries of which an account has credentials."""
    server_templates_per_account: int = Field(default=100, gt=0, le=1_000)
    """The maximal number of server templates per account. Lists of templates have no pages, so there cannot be more."""
    open_registration_features: tuple[Feature, ...] = (Feature.MODEL_ADMIN, Feature.TEST_FORM)
    """Features that each new account gets."""
    currency: Currency = Currency.RUBLE
    """The currency that people see."""
    billing_enabled: bool = True
    """Whether the console shows prices and balances."""
    english_only: bool = False
    """Whether the console offers no other language."""
    refill_by_manager: bool | None = None
    """Whether the console tells people to ask a manager to top up the balance. Unset: only in production, which takes
    no cards until a payment provider is configured."""
    environment_name: str = "self-hosted"
    """The installation's name in the console."""
    extended_landing: bool = False
    """Whether the landing page shows all of its sections."""
    archive_enabled: bool = True
    """Whether the console offers to archive the last requests of a model."""
    save_clicks_enabled: bool = False
    """Whether the platform stores people's usage events, for 90 days."""
    manager_mail: str = ""
    """Mail address of the manager, which the console shows to people."""
    support_chat_url: str = ""
    """Address of the support chat; the console shows none without it."""
    secrets_per_account: int = Field(default=200, gt=0, le=100_000)
    """The maximal number of secrets per account."""
    team_mail: str = ""
    """Mail address for requests to the team. Mail is sent through `MLP_SMTP_HOST`."""
    team_requests_per_hour: int = Field(default=10, gt=0)
    """The maximal number of requests to the team per hour from one network address."""
    license_public_key: str = ""
    """Ed25519 public key (PEM) that verifies licences. Without it, no licence is needed."""
    license_file: str = ""
    """Path of the licence file."""
    license_dashboard_url: str = ""
    """Address of a dashboard that shows the usage that counts against the licence."""
    build_number: str = ""
    """Shown by `/version`."""
    build_date: str = ""
    """Shown by `/version`."""
    build_branch: str = ""
    """Shown by `/version`."""
    public_grpc_address: str = "localhost:10601"
    """`host:port` of the gates, for instances until a gate has announced itself."""
    public_rest_url: str = "http://localhost:8080"
    """Public address of the platform over HTTP, for instructions to people and for instances."""
    public_grpc_secure: bool = False
    """Whether instances use TLS to connect to the gates."""
    heartbeat_seconds: float = Field(default=1.0, ge=0.05, le=20)
    """Seconds between two reports of an agent."""
    drain_seconds: float = Field(default=20.0, ge=0, le=600)
    """Seconds that an instance gets to finish its calls before it is stopped."""
    stop_grace_seconds: int = Field(default=30, ge=0, le=600)
    """Seconds from the stop signal until an instance is killed."""

    time_zone: str = "UTC"
    """Time zone of the schedules of accounts that chose none, such as `Europe/Berlin`."""
    autoscaling_seconds: float = Field(default=15.0, ge=0.05, le=600)
    """Seconds between two decisions about the number of instances of a service."""
    autoscaling_window_seconds: int = Field(default=60, ge=10, le=3600, multiple_of=10)
    """Seconds over which autoscaling averages what was measured; a multiple of 10."""
    autoscaling_minute_seconds: float = Field(default=60.0, gt=0, le=60)
    """Seconds that a minute of a service's cooldown and idle time lasts. Tests shorten it."""

    @property
    def dataset_body_bytes(self) -> int:
        """The maximal size of a form with a dataset's file."""
        return self.dataset_bytes + 64 * 1024

    @property
    def zone(self) -> ZoneInfo:
        return ZoneInfo(self.time_zone)

    @property
    def refills_by_manager(self) -> bool:
        given = self.refill_by_manager
        return self.environment is Environment.PRODUCTION if given is None else given

    @field_validator("time_zone")
    @classmethod
    def _zone_is_known(cls, value: str) -> str:
        try:
            return ZoneInfo(value).key
        except (ZoneInfoNotFoundError, ValueError, OSError) as error:
            raise ValueError("use the name of a time zone such as Europe/Berlin") from error

    @field_validator("license_public_key")
    @classmethod
    def _key_can_be_read(cls, value: str) -> str:
        if value:
            public_key(value)
        return value
