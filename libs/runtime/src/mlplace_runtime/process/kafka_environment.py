"""Settings for reaching Kafka."""

from pathlib import Path
from typing import Self

from pydantic import Field, SecretStr, field_validator, model_validator

from mlplace_kit.settings import Settings
from mlplace_runtime.bus.kafka.settings import KafkaLogin, KafkaSettings, KafkaTls, SaslMechanism


class KafkaEnvironment(Settings):
    """Environment variables `MLP_KAFKA_*`, without effect if the bus is a file.

    Topics are created with `kafka_replication_factor` copies, of which `kafka_min_insync_replicas` must be in sync
    before an event counts as published (default: that of the cluster; use 2 of 3 if the cluster may lose a broker).
    `kafka_max_event_bytes` limits one event's key and value; existing topics keep the limit with which they were
    created.

    `kafka_tls` turns on encryption. `kafka_tls_ca`, a PEM file, is the authority if the system does not know it;
    `kafka_tls_certificate` with `kafka_tls_key` is the client certificate. Set all three `kafka_sasl_*` or none.
    """

    kafka_topic_prefix: str = ""
    """Precedes the names of topics and groups, so that installations can share a cluster."""
    kafka_replication_factor: int = Field(default=1, ge=1)
    """Copies of each topic that is created."""
    kafka_min_insync_replicas: int | None = Field(default=None, ge=1)
    """Copies that must be in sync before an event counts as published; default: that of the cluster."""
    kafka_max_event_bytes: int = Field(default=1_000_000, ge=10_000, le=50_000_000)
    """Limit of one event's key and value. Existing topics keep the limit with which they were created."""
    kafka_tls: bool = False
    """Whether connections are encrypted."""
    kafka_tls_ca: Path | None = None
    """PEM file of the authority that signed the brokers' certificates, if the system does not know it."""
    kafka_tls_certificate: Path | None = None
    """PEM file of the client certificate."""
    kafka_tls_key: Path | None = None
    """PEM file of the client certificate's key."""
    kafka_sasl_mechanism: SaslMechanism | None = None
    """SASL mechanism; requires user and password."""
    kafka_sasl_user: str | None = None
    """SASL user name."""
    kafka_sasl_password: SecretStr | None = None
    """SASL password."""

    @field_validator(
        "kafka_min_insync_replicas",
        "kafka_tls_ca",
        "kafka_tls_certificate",
        "kafka_tls_key",
        "kafka_sasl_mechanism",
        "kafka_sasl_user",
        "kafka_sasl_password",
        mode="before",
    )
    @classmethod
    def _empty_means_not_given(cls, value: object) -> object:
        return value or None

    @model_validator(mode="after")
    def _kafka_settings_belong_together(self) -> Self:
        login = (self.kafka_sasl_mechanism, self.kafka_sasl_user, self.kafka_sasl_password)
        if any(login) and not all(login):
            raise ValueError(
                "MLP_KAFKA_SASL_MECHANISM, MLP_KAFKA_SASL_USER and MLP_KAFKA_SASL_PASSWORD are given together or not "
                "at all"
            )
        if bool(self.kafka_tls_certificate) != bool(self.kafka_tls_key):
            raise ValueError("MLP_KAFKA_TLS_CERTIFICATE and MLP_KAFKA_TLS_KEY are given together or not at all")
        if (self.kafka_tls_ca or self.kafka_tls_certificate) and not self.kafka_tls:
            raise ValueError(
                "MLP_KAFKA_TLS_CA, MLP_KAFKA_TLS_CERTIFICATE and MLP_KAFKA_TLS_KEY need MLP_KAFKA_TLS=true"
            )
        if (self.kafka_min_insync_replicas or 1) > self.kafka_replication_factor:
            raise ValueError("MLP_KAFKA_MIN_INSYNC_REPLICAS cannot be more than MLP_KAFKA_REPLICATION_FACTOR")
        return self

    def kafka(self, servers: tuple[str, ...], *, client_id: str) -> KafkaSettings:
        least = self.kafka_min_insync_replicas
        return KafkaSettings(
            servers=servers,
            client_id=client_id,
            topic_prefix=self.kafka_topic_prefix,
            replication_factor=self.kafka_replication_factor,
            topic_config={"min.insync.replicas": str(least)} if least else {},
            max_event_bytes=self.kafka_max_event_bytes,
            tls=self._kafka_tls(),
            login=self._kafka_login(),
        )

    def _kafka_tls(self) -> KafkaTls | None:
        if not self.kafka_tls:
            return None
        return KafkaTls(self.kafka_tls_ca, self.kafka_tls_certificate, self.kafka_tls_key)

    def _kafka_login(self) -> KafkaLogin | None:
        mechanism, user, password = self.kafka_sasl_mechanism, self.kafka_sasl_user, self.kafka_sasl_password
        return KafkaLogin(mechanism, user, password) if mechanism and user and password else None
