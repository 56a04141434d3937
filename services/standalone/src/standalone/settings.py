"""Settings of the all-in-one platform. All defaults work on a laptop."""

from pathlib import Path

from pydantic import Field
from pydantic_settings import SettingsConfigDict

from mlplace_kit.money import Currency
from mlplace_kit.settings import is_loopback
from mlplace_runtime.process.http.limits import HttpEnvironment
from mlplace_runtime.process.trusted_proxies import ProxyList
from standalone.distribution import DISTRIBUTION
from standalone.problems import NoHomeError

_GRPC_OFFSET = 10
_AT_LOCALHOST = frozenset({"", "0.0.0.0", "::", "127.0.0.1"})
_MEBIBYTE = 1024 * 1024


def _data_dir() -> Path:
    folder = DISTRIBUTION.data_dir()
    if folder is None:
        raise NoHomeError
    return folder


class StandaloneSettings(HttpEnvironment):
    """Read from environment variables `MLP_*`; options of the command line override them.

    `grpc_port` 0 means `port` + 10. `demo` fills an empty installation with the demo accounts and models.
    """

    model_config = SettingsConfigDict(env_prefix="MLP_", extra="ignore", frozen=True)

    data_dir: Path = Field(default_factory=_data_dir)
    """Folder for all data: databases, events, objects, secrets, logs. The default of an installed wheel is
    `$XDG_DATA_HOME/mlplace` or, without that variable, `~/.local/share/mlplace`; for root it is `/var/lib/mlplace`."""
    disk_soft_floor_bytes: int = Field(default=1024 * _MEBIBYTE, ge=0)
    """If less space is free where the process writes, it stops optional work: first the archive, then predictions and
    kept answers. On a small file system: at most a tenth of its size."""
    disk_hard_floor_bytes: int = Field(default=256 * _MEBIBYTE, ge=0)
    """If less space is free, calls are refused, so that the usage of running calls can always be recorded. On a small
    file system: at most a fortieth of its size."""
    host: str = "127.0.0.1"
    """Address to listen on, for HTTP and the gate. An address other than the loopback opens the platform to the
    network."""
    trusted_proxies: ProxyList = ""
    """Comma-separated addresses, networks and host names of proxies in front, whose X-Forwarded-For is believed.
    Without it, whoever connects is the caller."""
    port: int = Field(default=8080, ge=1, le=65535)
    """HTTP port."""
    grpc_port: int = Field(default=0, ge=0, le=65535)
    """Port of the gate; 0 means `port` + 10."""
    currency: Currency = Currency.RUBLE
    """The currency that people see."""
    demo: bool = True
    """Whether to fill an empty installation with the demo accounts and models."""
    frontend_dir: Path = DISTRIBUTION.frontend_dir
    """Folder of the built web interface; if it is missing, only the API is served. A wheel contains one."""
    log_level: str = "INFO"
    """`DEBUG`, `INFO`, `WARNING` or `ERROR`."""
    log_megabytes: float = Field(default=10.0, gt=0)
    """Size in megabytes at which a log file is rotated: of the platform, the agent and the databases."""
    log_files: int = Field(default=3, ge=1, le=100)
    """Number of files to keep of each of these logs, including the current one."""
    otlp_endpoint: str | None = None
    """URL of a trace collector (OTLP over HTTP); without it no traces are sent."""
    trace_sample_ratio: float = Field(default=1.0, ge=0, le=1)
    """Fraction of the traces that begin here to record, from 0 to 1."""

    @property
    def gate_port(self) -> int:
        return self.grpc_port or self.port + _GRPC_OFFSET

    @property
    def is_open(self) -> bool:
        """Whether other machines can reach the platform."""
        return not is_loopback(self.host)

    @property
    def rest_url(self) -> str:
        return f"http://{self._own_name}:{self.port}"

    @property
    def gate_address(self) -> str:
        return f"{self._own_name}:{self.gate_port}"

    @property
    def _own_name(self) -> str:
        """`localhost`, or the only address that the platform listens on: `localhost` need not lead to `::1`."""
        if self.host in _AT_LOCALHOST:
            return "localhost"
        return f"[{self.host}]" if ":" in self.host else self.host
