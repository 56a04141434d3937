"""Settings of the one-shot commands: environment variables `MLP_*`."""

from dataclasses import dataclass
from pathlib import Path

from pydantic import Field
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
    """Of a role that may create roles and databases."""
    accountsadmin_database_url: str
    """Of the role with which accountsadmin serves: role, database and password become what it says."""
    accountsadmin_owner_database_url: str
    """Of the role that owns the tables of accountsadmin and migrates them."""
    mlpcore_database_url: str
    """Of the role with which mlpcore serves: role, database and password become what it says."""
    mlpcore_owner_database_url: str
    """Of the role that owns the tables of mlpcore and migrates them."""
    mlpgateway_database_url: str
    """Of the role with which mlpgateway serves: role, database and password become what it says."""
    mlpgateway_owner_database_url: str
    """Of the role that owns the tables of mlpgateway and migrates them."""
    mlpbilling_database_url: str
    """Of the role with which mlpbilling serves: role, database and password become what it says."""
    mlpbilling_owner_database_url: str
    """Of the role that owns the tables of mlpbilling and migrates them."""
    patience_seconds: float = Field(default=90.0, gt=0)
    """How long databases, Kafka and the object store may take to come up."""
    log_level: str = "INFO"
    """As above."""

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
    """How the demo and its agent reach the platform."""
    public_url: str = "http://localhost:8080"
    """What users are told."""
    currency: Currency = Currency.RUBLE
    """Of the money that the demo's caller gets."""
    state_dir: Path = Path("/var/lib/mlplace")
    """Folder of the demo's key and of the agent's configuration."""
    patience_seconds: float = Field(default=180.0, gt=0)
    """How long its services may take to connect, for the command that waits for them."""
    hosting_server_name: str = "demo-host"
    """Of the hosting server that runs the demo's services."""
    gate_forwards: dict[int, str] = Field(default_factory=dict[int, str])
    """Ports of the hosting server's loopback, and where each leads: it reaches no published port of its host, for these
    listen on the host's loopback. JSON, as `{"8091": "gate-ports:8091"}`."""
    log_level: str = "INFO"
    """As above."""
