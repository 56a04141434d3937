"""Settings of the one-shot commands, read from environment variables `MLP_*`."""

from dataclasses import dataclass
from pathlib import Path
from typing import Self

from pydantic import Field, model_validator
from pydantic_settings import SettingsConfigDict
from sqlalchemy import make_url

from mlplace_kit.money import Currency
from mlplace_kit.settings import Settings
from mlplace_runtime.db.urls import DatabaseUrl
from mlplace_runtime.process import SERVICES


@dataclass(frozen=True, slots=True)
class DatabaseUrls:
    """The URLs of one service's database, for its two roles."""

    service: str
    owner_url: str
    service_url: str
    admin_url: str | None
    """None: the roles and the database exist."""

    @property
    def name(self) -> str:
        return make_url(self.service_url).database or self.service

    @property
    def passwords(self) -> dict[str, str]:
        """Passwords by role, without roles whose URL has no password: those keep theirs."""
        urls = (make_url(self.owner_url), make_url(self.service_url))
        return {str(url.username): str(url.password) for url in urls if url.password}


class PrepareSettings(Settings):
    """URLs of the services' databases, which may lie on one server or on several.

    With an administrator's URL, `prepare` creates the databases, roles and passwords that they name.
    """

    model_config = SettingsConfigDict(env_prefix="MLP_", extra="ignore", frozen=True)

    admin_database_url: DatabaseUrl | None = None
    """Database URL of a role that may create roles and databases.

    Without it, roles and databases must exist, and the owners must own the schemas.
    """
    accountsadmin_admin_database_url: DatabaseUrl | None = None
    """The same for the server of accountsadmin, if it has one of its own."""
    mlpcore_admin_database_url: DatabaseUrl | None = None
    """The same for the server of mlpcore, if it has one of its own."""
    mlpgateway_admin_database_url: DatabaseUrl | None = None
    """The same for the server of mlpgateway, if it has one of its own."""
    mlpbilling_admin_database_url: DatabaseUrl | None = None
    """The same for the server of mlpbilling, if it has one of its own."""
    accountsadmin_database_url: DatabaseUrl
    """Database URL of the role that serves accountsadmin.

    The role, the database and the password are created from it.
    """
    accountsadmin_owner_database_url: DatabaseUrl
    """Database URL of the role that owns and migrates the tables of accountsadmin."""
    mlpcore_database_url: DatabaseUrl
    """Database URL of the role that serves mlpcore. The role, the database and the password are created from it."""
    mlpcore_owner_database_url: DatabaseUrl
    """Database URL of the role that owns and migrates the tables of mlpcore."""
    mlpgateway_database_url: DatabaseUrl
    """Database URL of the role that serves mlpgateway. The role, the database and the password are created from it."""
    mlpgateway_owner_database_url: DatabaseUrl
    """Database URL of the role that owns and migrates the tables of mlpgateway."""
    mlpbilling_database_url: DatabaseUrl
    """Database URL of the role that serves mlpbilling. The role, the database and the password are created from it."""
    mlpbilling_owner_database_url: DatabaseUrl
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
            admin_url=getattr(self, f"{service}_admin_database_url") or self.admin_database_url,
        )

    @model_validator(mode="after")
    def _roles_of_services(self) -> Self:
        """Migrations grant rights to these roles by name."""
        for service in SERVICES:
            for kind, role in (("database_url", service), ("owner_database_url", f"{service}_owner")):
                if make_url(getattr(self, f"{service}_{kind}")).username != role:
                    raise ValueError(f"MLP_{service.upper()}_{kind.upper()} must name the role {role} as its user")
        return self


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
