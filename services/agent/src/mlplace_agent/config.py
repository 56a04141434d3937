"""The agent's configuration file: JSON, checked whole at start, unknown keys refused."""

from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, HttpUrl, SecretStr, ValidationError, model_validator

HostName = Annotated[str, Field(pattern=r"^[A-Za-z0-9._:-]+$", max_length=255)]
EnvironmentName = Annotated[str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$", max_length=128)]


class ConfigurationError(Exception):
    """The configuration cannot be used. The text is one sentence for the person who starts the agent."""


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Program(_Part):
    """What runs, without a container, for one image address. Only these programs ever run as plain processes.

    `environment` lists the names that a service's owner may set; all other names of theirs are dropped.
    """

    command: Annotated[tuple[str, ...], Field(min_length=1)]
    """Program and arguments."""
    environment: tuple[EnvironmentName, ...] = ()
    """Names that a service's owner may set; all other names of theirs are dropped."""
    cwd: Path | None = None
    """Folder in which it runs."""


class DockerOptions(_Part):
    """`extra_hosts` maps a name to an address, as in `host.docker.internal: host-gateway`."""

    enabled: bool = False
    """Whether instances run in containers at all."""
    socket: str | None = None
    """Address of the engine; the one of the environment if not given."""
    network_mode: str = "bridge"
    """Network of the instances."""
    extra_hosts: dict[str, str] = {}
    """Names for addresses, as `host.docker.internal: host-gateway`."""
    pids_limit: Annotated[int, Field(ge=16, le=1_000_000)] = 512
    """Processes that one instance may have."""


class AgentConfig(_Part):
    """`enrolment_token` is used once, when the state folder holds no credentials yet."""

    platform_url: HttpUrl
    """Address of the edge."""
    state_dir: Path
    """Folder of credentials and of what the instances wrote."""
    enrolment_token: SecretStr | None = None
    """Used once, when the state folder holds no credentials yet."""
    account_id: Annotated[int, Field(ge=1)] | None = None
    """With `server_id` and `secret`: credentials instead of an enrolment."""
    server_id: Annotated[int, Field(ge=1)] | None = None
    """As above."""
    secret: SecretStr | None = None
    """As above."""
    heartbeat_seconds: Annotated[float, Field(ge=0.05, le=60)] = 5.0
    """How often the agent reports, until the platform tells it otherwise."""
    shutdown_grace_seconds: Annotated[float, Field(ge=0, le=300)] = 20.0
    """What instances get to end when the agent stops."""
    ca_file: Path | None = None
    """PEM file of the authority that signed the certificate of the edge, where the system does not know it."""
    advertised_host: HostName | None = None
    """Host at which gates reach instances that speak HTTP; without it gates must run on this machine. An address that
    only gates reach is best: whoever reaches it reaches the instances, past all limits and bills."""
    programs: dict[str, Program] = {}
    """What runs without a container, by image address."""
    forwards: dict[Annotated[int, Field(ge=1, le=65535)], Annotated[str, Field(pattern=r"^.+:[0-9]{1,5}$")]] = {}
    """Ports of this machine's loopback, and the address `host:port` to which each leads: for gates whose advertised
    address is not reached from here."""
    docker: DockerOptions = DockerOptions()
    """How instances run in containers."""
    log_level: Literal["DEBUG", "INFO", "WARNING", "ERROR"] = "INFO"
    """How much the agent tells."""
    log_file: Path | None = None
    """The file to which whoever starts the agent has led its standard error: the agent keeps its size bounded."""
    log_megabytes: Annotated[float, Field(gt=0)] = 10.0
    """Size at which a new `log_file` begins."""
    log_files: Annotated[int, Field(ge=1, le=100)] = 3
    """How many of them are kept, with the newest."""

    @model_validator(mode="after")
    def _whole_credentials(self) -> Self:
        given = [self.account_id is not None, self.server_id is not None, self.secret is not None]
        if any(given) and not all(given):
            raise ValueError("account_id, server_id and secret come together")
        return self


def load_config(path: Path) -> AgentConfig:
    """Raises ConfigurationError."""
    try:
        return AgentConfig.model_validate_json(path.read_bytes())
    except OSError as error:
        raise ConfigurationError(f"cannot read {path}: {error.strerror}") from error
    except ValidationError as error:
        problems = "; ".join(f"{'.'.join(map(str, e['loc'])) or 'file'}: {e['msg']}" for e in error.errors())
        raise ConfigurationError(f"{path} is not a valid configuration: {problems}") from error
