"""Environment variables that the platform sets for an instance."""

import json
import os
import socket
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from mlplace.errors import SettingsError

Milliseconds = Annotated[int, Field(ge=0)]
_ASKS_SHELL = "$(hostname)"
"""What the platform tells as the host name, for a shell to replace. A file of variables keeps it as it is."""


class Settings(BaseModel):
    """Environment of an instance or a caller; an empty variable counts as not set."""

    model_config = ConfigDict(frozen=True, populate_by_name=True, extra="ignore")

    account_id: str = Field(default="", validation_alias="MLP_ACCOUNT_ID")
    model_id: str = Field(default="", validation_alias="MLP_MODEL_ID")
    model_name: str = Field(default="", validation_alias="MLP_MODEL_NAME")
    instance_id: str = Field(default="", validation_alias="MLP_INSTANCE_ID")
    hostname: str = Field(default="", validation_alias="HOSTNAME")
    image_name: str = Field(default="", validation_alias="IMAGE_NAME")
    service_token: str = Field(default="", validation_alias="MLP_SERVICE_TOKEN", repr=False)
    service_config: str = Field(default="{}", validation_alias="SERVICE_CONFIG", repr=False)

    grpc_host: str = Field(default="", validation_alias="MLP_GRPC_HOST")
    grpc_hosts: str = Field(default="", validation_alias="MLP_GRPC_HOSTS")
    grpc_secure: bool = Field(default=True, validation_alias="MLP_GRPC_SECURE")
    grpc_ca_file: Path | None = Field(default=None, validation_alias="GRPC_SSL_CA_FILE_PATH")
    grpc_connect_timeout_ms: Milliseconds = Field(default=10_000, validation_alias="MLP_GRPC_CONNECT_TIMEOUT_MS")

    rest_url: str = Field(default="", validation_alias="MLP_REST_URL")
    client_token: str = Field(default="", validation_alias="MLP_CLIENT_TOKEN", repr=False)
    billing_token: str = Field(default="", validation_alias="MLP_BILLING_TOKEN", repr=False)
    client_predict_timeout_ms: Milliseconds = Field(default=60_000, validation_alias="MLP_CLIENT_PREDICT_TIMEOUT_MS")

    storage_type: str = Field(default="", validation_alias="MLP_STORAGE_TYPE")
    storage_dir: str = Field(default="", validation_alias="MLP_STORAGE_DIR")
    s3_endpoint: str = Field(default="", validation_alias="MLP_S3_ENDPOINT")
    s3_region: str = Field(default="", validation_alias="MLP_S3_REGION")
    s3_bucket: str = Field(default="", validation_alias="MLP_S3_BUCKET")
    s3_access_key: str = Field(default="", validation_alias="MLP_S3_ACCESS_KEY", repr=False)
    s3_secret_key: str = Field(default="", validation_alias="MLP_S3_SECRET_KEY", repr=False)
    files_endpoint: str = Field(default="", validation_alias="MLP_FILES_ENDPOINT")
    files_mount_path: str = Field(default="", validation_alias="MLP_FILES_MOUNT_PATH")
    files_backend_name: str = Field(default="", validation_alias="MLP_FILES_BACKEND_NAME")

    thread_pool_size: int = Field(default=10, ge=1, validation_alias="MLP_THREAD_POOL_SIZE")
    graceful_shutdown_ms: Milliseconds = Field(default=20_000, validation_alias="MLP_GRACEFUL_SHUTDOWN_CONNECTOR_MS")
    startup_probe_file: Path = Field(default=Path("/tmp/startup-probe"), validation_alias="MLP_STARTUP_PROBE_FILE")  # noqa: S108 - protocol
    liveness_probe_file: Path = Field(default=Path("/tmp/liveness-probe"), validation_alias="MLP_LIVENESS_PROBE_FILE")  # noqa: S108 - same

    # Empty: warnings of all loggers, and this package's information about its connections.
    log_level: str = Field(default="", validation_alias="MLP_LOG_LEVEL")
    log_no_console: bool = Field(default=False, validation_alias="MLP_LOG_NO_CONSOLE")
    log_no_gelf: bool = Field(default=False, validation_alias="MLP_LOG_NO_GELF")
    graylog_server: str = Field(default="", validation_alias="MLP_GRAYLOG_SERVER")
    graylog_port: int = Field(default=12201, validation_alias="MLP_GRAYLOG_PORT")
    graylog_env: str = Field(default="", validation_alias="MLP_GRAYLOG_ENV")

    @field_validator("hostname")
    @classmethod
    def _name_of_host(cls, value: str) -> str:
        return socket.gethostname() if value == _ASKS_SHELL else value

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] | None = None) -> Self:
        """Reads the variables; MLP_ENV_FILE is a YAML mapping of those that the environment does not set.

        Raises ``SettingsError``, which names each variable with an invalid value.
        """
        given = {name: value for name, value in (environment or os.environ).items() if value}
        values = _read_config_file(given.get("MLP_ENV_FILE")) | given
        try:
            return cls.model_validate(values)
        except ValidationError as error:
            findings = [f"{'.'.join(map(str, finding['loc']))}: {finding['msg']}" for finding in error.errors()]
            raise SettingsError("; ".join(findings)) from None

    @property
    def gate_addresses(self) -> tuple[str, ...]:
        """The initial gate addresses, without duplicates, in the given order."""
        listed = (self.grpc_hosts or self.grpc_host).split(",")
        return tuple(dict.fromkeys(address.strip() for address in listed if address.strip()))

    def require_serving(self) -> None:
        """Raises ``SettingsError`` unless a gate address and a token are set."""
        if not self.gate_addresses:
            raise SettingsError("MLP_GRPC_HOSTS is not set: it lists the gates to connect to, as host:port,host:port")
        if not self.service_token:
            raise SettingsError("MLP_SERVICE_TOKEN is not set: the platform shows it with the external instance")

    def parsed_service_config(self) -> dict[str, Any]:
        try:
            parsed = json.loads(self.service_config)
        except ValueError as error:
            raise SettingsError(f"SERVICE_CONFIG is not JSON: {error}") from None
        if not isinstance(parsed, dict):
            raise SettingsError("SERVICE_CONFIG is not a JSON object")
        return parsed  # pyright: ignore[reportUnknownVariableType] - keys of a JSON object are texts


def _read_config_file(path: str | None) -> dict[str, str]:
    if path is None:
        return {}
    import yaml  # few instances have such a file, and each loads faster without

    try:
        parsed: object = yaml.safe_load(Path(path).read_text(encoding="utf-8"))
    except (OSError, ValueError, yaml.YAMLError) as error:
        raise SettingsError(f"MLP_ENV_FILE {path} cannot be read: {error}") from None
    if not isinstance(parsed, dict):
        raise SettingsError(f"MLP_ENV_FILE {path} is not a mapping of variables")
    pairs: dict[object, object] = parsed  # pyright: ignore[reportUnknownVariableType] - narrowed by isinstance
    return {str(name): value if isinstance(value, str) else json.dumps(value) for name, value in pairs.items()}
