"""Settings of every process of the distributed shape."""

from pathlib import Path
from typing import Self

from pydantic import Field, HttpUrl, SecretStr, field_validator, model_validator

from mlplace_runtime.objectstore import S3Settings
from mlplace_runtime.process import SERVICES
from mlplace_runtime.process.http.limits import HttpEnvironment
from mlplace_runtime.process.kafka_environment import KafkaEnvironment
from mlplace_runtime.process.trusted_proxies import ProxyList

_KEY_BYTES = 32
_MEBIBYTE = 1024 * 1024


class ProcessSettings(KafkaEnvironment, HttpEnvironment):
    """Environment variables `MLP_*`; the three secrets are the same in all processes of an installation.

    `hash_secret` and `envelope_key` are 32 bytes in hexadecimal. `bus` is `kafka://host:port,host:port`, or the path of
    a file for a service that runs alone. `secure_cookies` needs HTTPS at the edge.
    """

    internal_token: SecretStr = Field(min_length=_KEY_BYTES)
    """Authenticates calls between services; at least 32 characters, the same in all processes."""
    internal_token_also: SecretStr | None = None
    """A second accepted token, while the processes change from one token to the next."""
    metrics_token: SecretStr | None = None
    """Bearer token for `/metrics/detailed`, at least 32 characters; without it there are no detailed metrics."""
    hash_secret: SecretStr
    """Key of the hashes of keys, sessions and tokens; 64 hexadecimal digits, the same in all processes."""
    envelope_key: SecretStr
    """Encrypts stored secrets that must be shown again; 64 hexadecimal digits, the same in all processes."""
    envelope_key_previous: SecretStr | None = None
    """The previous envelope key. Opens what it has encrypted, until the command `reseal` has encrypted that again."""
    bus: str
    """`kafka://host:port,host:port`, or the path of a file for a service that runs alone."""
    redis_url: SecretStr | None = None
    """`redis://...` with its password, for limits that all gates share; without it each process counts alone."""
    s3_endpoint: str | None = None
    """URL of the object store, without the bucket.

    Without it objects are files in the folder `objects` of the data folder, which all processes then have to share.
    """
    s3_bucket: str = "mlplace"
    """Bucket of the objects."""
    s3_access_key: str = ""
    """Access key of the object store."""
    s3_secret_key: SecretStr = SecretStr("")
    """Secret key of the object store."""
    s3_region: str = "us-east-1"
    """Region, for stores that have regions."""
    accountsadmin_url: HttpUrl = HttpUrl("http://accountsadmin:8080")
    """URL at which the other services reach accountsadmin."""
    mlpcore_url: HttpUrl = HttpUrl("http://mlpcore:8080")
    """URL at which they reach mlpcore."""
    mlpgateway_url: HttpUrl = HttpUrl("http://mlpgateway:8080")
    """URL at which they reach mlpgateway."""
    mlpbilling_url: HttpUrl = HttpUrl("http://mlpbilling:8080")
    """URL at which they reach mlpbilling."""
    host: str = "0.0.0.0"
    """Address to listen on."""
    port: int = Field(default=8080, ge=0, le=65535)
    """Port of HTTP: the API, `/internal`, health and metrics."""
    trusted_proxies: ProxyList = ""
    """Comma-separated addresses, networks and host names of the edge, whose X-Forwarded-For is believed; `*` if only it
    reaches the service. Without it, callers are the peers of connections."""
    secure_cookies: bool = True
    """Cookies for HTTPS only. Set `false` while the edge speaks plain HTTP."""
    data_dir: Path = Path("/tmp/mlplace")  # noqa: S108  holds nothing that must survive a process
    """Folder for files that need not survive the process."""
    disk_soft_floor_bytes: int = Field(default=1024 * _MEBIBYTE, ge=0)
    """Below this much free space the process begins to stop functions: first the archive, then storing data of
    accounts. At most a tenth of the file system.
    """
    disk_hard_floor_bytes: int = Field(default=256 * _MEBIBYTE, ge=0)
    """Below this much free space calls are refused, so that usage can always be recorded.

    At most a fortieth of the file system.
    """
    log_level: str = "INFO"
    """`DEBUG`, `INFO`, `WARNING` or `ERROR`."""
    otlp_endpoint: str | None = None
    """URL of a collector that takes traces by OTLP over HTTP, such as `http://collector:4318/v1/traces`; without it no
    traces are sent.
    """
    trace_sample_ratio: float = Field(default=1.0, ge=0, le=1)
    """Share of the traces beginning here that are recorded, from 0 to 1."""

    @field_validator(
        "otlp_endpoint",
        "redis_url",
        "s3_endpoint",
        "internal_token_also",
        "metrics_token",
        "envelope_key_previous",
        mode="before",
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
        for name in ("internal_token_also", "metrics_token"):
            token: SecretStr | None = getattr(self, name)
            if token and len(token.get_secret_value()) < _KEY_BYTES:
                raise ValueError(f"MLP_{name.upper()} must have {_KEY_BYTES} characters at least")
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
