"""Settings of mlpgateway: `MLP_MLPGATEWAY_...` for its own, `MLP_...` for those that every service has."""

from pathlib import Path
from typing import Self

from pydantic import Field, model_validator
from pydantic_settings import SettingsConfigDict

from mlplace_kit.settings import Settings

_PREFIX = "MLP_MLPGATEWAY_"
_MEBIBYTE = 1024 * 1024


class MlpgatewaySettings(Settings):
    """`owner_database_url` is for the migrations, which the composition root runs."""

    model_config = SettingsConfigDict(populate_by_name=True)

    database_url: str = Field(validation_alias=_PREFIX + "DATABASE_URL")
    owner_database_url: str = Field(default="", validation_alias=_PREFIX + "OWNER_DATABASE_URL")

    grpc_host: str = Field(default="127.0.0.1", validation_alias=_PREFIX + "GRPC_HOST")
    grpc_port: int = Field(default=8090, ge=0, le=65535, validation_alias=_PREFIX + "GRPC_PORT")
    """0 takes any free port."""
    grpc_advertised_address: str | None = Field(default=None, validation_alias=_PREFIX + "GRPC_ADVERTISED_ADDRESS")
    """`host:port` at which instances reach this gate; by default the address it listens on."""
    grpc_tls_certificate: Path | None = Field(default=None, validation_alias=_PREFIX + "GRPC_TLS_CERTIFICATE")
    grpc_tls_key: Path | None = Field(default=None, validation_alias=_PREFIX + "GRPC_TLS_KEY")
    """PEM files; plain HTTP/2 without them."""
    trusted_hops: int = Field(default=0, ge=0, validation_alias=_PREFIX + "TRUSTED_HOPS")
    """How many proxies stand in front and append to X-Forwarded-For; 0 believes no such header."""

    max_body_bytes: int = Field(default=100 * _MEBIBYTE, ge=1, validation_alias=_PREFIX + "MAX_BODY_BYTES")
    drain_seconds: float = Field(default=20.0, ge=0, validation_alias=_PREFIX + "DRAIN_SECONDS")
    """What running calls get to finish when the service stops."""

    test_form_feature_required: bool = Field(default=False, validation_alias=_PREFIX + "TEST_FORM_FEATURE_REQUIRED")
    """Whether a person who tests another account's model in the browser needs the feature `mlp.test_form`."""
    direct_unit_nano: int = Field(default=1, ge=1, le=10**9, validation_alias=_PREFIX + "DIRECT_UNIT_NANO")
    """Nano-units of money in one unit of the header Z-custom-billing of a model with the unit `direct`."""
    first_cost_nano: int = Field(default=1_000_000, ge=0, validation_alias=_PREFIX + "FIRST_COST_NANO")
    """What the first call of a model that tells its price only afterwards holds back (a thousandth of a unit)."""
    max_leased_nano: int = Field(default=100 * 10**9, ge=1, validation_alias=_PREFIX + "MAX_LEASED_NANO")
    """The most that one gate asks to hold for one payer at a time."""

    default_predict_per_sec: int = Field(default=10, ge=0, validation_alias=_PREFIX + "DEFAULT_PREDICT_PER_SEC")
    """For accounts whose limits have not been told yet."""
    start_seconds: float = Field(default=15.0, ge=0, validation_alias=_PREFIX + "START_SECONDS")
    """How long the gate waits at its start for what it has to know, before it lets instances in all the same."""

    build_number: str = Field(default="", validation_alias="MLP_BUILD_NUMBER")
    build_date: str = Field(default="", validation_alias="MLP_BUILD_DATE")
    build_branch: str = Field(default="", validation_alias="MLP_BUILD_BRANCH")

    @model_validator(mode="after")
    def _certificate_with_key(self) -> Self:
        if (self.grpc_tls_certificate is None) is not (self.grpc_tls_key is None):
            raise ValueError("a TLS certificate needs its key, and a key its certificate")
        return self
