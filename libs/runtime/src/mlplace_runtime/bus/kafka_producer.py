"""The publishing side: one idempotent producer, whose records are either durable or raised about."""

import asyncio
from collections.abc import Sequence

from mlplace_runtime.bus.kafka_client import Delivery, Producer
from mlplace_runtime.bus.kafka_connection import KafkaSettings
from mlplace_runtime.bus.port import Record


class KafkaPublisher:
    """Keeps the order of each key, also over failures.

    An idempotent producer never gives up a record that brokers have not refused. So a `publish` that ran out of time
    leaves deliveries behind, and the next one waits for those first: were it to send at once, or through another
    producer, the late ones could land behind newer records of their key.
    """

    def __init__(self, settings: KafkaSettings) -> None:
        self._settings = settings
        self._producer: Producer | None = None
        self._unsettled: list[Delivery] = []
        self._turn = asyncio.Lock()

    async def publish(self, records: Sequence[Record]) -> None:
        """Raises KafkaError or TimeoutError."""
        async with asyncio.timeout(self._settings.publish_seconds), self._turn:
            await self._settle()
            producer = self._producer or await self._start()
            for record in records:
                name = self._settings.wire_name(record.topic)
                self._unsettled.append(await producer.send(name, key=record.key.encode(), value=record.value))
            failures = await self._settle()
            if failures:
                raise failures[0]

    async def close(self) -> None:
        await self._retire()
        for delivery in self._unsettled:
            delivery.cancel()

    async def _settle(self) -> list[BaseException]:
        """Wait for all deliveries; after a failed one the producer's numbering has a gap, and it is replaced."""
        if not self._unsettled:
            return []
        await asyncio.wait(self._unsettled)
        failures = [error for delivery in self._unsettled if (error := delivery.exception())]
        self._unsettled.clear()
        if failures:
            await self._retire()
        return failures

    async def _start(self) -> Producer:
        producer = Producer(self._settings.servers, client_id=self._settings.client_id)
        await producer.start()
        self._producer = producer
        return producer

    async def _retire(self) -> None:
        producer, self._producer = self._producer, None
        if producer:
            await producer.close()
