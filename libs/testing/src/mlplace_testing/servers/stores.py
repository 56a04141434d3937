"""Fixtures for Kafka and S3: one server of each per test process; tests share no data on them.

Uses a container if a Docker engine answers and has the image. Otherwise MLP_TEST_KAFKA (host:port) and MLP_TEST_S3 (a
URL with access key and secret as user and password) name running servers. Without these the tests are skipped.
"""

from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field, replace
from itertools import count
from urllib.parse import urlsplit
from uuid import uuid4

import pytest
from testcontainers.core.container import DockerContainer

from mlplace_contracts.topics import TOPICS
from mlplace_runtime.bus.kafka.bus import KafkaSettings
from mlplace_runtime.bus.kafka.client import Admin, KafkaError
from mlplace_runtime.objectstore import S3Settings, ensure_bucket
from mlplace_testing.certificates import Certificate, certificate_for
from mlplace_testing.ports import free_port
from mlplace_testing.servers.containers import NoServerError, OwnServer, address_or_skip, answers, running

KAFKA_IMAGE = "apache/kafka:4.1.0"
S3_IMAGE = "versity/versitygw:v1.8.0"

_run = uuid4().hex[:8]
_numbers = count(1)
_KAFKA_PORT = 9094
_SECURE_KAFKA_PORT = 9095
_FAR_KAFKA_PORT = 9096
_S3_PORT = 7070
_KEY = "test-key"
_SECRET = "test-secret-of-no-worth"  # pragma: allowlist secret


@dataclass(frozen=True, slots=True)
class SecureKafka:
    """A TLS listener of the same broker with PLAIN sign-in. `authority` is PEM."""

    address: str
    authority: str
    user: str = "test-user"
    password: str = _SECRET


@dataclass(frozen=True, slots=True)
class FarKafka:
    """A listener of the same broker that advertises `address`. A test puts a proxy there, in front of `leads_to`."""

    address: tuple[str, int]
    leads_to: tuple[str, int]


@dataclass(frozen=True, slots=True)
class KafkaServer(OwnServer):
    address: str
    secure: SecureKafka | None = None
    far: FarKafka | None = None

    async def ready(self) -> None:
        async def probe() -> None:
            async with Admin(KafkaSettings((self.address,))) as admin:
                await admin.ping()

        await answers(probe, KafkaError, OSError, seconds=100)


@pytest.fixture(scope="session")
async def kafka_server() -> AsyncGenerator[KafkaServer]:
    async with AsyncExitStack() as stack:
        try:
            server = await stack.enter_async_context(_kafka_container())
        except NoServerError as reason:
            server = KafkaServer(address_or_skip("MLP_TEST_KAFKA", reason))
        yield server


@asynccontextmanager
async def _kafka_container() -> AsyncGenerator[KafkaServer]:
    ports, certificate = _KafkaPorts(), certificate_for("127.0.0.1")
    secure = SecureKafka(f"127.0.0.1:{ports.secure}", certificate.certificate)
    far = FarKafka(("127.0.0.1", ports.proxy), ("127.0.0.1", ports.far))
    async with running(lambda: _kafka(ports, certificate)) as container:
        server = KafkaServer(f"127.0.0.1:{ports.plain}", secure, far, container=container)
        await server.ready()
        yield server


@dataclass(frozen=True, slots=True)
class _KafkaPorts:
    """Ports of this host. `proxy` stays free until a test listens there."""

    plain: int = field(default_factory=free_port)
    secure: int = field(default_factory=free_port)
    far: int = field(default_factory=free_port)
    proxy: int = field(default_factory=free_port)


def _kafka(ports: _KafkaPorts, certificate: Certificate) -> DockerContainer:
    """A broker with its own controller; all default delays are shortened."""
    return (
        DockerContainer(KAFKA_IMAGE)
        .with_bind_ports(_KAFKA_PORT, ports.plain)
        .with_bind_ports(_SECURE_KAFKA_PORT, ports.secure)
        .with_bind_ports(_FAR_KAFKA_PORT, ports.far)
        .with_envs(**_secure_listener(certificate))
        .with_envs(
            KAFKA_NODE_ID="1",
            KAFKA_PROCESS_ROLES="broker,controller",
            KAFKA_CONTROLLER_QUORUM_VOTERS="1@localhost:9093",
            KAFKA_CONTROLLER_LISTENER_NAMES="CONTROLLER",
            KAFKA_LISTENERS=(
                f"CONTROLLER://localhost:9093,PLAINTEXT://0.0.0.0:{_KAFKA_PORT},"
                f"SECURE://0.0.0.0:{_SECURE_KAFKA_PORT},FAR://0.0.0.0:{_FAR_KAFKA_PORT}"
            ),
            KAFKA_ADVERTISED_LISTENERS=(
                f"PLAINTEXT://127.0.0.1:{ports.plain},SECURE://127.0.0.1:{ports.secure},FAR://127.0.0.1:{ports.proxy}"
            ),
            KAFKA_LISTENER_SECURITY_PROTOCOL_MAP=(
                "CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT,SECURE:SASL_SSL,FAR:PLAINTEXT"
            ),
            KAFKA_AUTO_CREATE_TOPICS_ENABLE="false",
            KAFKA_OFFSETS_TOPIC_REPLICATION_FACTOR="1",
            KAFKA_OFFSETS_TOPIC_NUM_PARTITIONS="3",
            KAFKA_GROUP_INITIAL_REBALANCE_DELAY_MS="0",
            KAFKA_LOG_CLEANER_BACKOFF_MS="200",
            KAFKA_BROKER_SESSION_TIMEOUT_MS="3000",  # time after which a killed broker may come back
            KAFKA_BROKER_HEARTBEAT_INTERVAL_MS="500",
            KAFKA_HEAP_OPTS="-Xms256m -Xmx512m",
            KAFKA_JVM_PERFORMANCE_OPTS="-server -XX:+UseSerialGC -XX:TieredStopAtLevel=1",
        )
    )


def _secure_listener(certificate: Certificate) -> dict[str, str]:
    """Escapes line breaks, because the broker reads its settings from a properties file."""
    login = SecureKafka("", "")
    module = "org.apache.kafka.common.security.plain.PlainLoginModule"
    return {
        "KAFKA_SSL_KEYSTORE_TYPE": "PEM",
        "KAFKA_SSL_KEYSTORE_KEY": certificate.key.replace("\n", "\\n"),
        "KAFKA_SSL_KEYSTORE_CERTIFICATE_CHAIN": certificate.certificate.replace("\n", "\\n"),
        "KAFKA_SASL_ENABLED_MECHANISMS": "PLAIN",
        "KAFKA_LISTENER_NAME_SECURE_PLAIN_SASL_JAAS_CONFIG": f'{module} required user_{login.user}="{login.password}";',
    }


@pytest.fixture
async def kafka_settings(kafka_server: KafkaServer) -> AsyncGenerator[KafkaSettings]:
    """Settings with a prefix for this test's topics and groups; the topics are deleted after it."""
    prefix = f"t{_run}-{next(_numbers)}."
    yield KafkaSettings((kafka_server.address,), topic_prefix=prefix)
    async with Admin(KafkaSettings((kafka_server.address,))) as admin:
        made = set(await admin.partitions()) & {prefix + topic.name for topic in TOPICS}
        if made:
            await admin.delete(sorted(made))


@pytest.fixture(scope="session")
async def _s3_server() -> AsyncGenerator[S3Settings]:
    async with AsyncExitStack() as stack:
        try:
            settings = await stack.enter_async_context(_s3_container())
        except NoServerError as reason:
            url = urlsplit(address_or_skip("MLP_TEST_S3", reason))
            address = f"{url.scheme}://{url.hostname}:{url.port}"
            settings = S3Settings("probe", address, url.username or "", url.password or "")
        yield settings


@asynccontextmanager
async def _s3_container() -> AsyncGenerator[S3Settings]:
    async with running(_s3) as container:
        address = f"http://127.0.0.1:{container.get_exposed_port(_S3_PORT)}"
        settings = S3Settings("probe", address, _KEY, _SECRET)
        await answers(lambda: ensure_bucket(settings), ConnectionError)
        yield settings


def _s3() -> DockerContainer:
    return (
        DockerContainer(S3_IMAGE, command="posix /tmp")
        .with_exposed_ports(_S3_PORT)
        .with_envs(ROOT_ACCESS_KEY=_KEY, ROOT_SECRET_KEY=_SECRET)
    )


@pytest.fixture
async def s3_settings(_s3_server: S3Settings) -> S3Settings:
    """Settings with a new bucket."""
    settings = replace(_s3_server, bucket=f"t{_run}-{next(_numbers)}")
    await ensure_bucket(settings)
    return settings
