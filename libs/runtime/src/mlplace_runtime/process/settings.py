"""Settings that every process of the distributed shape has."""

from pathlib import Path
from typing import Self

from pydantic import Field, HttpUrl, SecretStr, field_validator, model_validator

from mlplace_runtime.objectstore import S3Settings
from mlplace_runtime.process.http.limits import HttpEnvironment
from mlplace_runtime.process.kafka_environment import KafkaEnvironment

SERVICES = ("accountsadmin", "mlpcore", "mlpgateway", "mlpbilling")
_KEY_BYTES = 32
_MEBIBYTE = 1024 * 1024


class ProcessSettings(KafkaEnvironment, HttpEnvironment):
    """Environment variables `MLP_*`; the three secrets are the same in all processes of an installation.

    `hash_secret` and `envelope_key` are hexadecimal, 32 bytes. `bus` is `kafka://host:port,host:port` or the path of a
    file, for services that run alone. `secure_cookies` needs HTTPS at the edge. `trusted_proxies` are the addresses
    that may say who calls, comma-separated; `*` where only the edge can reach the service.
    """

    internal_token: SecretStr = Field(min_length=_KEY_BYTES)
    """Proves to a service that another service calls; at least 32 characters, the same in all processes."""
    internal_token_also: SecretStr | None = None
    """Accepted as well, while the processes change over from one token to the next."""
    hash_secret: SecretStr
    """Keys, sessions and tokens are stored as hashes under it; 64 hexadecimal digits, the same in all processes."""
    envelope_key: SecretStr
    """Seals what is stored and must be shown again; 64 hexadecimal digits, the same in all processes."""
    envelope_key_previous: SecretStr | None = None
    """What was sealed under this one can still be opened."""
    bus: str
    """`kafka://host:port,host:port`, or the path of a file for a service that runs alone."""
    redis_url: SecretStr | None = None
    """`redis://...`, with its password, where gates share their limits; without it each process counts alone."""
    s3_endpoint: str | None = None
    """URL of the object store, without the bucket; without it objects are files in the folder `objects` of the data
    folder, which then all processes have to share."""
    s3_bucket: str = "mlplace"
    """Where the objects are."""
    s3_access_key: str = ""
    """Who signs in to the object store."""
    s3_secret_key: SecretStr = SecretStr("")
    """With which secret."""
    s3_region: str = "us-east-1"
    """For stores that have regions."""
    accountsadmin_url: HttpUrl = HttpUrl("http://accountsadmin:8080")
    """Where the other services find accountsadmin."""
    mlpcore_url: HttpUrl = HttpUrl("http://mlpcore:8080")
    """Where they find mlpcore."""
    mlpgateway_url: HttpUrl = HttpUrl("http://mlpgateway:8080")
    """Where they find mlpgateway."""
    mlpbilling_url: HttpUrl = HttpUrl("http://mlpbilling:8080")
    """Where they find mlpbilling."""
    host: str = "0.0.0.0"
    """Address to listen on."""
    port: int = Field(default=8080, ge=0, le=65535)
    """Port of HTTP: the API, `/internal`, health and metrics."""
    trusted_proxies: str = "127.0.0.1"
    """Addresses that may say who calls, comma-separated; `*` where only the edge reaches the service."""
    secure_cookies: bool = True
    """Cookies for HTTPS only. `false` while the edge speaks plain HTTP."""
    data_dir: Path = Path("/tmp/mlplace")  # noqa: S108  holds nothing that must survive a process
    """Folder for what need not survive the process."""
    disk_soft_floor_bytes: int = Field(default=1024 * _MEBIBYTE, ge=0)
    """With less free where the process writes, it begins to go without: first the archive, then what accounts store.
    On a small file system it is a tenth of that."""
    disk_hard_floor_bytes: int = Field(default=256 * _MEBIBYTE, ge=0)
    """With less free calls are refused, so that what they used can always be written down. On a small
    file system it is a fortieth of that."""
    log_level: str = "INFO"
    """`DEBUG`, `INFO`, `WARNING` or `ERROR`."""
    otlp_endpoint: str | None = None
    """URL of a collector that takes traces by OTLP over HTTP, as `http://collector:4318/v1/traces`; none are sent
    without it."""
    trace_sample_ratio: float = Field(default=1.0, ge=0, le=1)
    """The part of traces that begin here and are recorded, from 0 to 1."""

    @field_validator(
        "otlp_endpoint", "redis_url", "s3_endpoint", "internal_token_also", "envelope_key_previous", mode="before"
    )
    @classmethod
    def _empty_is_none(cls, value: object) -> object:
        return value or None

    @model_validator(mode="after")
    def _keys_have_their_length(self) -> Self:
        _key("hash_secret", self.hash_secret)
        _key("envelope_key", self.envelope_key)
        if self.envelope_key_previous:
            _key("envelope_key_previous", self.envelope_key_previous)
        if self.internal_token_also and len(self.internal_token_also.get_secret_value()) < _KEY_BYTES:
            raise ValueError(f"MLP_INTERNAL_TOKEN_ALSO must have {_KEY_BYTES} characters at least")
        return self

    @property
    def addresses(self) -> dict[str, str]:
        """Where each service is, by its name."""
        return {name: str(getattr(self, f"{name}_url")) for name in SERVICES}

    @property
    def s3(self) -> S3Settings | None:
        if self.s3_endpoint is None:
            return None
        secret = self.s3_secret_key.get_secret_value()
        return S3Settings(self.s3_bucket, self.s3_endpoint, self.s3_access_key, secret, self.s3_region)

    @property
    def hash_key(self) -> bytes:
        return _key("hash_secret", self.hash_secret)

    @property
    def sealing_key(self) -> bytes:
        return _key("envelope_key", self.envelope_key)

    @property
    def older_sealing_keys(self) -> tuple[bytes, ...]:
        return (_key("envelope_key_previous", self.envelope_key_previous),) if self.envelope_key_previous else ()

    @property
    def also_internal_tokens(self) -> tuple[str, ...]:
        return (self.internal_token_also.get_secret_value(),) if self.internal_token_also else ()


def _key(name: str, secret: SecretStr) -> bytes:
    try:
        key = bytes.fromhex(secret.get_secret_value())
    except ValueError:
        key = b""
    if len(key) != _KEY_BYTES:
        raise ValueError(f"MLP_{name.upper()} must be {_KEY_BYTES * 2} hexadecimal digits")
    return key
