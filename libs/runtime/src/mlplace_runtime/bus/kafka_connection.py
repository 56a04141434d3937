"""How a process talks to Kafka: settings, the error that the rest of the platform sees, connecting a consumer."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import structlog

from mlplace_runtime.bus.kafka_client import Consumer, KafkaError, TopicPartition, new_consumer

log = structlog.get_logger(__name__)

_CONNECT_SECONDS = 30.0
_STOP_SECONDS = 10.0


class KafkaUnavailableError(ConnectionError):
    """The brokers are away or refused. What was asked for may have happened: ask again."""


@dataclass(frozen=True, slots=True)
class KafkaSettings:
    """`servers` are `host:port`. `topic_prefix` also precedes group names, so that installations can share a cluster.

    `topic_config` is added to what is declared of each topic that is created, such as `min.insync.replicas`.
    `publish_seconds` bounds how long a publisher waits for brokers that do not answer.
    """

    servers: tuple[str, ...]
    client_id: str = "mlplace"
    topic_prefix: str = ""
    replication_factor: int = 1
    topic_config: Mapping[str, str] = field(default_factory=dict[str, str])
    publish_seconds: float = 15.0

    def wire_name(self, name: str) -> str:
        return self.topic_prefix + name

    def own_name(self, wire_name: str) -> str:
        return wire_name.removeprefix(self.topic_prefix)


@asynccontextmanager
async def translated(doing: str) -> AsyncGenerator[None]:
    """Failures of the client, and its silence, become KafkaUnavailableError."""
    try:
        yield
    except KafkaUnavailableError:
        raise
    except (KafkaError, OSError, TimeoutError) as error:
        raise KafkaUnavailableError(f"cannot {doing}: {error!r}") from error


class Connection:
    """Makes the consumer of one subscription, and makes another one after it was dropped."""

    def __init__(
        self,
        settings: KafkaSettings,
        names: Sequence[str],
        *,
        group: str | None,
        prepare: Callable[[], Awaitable[None]],
    ) -> None:
        self._settings = settings
        self._names = [settings.wire_name(name) for name in sorted(names)]
        self._prepare = prepare
        self.group = group

    def own_name(self, wire_name: str) -> str:
        return self._settings.own_name(wire_name)

    async def open(self, revoked: Callable[[Iterable[TopicPartition]], None]) -> Consumer:
        """Returns once partitions are assigned. Raises KafkaUnavailableError."""
        await self._prepare()
        group = self._settings.wire_name(self.group) if self.group else None
        client_id = self._settings.client_id
        consumer = new_consumer(self._settings.servers, self._names, client_id=client_id, group=group, revoked=revoked)
        try:
            async with translated("subscribe"), asyncio.timeout(_CONNECT_SECONDS):
                await consumer.start()
        except BaseException:
            await stop(consumer)
            raise
        return consumer

    async def end_offsets(self, consumer: Consumer) -> dict[TopicPartition, int]:
        """Where the log of each partition ends now. Raises KafkaUnavailableError."""
        partitions = [
            TopicPartition(name, number) for name in self._names for number in consumer.partitions_for_topic(name) or ()
        ]
        async with translated("look up the end of the log"), asyncio.timeout(_CONNECT_SECONDS):
            return await consumer.end_offsets(partitions)


async def stop(consumer: Consumer) -> None:
    """Leaves the group, so that the others take over at once. Brokers that are away are not waited for."""
    try:
        async with asyncio.timeout(_STOP_SECONDS):
            await consumer.stop()
    except Exception as error:  # noqa: BLE001  the consumer is given up, whatever state it was in
        log.warning("kafka_consumer_not_stopped", error=repr(error))
