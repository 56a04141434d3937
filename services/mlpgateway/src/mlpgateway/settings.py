"""Settings of mlpgateway: environment variables that start with `MLP_MLPGATEWAY_`."""

from pathlib import Path
from typing import Self

from pydantic import Field, model_validator
from pydantic_settings import SettingsConfigDict

from mlplace_kit.settings import Settings

_MEBIBYTE = 1024 * 1024


class MlpgatewaySettings(Settings):
    model_config = SettingsConfigDict(env_prefix="MLP_MLPGATEWAY_", extra="ignore", frozen=True)

    database_url: str
    owner_database_url: str = ""
    """Of the role that migrates; only `migrate` needs it."""

    grpc_host: str = "127.0.0.1"
    grpc_port: int = Field(default=8090, ge=0, le=65535)
    """0 takes any free port."""
    grpc_advertised_address: str | None = None
    """`host:port` at which instances reach this gate; by default the address it listens on."""
    grpc_tls_certificate: Path | None = None
    grpc_tls_key: Path | None = None
    """PEM files; plain HTTP/2 without them."""
    trusted_hops: int = Field(default=0, ge=0)
    """How many proxies stand in front and append to X-Forwarded-For; 0 believes no such header."""

    max_body_bytes: int = Field(default=100 * _MEBIBYTE, ge=1)
    drain_seconds: float = Field(default=20.0, ge=0)
    """What running calls get to finish when the service stops."""

    test_form_feature_required: bool = False
    """Whether a person who tests another account's model in the browser needs the feature `mlp.test_form`."""
    direct_unit_nano: int = Field(default=1, ge=1, le=10**9)
    """Nano-units of money in one unit of the header Z-custom-billing of a model with the unit `direct`."""
    first_cost_nano: int = Field(default=1_000_000, ge=0)
    """What the first call of a model that tells its price only afterwards holds back (a thousandth of a unit)."""
    max_leased_nano: int = Field(default=100 * 10**9, ge=1)
    """The most that one gate asks to hold for one payer at a time."""

    default_predict_per_sec: int = Field(default=10, ge=0)
    """For accounts whose limits have not been told yet."""
    start_seconds: float = Field(default=15.0, ge=0)
    """How long the gate waits at its start for what it has to know, before it lets instances in all the same."""

    build_number: str = ""
    build_date: str = ""
    build_branch: str = ""

    @model_validator(mode="after")
    def _certificate_with_key(self) -> Self:
        if (self.grpc_tls_certificate is None) is not (self.grpc_tls_key is None):
            raise ValueError("a TLS certificate needs its key, and a key its certificate")
        return self
