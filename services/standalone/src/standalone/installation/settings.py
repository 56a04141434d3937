"""Settings of the one-shot commands, read from environment variables `MLP_*`."""

from dataclasses import dataclass
from pathlib import Path

from pydantic import Field
from pydantic_settings import SettingsConfigDict
from sqlalchemy import make_url

from mlplace_kit.money import Currency
from mlplace_kit.settings import Settings


@dataclass(frozen=True, slots=True)
class DatabaseUrls:
    """The URLs of one service's database, for its two roles."""

    service: str
    owner_url: str
    service_url: str

    @property
    def name(self) -> str:
        return make_url(self.service_url).database or self.service

    @property
    def passwords(self) -> dict[str, str]:
        """Passwords by role, without roles whose URL has no password: those keep theirs."""
        urls = (make_url(self.owner_url), make_url(self.service_url))
        return {str(url.username): str(url.password) for url in urls if url.password}


class PrepareSettings(Settings):
    """`admin_database_url` is for a role that may create roles and databases.

    The other URLs are those of the services; `prepare` creates the databases, roles and passwords that they name.
    """

    model_config = SettingsConfigDict(env_prefix="MLP_", extra="ignore", frozen=True)

    admin_database_url: str
    """Database URL of a role that may create roles and databases."""
    accountsadmin_database_url: str
    """Database URL of the role that serves accountsadmin.

    The role, the database and the password are created from it.
    """
    accountsadmin_owner_database_url: str
    """Database URL of the role that owns and migrates the tables of accountsadmin."""
    mlpcore_database_url: str
    """Database URL of the role that serves mlpcore. The role, the database and the password are created from it."""
    mlpcore_owner_database_url: str
    """Database URL of the role that owns and migrates the tables of mlpcore."""
    mlpgateway_database_url: str
    """Database URL of the role that serves mlpgateway. The role, the database and the password are created from it."""
    mlpgateway_owner_database_url: str
    """Database URL of the role that owns and migrates the tables of mlpgateway."""
    mlpbilling_database_url: str
    """Database URL of the role that serves mlpbilling. The role, the database and the password are created from it."""
    mlpbilling_owner_database_url: str
    """Database URL of the role that owns and migrates the tables of mlpbilling."""
    patience_seconds: float = Field(default=90.0, gt=0)
    """Seconds to wait for the databases, Kafka and the object store."""
    log_level: str = "INFO"
    """`DEBUG`, `INFO`, `WARNING` or `ERROR`."""

    def database(self, service: str) -> DatabaseUrls:
        return DatabaseUrls(
            service,
            owner_url=getattr(self, f"{service}_owner_database_url"),
            service_url=getattr(self, f"{service}_database_url"),
        )


class DemoSettings(Settings):
    """`edge_url` is the platform's address for the demo and the agent; `public_url` is the one that users see."""

    model_config = SettingsConfigDict(env_prefix="MLP_", extra="ignore", frozen=True)

    edge_url: str = "http://edge:8080"
    """Address at which the demo and its agent reach the platform."""
    public_url: str = "http://localhost:8080"
    """Address of the platform that users see."""
    currency: Currency = Currency.RUBLE
    """Currency of the demo caller's money."""
    state_dir: Path = Path("/var/lib/mlplace")
    """Folder for the demo's key and the agent's configuration."""
    patience_seconds: float = Field(default=180.0, gt=0)
    """Seconds that `demo-running` waits for instances to connect."""
    hosting_server_name: str = "demo-host"
    """Name of the hosting server that runs the demo's models."""
    gate_forwards: dict[int, str] = Field(default_factory=dict[int, str])
    """Ports on the hosting server's loopback, and the address that each forwards to. Needed because gates publish their
    ports on the host's loopback, which a container cannot reach. JSON, for example `{"8091": "gate-ports:8091"}`."""
    log_level: str = "INFO"
    """`DEBUG`, `INFO`, `WARNING` or `ERROR`."""
