"""What is needed to reach a Kafka cluster, and to make topics in it."""

import ssl
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from pydantic import SecretStr

SaslMechanism = Literal["PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512"]

_BATCH_OVERHEAD_BYTES = 4_096  # of a record and of the batch around it; a name of an installation's own fits in, too


@dataclass(frozen=True, slots=True)
class KafkaTls:
    """`authorities` is a PEM file; None trusts the authorities of the system. The other two prove who the client is."""

    authorities: Path | None = None
    certificate: Path | None = None
    key: Path | None = None

    def context(self) -> ssl.SSLContext:
        """Checks the broker's name. Raises OSError (ssl.SSLError is one) when a file cannot be used."""
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

    `topic_config` is added to what is declared of each topic that is created, such as `min.insync.replicas`.
    `publish_seconds` bounds how long a publisher waits for brokers that do not answer. An event whose key and value
    together are longer than `max_event_bytes` is refused; topics are made to take, and readers to fetch, what fits.
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
        """The longest batch on the wire and in a topic: one longest event with what is around it."""
        return self.max_event_bytes + _BATCH_OVERHEAD_BYTES

    @property
    def security_protocol(self) -> str:
        return f"{'SASL_' if self.login else ''}{'SSL' if self.tls else 'PLAINTEXT'}"

    def wire_name(self, name: str) -> str:
        return self.topic_prefix + name

    def own_name(self, wire_name: str) -> str:
        return wire_name.removeprefix(self.topic_prefix)
