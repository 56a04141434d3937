"""The part of aiokafka that the bus uses, with the types that the library lacks. No other module imports aiokafka."""

# aiokafka has no types, so pyright cannot know what it returns. In this file only:
# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false

import asyncio
import contextlib
import ssl
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Protocol, Self, TypedDict, cast

from aiokafka import AIOKafkaConsumer, AIOKafkaProducer
from aiokafka.abc import ConsumerRebalanceListener
from aiokafka.admin import AIOKafkaAdminClient, NewTopic
from aiokafka.admin.config_resource import ConfigResource, ConfigResourceType
from aiokafka.errors import (
    KafkaConnectionError,
    KafkaError,
    MessageSizeTooLargeError,
    NoError,
    RecordListTooLargeError,
    TopicAlreadyExistsError,
    for_code,
)
from aiokafka.structs import TopicPartition

from mlplace_runtime.bus.kafka.settings import KafkaSettings

__all__ = ["REFUSALS", "Admin", "Consumer", "Delivery", "KafkaError", "Producer", "TopicPartition", "new_consumer"]

# A group notices a dead member after the session timeout, and the other members learn of the rebalance with their next
# heartbeat, so partitions move within ten seconds. Brokers allow no session below six seconds by default.
_SESSION_MS = 8_000
_HEARTBEAT_MS = 1_000
_REQUEST_MS = 20_000  # longer than a session: joining a group waits for dead members to time out
_CLOSE_SECONDS = 5.0

REFUSALS: tuple[type[Exception], ...] = (MessageSizeTooLargeError, RecordListTooLargeError)
"""Errors with which brokers refuse a record for good."""


class _Access(TypedDict):
    bootstrap_servers: str
    client_id: str
    security_protocol: str
    ssl_context: ssl.SSLContext | None
    sasl_mechanism: str
    sasl_plain_username: str | None
    sasl_plain_password: str | None


def _access(settings: KafkaSettings) -> _Access:
    """Returns the options that every client of the library takes. Raises OSError if a certificate file is unusable."""
    login = settings.login
    return {
        "bootstrap_servers": ",".join(settings.servers),
        "client_id": settings.client_id,
        "security_protocol": settings.security_protocol,
        "ssl_context": settings.tls.context() if settings.tls else None,
        "sasl_mechanism": login.mechanism if login else "PLAIN",
        "sasl_plain_username": login.user if login else None,
        "sasl_plain_password": login.password.get_secret_value() if login else None,
    }


class ConsumedRecord(Protocol):
    key: bytes | None
    value: bytes | None
    offset: int


class Consumer(Protocol):
    async def start(self) -> None: ...

    async def stop(self) -> None: ...

    async def getmany(self, *, timeout_ms: int, max_records: int) -> dict[TopicPartition, list[ConsumedRecord]]: ...

    async def commit(self, offsets: Mapping[TopicPartition, int]) -> None: ...

    def seek(self, partition: TopicPartition, offset: int) -> None: ...

    async def position(self, partition: TopicPartition) -> int: ...

    async def end_offsets(self, partitions: Iterable[TopicPartition]) -> dict[TopicPartition, int]: ...

    def assignment(self) -> Iterable[TopicPartition]: ...

    def partitions_for_topic(self, topic: str) -> set[int] | None: ...


class _Listener(ConsumerRebalanceListener):
    def __init__(self, revoked: Callable[[Iterable[TopicPartition]], None]) -> None:
        self._revoked = revoked

    def on_partitions_revoked(self, revoked: Iterable[TopicPartition]) -> None:
        self._revoked(revoked)

    def on_partitions_assigned(self, assigned: Iterable[TopicPartition]) -> None:
        """Reading resumes at the group's commits."""


def new_consumer(
    settings: KafkaSettings,
    topics: Sequence[str],
    *,
    group: str | None,
    revoked: Callable[[Iterable[TopicPartition]], None],
) -> Consumer:
    """Returns a consumer that commits only when told to. Without a group it reads all partitions.

    Without a commit it starts at the oldest record. `revoked` is called when a rebalance begins, before another member
    gets the partitions.
    """
    consumer = AIOKafkaConsumer(
        **_access(settings),
        group_id=group,
        enable_auto_commit=False,
        auto_offset_reset="earliest",
        request_timeout_ms=_REQUEST_MS,
        session_timeout_ms=_SESSION_MS,
        heartbeat_interval_ms=_HEARTBEAT_MS,
        max_partition_fetch_bytes=settings.max_batch_bytes,
    )
    consumer.subscribe(list(topics), listener=_Listener(revoked))
    return cast("Consumer", consumer)


Delivery = asyncio.Future[object]
"""Completes when all in-sync replicas have the record, or with the error when it was refused."""


class Producer:
    """An idempotent producer: a record that was sent twice is stored once, and each key keeps its order."""

    def __init__(self, settings: KafkaSettings) -> None:
        self._producer = AIOKafkaProducer(
            **_access(settings),
            enable_idempotence=True,
            acks="all",
            max_request_size=settings.max_batch_bytes,
            request_timeout_ms=_REQUEST_MS,
        )

    async def start(self) -> None:
        try:
            await self._producer.start()
        except BaseException:
            await self._producer.stop()
            raise

    async def send(self, topic: str, *, key: bytes, value: bytes | None) -> Delivery:
        return cast("Delivery", await self._producer.send(topic, key=key, value=value))

    async def close(self) -> None:
        """Flushes. Records that cannot be flushed in time fail with KafkaError."""
        try:
            async with asyncio.timeout(_CLOSE_SECONDS):
                await self._producer.stop()
        except (KafkaError, OSError, TimeoutError):
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(_CLOSE_SECONDS):
                    await self._give_up()

    async def _give_up(self) -> None:
        # Otherwise pending records would be delivered when the brokers are back, behind newer records of their keys.
        # The library has no public way to drop pending records, hence its private attributes.
        await self._producer.client.close()
        await self._producer._sender.close()  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]  # see above
        self._producer._message_accumulator.fail_all(KafkaConnectionError("given up"))  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]  # see above


class Admin:
    """Administration of a cluster. All methods raise KafkaError."""

    def __init__(self, settings: KafkaSettings) -> None:
        self._admin = AIOKafkaAdminClient(**_access(settings), request_timeout_ms=_REQUEST_MS)

    async def __aenter__(self) -> Self:
        try:
            await self._admin.start()
        except BaseException:
            await self._admin.close()
            raise
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._admin.close()

    async def ping(self) -> None:
        await self._admin.list_topics()

    async def partitions(self) -> dict[str, int]:
        """Returns the number of partitions of each topic of the cluster."""
        return {topic["topic"]: len(topic["partitions"]) for topic in await self._admin.describe_topics()}

    async def create(self, name: str, *, partitions: int, replication_factor: int, config: Mapping[str, str]) -> None:
        """Creates a topic. Leaves an existing one unchanged: another process may have been faster."""
        topic = NewTopic(name, partitions, replication_factor, topic_configs=dict(config))
        response = (await self._admin.create_topics([topic])).to_object()
        for result in response["topic_errors"]:
            error = for_code(result["error_code"])
            if error not in {NoError, TopicAlreadyExistsError}:
                raise error(f"{name}: {result.get('error_message')}")

    async def config(self, name: str) -> dict[str, str]:
        """Returns all settings of a topic, including defaults."""
        responses = await self._admin.describe_configs([ConfigResource(ConfigResourceType.TOPIC, name)])
        entries = responses[0].to_object()["resources"][0]["config_entries"]
        return {entry["config_names"]: entry["config_value"] for entry in entries}

    async def delete(self, names: Sequence[str]) -> None:
        await self._admin.delete_topics(list(names))
