"""Settings for connecting to a Kafka cluster and creating topics in it."""

import ssl
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from pydantic import SecretStr

SaslMechanism = Literal["PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512"]

_BATCH_OVERHEAD_BYTES = 4_096  # of one record and its batch; leaves room for an installation's topic prefix


@dataclass(frozen=True, slots=True)
class KafkaTls:
    """`authorities` is a PEM file; None trusts the system's authorities. The other two are the client's certificate."""

    authorities: Path | None = None
    certificate: Path | None = None
    key: Path | None = None

    def context(self) -> ssl.SSLContext:
        """Returns a context that checks the broker's name. Raises OSError (ssl.SSLError is one) for a bad file."""
        context = ssl.create_default_context(cafile=self.authorities)
        if self.certificate:
            context.load_cert_chain(self.certificate, self.key)
        return context


@dataclass(frozen=True, slots=True)
class KafkaLogin:
    mechanism: SaslMechanism
    user: str
    password: SecretStr


@dataclass(frozen=True, slots=True)
class KafkaSettings:
    """`servers` are `host:port`. `topic_prefix` also precedes group names, so that installations can share a cluster.

    `topic_config` adds settings to each created topic, such as `min.insync.replicas`. `publish_seconds` is how long a
    publisher waits for brokers. An event whose key and value together exceed `max_event_bytes` is refused; topics and
    readers are configured for this size.
    """

    servers: tuple[str, ...]
    client_id: str = "mlplace"
    topic_prefix: str = ""
    replication_factor: int = 1
    topic_config: Mapping[str, str] = field(default_factory=dict[str, str])
    publish_seconds: float = 15.0
    max_event_bytes: int = 1_000_000
    tls: KafkaTls | None = None
    login: KafkaLogin | None = None

    @property
    def max_batch_bytes(self) -> int:
        """The largest batch on the wire and in a topic: one event of maximum size with its overhead."""
        return self.max_event_bytes + _BATCH_OVERHEAD_BYTES

    @property
    def security_protocol(self) -> str:
        return f"{'SASL_' if self.login else ''}{'SSL' if self.tls else 'PLAINTEXT'}"

    def wire_name(self, name: str) -> str:
        return self.topic_prefix + name

    def own_name(self, wire_name: str) -> str:
        return wire_name.removeprefix(self.topic_prefix)
