"""Settings of the all-in-one platform. Everything has a default that works on a laptop."""

from pathlib import Path

from pydantic import Field
from pydantic_settings import SettingsConfigDict

from mlplace_kit.money import Currency
from mlplace_kit.settings import Settings

_GRPC_OFFSET = 10


class StandaloneSettings(Settings):
    """Environment variables `MLP_*`; the command line's options go before them.

    `grpc_port` 0 means ten above `port`. `demo` fills an empty installation with the demo accounts and services.
    """

    model_config = SettingsConfigDict(env_prefix="MLP_", extra="ignore", frozen=True)

    data_dir: Path = Path(".data")
    host: str = "127.0.0.1"
    port: int = Field(default=8080, ge=1, le=65535)
    grpc_port: int = Field(default=0, ge=0, le=65535)
    currency: Currency = Currency.RUBLE
    demo: bool = True
    log_level: str = "INFO"
    otlp_endpoint: str | None = None
    trace_sample_ratio: float = Field(default=1.0, ge=0, le=1)

    @property
    def gate_port(self) -> int:
        return self.grpc_port or self.port + _GRPC_OFFSET

    @property
    def rest_url(self) -> str:
        return f"http://localhost:{self.port}"

    @property
    def gate_address(self) -> str:
        return f"localhost:{self.gate_port}"
