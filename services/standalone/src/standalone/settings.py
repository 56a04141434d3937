"""Settings of the all-in-one platform. Everything has a default that works on a laptop."""

from pathlib import Path

from pydantic import Field
from pydantic_settings import SettingsConfigDict

from mlplace_kit.money import Currency
from mlplace_kit.settings import is_loopback
from mlplace_runtime.process.http.limits import HttpEnvironment

_GRPC_OFFSET = 10
_EVERYWHERE = frozenset({"", "0.0.0.0", "::"})
_MEBIBYTE = 1024 * 1024


class StandaloneSettings(HttpEnvironment):
    """Environment variables `MLP_*`; the command line's options go before them.

    `grpc_port` 0 means ten above `port`. `demo` fills an empty installation with the demo accounts and services.
    """

    model_config = SettingsConfigDict(env_prefix="MLP_", extra="ignore", frozen=True)

    data_dir: Path = Path(".data")
    """Folder of all data: databases, events, objects, secrets, logs."""
    disk_soft_floor_bytes: int = Field(default=1024 * _MEBIBYTE, ge=0)
    """With less free where the process writes, it begins to go without: first the archive, then what accounts store.
    On a small file system it is a tenth of that."""
    disk_hard_floor_bytes: int = Field(default=256 * _MEBIBYTE, ge=0)
    """With less free calls are refused, so that what they used can always be written down. On a small
    file system it is a fortieth of that."""
    host: str = "127.0.0.1"
    """Address to listen on, of HTTP and of the gate. Others than those of this machine alone, such as `127.0.0.1`, open
    the platform to the network."""
    port: int = Field(default=8080, ge=1, le=65535)
    """Port of HTTP."""
    grpc_port: int = Field(default=0, ge=0, le=65535)
    """Port of the gate; 0 means ten above `port`."""
    currency: Currency = Currency.RUBLE
    """The one that people see."""
    demo: bool = True
    """Whether an empty installation is filled with the demo accounts and services."""
    frontend_dir: Path = Path("frontend/dist")
    """The built web interface; without it only the API is served."""
    log_level: str = "INFO"
    """`DEBUG`, `INFO`, `WARNING` or `ERROR`."""
    log_megabytes: float = Field(default=10.0, gt=0)
    """Size at which a new log file begins: of the platform, of the agent and of the databases."""
    log_files: int = Field(default=3, ge=1, le=100)
    """How many files of each of these logs are kept, with the newest."""
    otlp_endpoint: str | None = None
    """URL of a collector that takes traces by OTLP over HTTP; none are sent without it."""
    trace_sample_ratio: float = Field(default=1.0, ge=0, le=1)
    """The part of traces that begin here and are recorded, from 0 to 1."""

    @property
    def gate_port(self) -> int:
        return self.grpc_port or self.port + _GRPC_OFFSET

    @property
    def is_open(self) -> bool:
        """Whether other machines can reach it."""
        return not is_loopback(self.host)

    @property
    def rest_url(self) -> str:
        return f"http://{self._own_name}:{self.port}"

    @property
    def gate_address(self) -> str:
        return f"{self._own_name}:{self.gate_port}"

    @property
    def _own_name(self) -> str:
        """As this machine calls itself: an address of its own where it listens on no other."""
        if not self.is_open or self.host in _EVERYWHERE:
            return "localhost"
        return f"[{self.host}]" if ":" in self.host else self.host
