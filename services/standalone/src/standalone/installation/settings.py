"""Settings of the one-shot commands: environment variables `MLP_*`."""

from dataclasses import dataclass
from pathlib import Path

from pydantic import Field, SecretStr
from pydantic_settings import SettingsConfigDict
from sqlalchemy import make_url

from mlplace_kit.money import Currency
from mlplace_kit.settings import Settings


@dataclass(frozen=True, slots=True)
class DatabaseUrls:
    """One service's database: its name, and the passwords of its two roles."""

    service: str
    owner_url: str
    service_url: str

    @property
    def name(self) -> str:
        return make_url(self.service_url).database or self.service

    @property
    def passwords(self) -> dict[str, str]:
        """By role. An address without a password leaves the role as it is."""
        urls = (make_url(self.owner_url), make_url(self.service_url))
        return {str(url.username): str(url.password) for url in urls if url.password}


class PrepareSettings(Settings):
    """`admin_database_url` belongs to a role that may create roles and databases.

    The other addresses are the services' own: databases, roles and passwords become what they say.
    """

    model_config = SettingsConfigDict(env_prefix="MLP_", extra="ignore", frozen=True)

    admin_database_url: str
    accountsadmin_database_url: str
    accountsadmin_owner_database_url: str
    mlpcore_database_url: str
    mlpcore_owner_database_url: str
    mlpgateway_database_url: str
    mlpgateway_owner_database_url: str
    mlpbilling_database_url: str
    mlpbilling_owner_database_url: str
    s3_endpoint: str = ""
    s3_bucket: str = "mlplace"
    s3_access_key: str = ""
    s3_secret_key: SecretStr = SecretStr("")
    patience_seconds: float = Field(default=90.0, gt=0)
    log_level: str = "INFO"

    def database(self, service: str) -> DatabaseUrls:
        return DatabaseUrls(
            service,
            owner_url=getattr(self, f"{service}_owner_database_url"),
            service_url=getattr(self, f"{service}_database_url"),
        )


class DemoSettings(Settings):
    """`edge_url` is how the demo and the agent reach the platform; `public_url` is what users are told."""

    model_config = SettingsConfigDict(env_prefix="MLP_", extra="ignore", frozen=True)

    edge_url: str = "http://edge:8080"
    public_url: str = "http://localhost:8080"
    currency: Currency = Currency.RUBLE
    state_dir: Path = Path("/var/lib/mlplace")
    hosting_server_name: str = "demo-host"
    log_level: str = "INFO"
