"""Settings that every process of the distributed shape has."""

from pathlib import Path
from typing import Self

from pydantic import Field, HttpUrl, SecretStr, field_validator, model_validator

from mlplace_kit.settings import Settings

SERVICES = ("accountsadmin", "mlpcore", "mlpgateway", "mlpbilling")
_KEY_BYTES = 32


class ProcessSettings(Settings):
    """Environment variables `MLP_*`; the three secrets are the same in all processes of an installation.

    `hash_secret` and `envelope_key` are hexadecimal, 32 bytes. `bus` is `kafka://host:port,host:port` or the path of a
    file, for services that run alone. `secure_cookies` needs HTTPS at the edge. `trusted_proxies` are the addresses
    that may say who calls, comma-separated; `*` where only the edge can reach the service.
    """

    internal_token: SecretStr = Field(min_length=_KEY_BYTES)
    hash_secret: SecretStr
    envelope_key: SecretStr
    bus: str
    kafka_topic_prefix: str = ""
    kafka_replication_factor: int = Field(default=1, ge=1)
    accountsadmin_url: HttpUrl = HttpUrl("http://accountsadmin:8080")
    mlpcore_url: HttpUrl = HttpUrl("http://mlpcore:8080")
    mlpgateway_url: HttpUrl = HttpUrl("http://mlpgateway:8080")
    mlpbilling_url: HttpUrl = HttpUrl("http://mlpbilling:8080")
    host: str = "0.0.0.0"
    port: int = Field(default=8080, ge=0, le=65535)
    trusted_proxies: str = "127.0.0.1"
    secure_cookies: bool = True
    data_dir: Path = Path("/tmp/mlplace")  # noqa: S108  holds nothing that must survive a process
    log_level: str = "INFO"
    otlp_endpoint: str | None = None
    trace_sample_ratio: float = Field(default=1.0, ge=0, le=1)

    @field_validator("otlp_endpoint", mode="before")
    @classmethod
    def _empty_is_none(cls, value: object) -> object:
        return value or None

    @model_validator(mode="after")
    def _keys_have_their_length(self) -> Self:
        _key("hash_secret", self.hash_secret)
        _key("envelope_key", self.envelope_key)
        return self

    @property
    def addresses(self) -> dict[str, str]:
        """Where each service is, by its name."""
        return {name: str(getattr(self, f"{name}_url")) for name in SERVICES}

    @property
    def hash_key(self) -> bytes:
        return _key("hash_secret", self.hash_secret)

    @property
    def sealing_key(self) -> bytes:
        return _key("envelope_key", self.envelope_key)


def _key(name: str, secret: SecretStr) -> bytes:
    try:
        key = bytes.fromhex(secret.get_secret_value())
    except ValueError:
        key = b""
    if len(key) != _KEY_BYTES:
        raise ValueError(f"MLP_{name.upper()} must be {_KEY_BYTES * 2} hexadecimal digits")
    return key
