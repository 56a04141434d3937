"""Connecting consumers to Kafka, and the error that the rest of the platform sees."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable, Sequence
from contextlib import asynccontextmanager

import structlog

from mlplace_runtime.bus.kafka.client import Consumer, KafkaError, TopicPartition, new_consumer
from mlplace_runtime.bus.kafka.settings import KafkaSettings
from mlplace_runtime.bus.port import RecordsRefusedError

log = structlog.get_logger(__name__)

_CONNECT_SECONDS = 30.0
_STOP_SECONDS = 10.0


class KafkaUnavailableError(ConnectionError):
    """The brokers are unreachable or refused. The operation may have happened: retry it."""


@asynccontextmanager
async def translated(doing: str) -> AsyncGenerator[None]:
    """Turns errors and timeouts of the client into KafkaUnavailableError."""
    try:
        yield
    except (KafkaUnavailableError, RecordsRefusedError):
        raise
    except (KafkaError, OSError, TimeoutError) as error:
        raise KafkaUnavailableError(f"cannot {doing}: {error!r}") from error


class Connection:
    """Opens the consumer of one subscription, again after each time it was dropped."""

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
        consumer = new_consumer(self._settings, self._names, group=group, revoked=revoked)
        try:
            async with translated("subscribe"), asyncio.timeout(_CONNECT_SECONDS):
                await consumer.start()
        except BaseException:
            await stop(consumer)
            raise
        return consumer

    async def end_offsets(self, consumer: Consumer) -> dict[TopicPartition, int]:
        """Returns the current end of the log for each partition. Raises KafkaUnavailableError."""
        partitions = [
            TopicPartition(name, number) for name in self._names for number in consumer.partitions_for_topic(name) or ()
        ]
        async with translated("look up the end of the log"), asyncio.timeout(_CONNECT_SECONDS):
            return await consumer.end_offsets(partitions)


async def stop(consumer: Consumer) -> None:
    """Leaves the group, so that other members take over at once. Does not wait long for unreachable brokers."""
    try:
        async with asyncio.timeout(_STOP_SECONDS):
            await consumer.stop()
    except Exception as error:  # noqa: BLE001  the consumer is discarded, whatever state it was in
        log.warning("kafka_consumer_not_stopped", error=repr(error))
