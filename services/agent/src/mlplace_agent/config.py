"""The agent's configuration file: JSON, validated at start; unknown keys are refused."""

from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, HttpUrl, SecretStr, ValidationError, model_validator

HostName = Annotated[str, Field(pattern=r"^[A-Za-z0-9._:-]+$", max_length=255)]
EnvironmentName = Annotated[str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$", max_length=128)]


class ConfigurationError(Exception):
    """The configuration is invalid. The text is one sentence for the person who starts the agent."""


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Program(_Part):
    """A program that runs instances of one image address as plain processes. No other program runs without a container.

    `environment` lists the variables that the model's owner may set; all others that the owner sets are dropped.
    """

    command: Annotated[tuple[str, ...], Field(min_length=1)]
    """Program and arguments."""
    environment: tuple[EnvironmentName, ...] = ()
    """Variables that the model's owner may set; all others that the owner sets are dropped."""
    cwd: Path | None = None
    """Working directory."""


class DockerOptions(_Part):
    """`extra_hosts` maps a name to an address, for example `host.docker.internal: host-gateway`."""

    enabled: bool = False
    """Whether this server runs containers."""
    socket: str | None = None
    """Address of the Docker engine. Default: the one from the agent's environment."""
    network_mode: str = "bridge"
    """Docker network of the instances."""
    extra_hosts: dict[str, str] = {}
    """Host names to add to each container with their addresses, for example `host.docker.internal: host-gateway`."""
    pids_limit: Annotated[int, Field(ge=16, le=1_000_000)] = 512
    """Maximum number of processes of one instance."""
    data_image_megabytes: Annotated[float, Field(gt=0)] = 65_536.0
    """Largest folder of a data image, in MiB, that the agent copies to this server."""
    data_images_megabytes: Annotated[float, Field(gt=0)] = 262_144.0
    """Room on this server, in MiB, for the folders of all data images together."""


class AgentConfig(_Part):
    """`enrolment_token` is used once, while the state folder holds no credentials."""

    platform_url: HttpUrl
    """Address of the edge."""
    state_dir: Path
    """Folder for the agent's id, its credentials and the working files of instances. Keep it: a restarted agent
    recognises its containers by the id."""
    disk_path: Path | None = None
    """Folder on the disk that instances write to, whose space is reported; default: `state_dir`. With Docker, give its
    data folder if that is on another disk."""
    enrolment_token: SecretStr | None = None
    """Used once, while the state folder holds no credentials."""
    account_id: Annotated[int, Field(ge=1)] | None = None
    """With `server_id` and `secret`: credentials instead of an enrolment."""
    server_id: Annotated[int, Field(ge=1)] | None = None
    """See `account_id`."""
    secret: SecretStr | None = None
    """See `account_id`."""
    heartbeat_seconds: Annotated[float, Field(ge=0.05, le=60)] = 5.0
    """Seconds between reports, until the platform sets another interval."""
    shutdown_grace_seconds: Annotated[float, Field(ge=0, le=300)] = 20.0
    """Seconds that instances get to end when the agent stops."""
    ca_file: Path | None = None
    """PEM file of the authority that signed the edge's certificate, if the system does not trust it already."""
    advertised_host: HostName | None = None
    """Host at which gates reach HTTP instances; if not given, gates must run on this machine. Choose an address that
    only gates can reach: whoever reaches it can call the instances without limits and without paying."""
    programs: dict[str, Program] = {}
    """Programs that run without a container, by image address."""
    forwards: dict[Annotated[int, Field(ge=1, le=65535)], Annotated[str, Field(pattern=r"^.+:[0-9]{1,5}$")]] = {}
    """Ports on this machine's loopback, each with the address `host:port` that it forwards to. Needed for gates whose
    advertised address cannot be reached from here."""
    docker: DockerOptions = DockerOptions()
    """How instances run in containers."""
    log_level: Literal["DEBUG", "INFO", "WARNING", "ERROR"] = "INFO"
    """Lowest level of log messages that the agent writes."""
    log_file: Path | None = None
    """File to which standard error is already redirected. The agent rotates it to bound its size."""
    log_megabytes: Annotated[float, Field(gt=0)] = 10.0
    """Size at which `log_file` is rotated."""
    log_files: Annotated[int, Field(ge=1, le=100)] = 3
    """Number of log files to keep, including the current one."""

    @model_validator(mode="after")
    def _whole_credentials(self) -> Self:
        given = [self.account_id is not None, self.server_id is not None, self.secret is not None]
        if any(given) and not all(given):
            raise ValueError("account_id, server_id and secret come together")
        return self


def load_config(path: Path) -> AgentConfig:
    """Read and validate the file. Raises ConfigurationError."""
    try:
        return AgentConfig.model_validate_json(path.read_bytes())
    except OSError as error:
        raise ConfigurationError(f"cannot read {path}: {error.strerror}") from error
    except ValidationError as error:
        problems = "; ".join(f"{'.'.join(map(str, e['loc'])) or 'file'}: {e['msg']}" for e in error.errors())
        raise ConfigurationError(f"{path} is not a valid configuration: {problems}") from error
