"""Publishing through one idempotent producer: each record is durable, or an error is raised."""

import asyncio
from collections.abc import Mapping, Sequence

from mlplace_runtime.bus.kafka.client import REFUSALS, Delivery, Producer
from mlplace_runtime.bus.kafka.settings import KafkaSettings
from mlplace_runtime.bus.port import Record, RecordsRefusedError


class KafkaPublisher:
    """Keeps the order of each key, also across failures.

    An idempotent producer never gives up a record that brokers have not refused. A `publish` that timed out therefore
    leaves deliveries pending, and the next one waits for them first. If it sent at once, or through another producer,
    the pending records could land behind newer ones of their key.
    """

    def __init__(self, settings: KafkaSettings) -> None:
        self._settings = settings
        self._producer: Producer | None = None
        self._unsettled: list[Delivery] = []
        self._turn = asyncio.Lock()

    async def publish(self, records: Sequence[Record]) -> None:
        """Raises RecordsRefusedError, KafkaError or TimeoutError."""
        self._refuse_too_large(records)
        async with asyncio.timeout(self._settings.publish_seconds), self._turn:
            await self._settle()
            producer = self._producer or await self._start()
            for record in records:
                name = self._settings.wire_name(record.topic)
                value = record.value or None  # an empty value is Kafka's tombstone
                self._unsettled.append(await producer.send(name, key=record.key.encode(), value=value))
            failures = await self._settle()
            _raise_about(failures)

    def _refuse_too_large(self, records: Sequence[Record]) -> None:
        most = self._settings.max_event_bytes
        sizes = ((place, len(record.key.encode()) + len(record.value)) for place, record in enumerate(records))
        reasons = {place: f"{size} bytes, the most is {most}" for place, size in sizes if size > most}
        if reasons:
            raise RecordsRefusedError(reasons)

    async def close(self) -> None:
        await self._retire()
        for delivery in self._unsettled:
            delivery.cancel()

    async def _settle(self) -> dict[int, BaseException]:
        """Waits for all deliveries and returns their failures by position.

        Replaces the producer after a failure, because its sequence numbers then have a gap.
        """
        if not self._unsettled:
            return {}
        await asyncio.wait(self._unsettled)
        ended = enumerate(delivery.exception() for delivery in self._unsettled)
        failures = {place: error for place, error in ended if error}
        self._unsettled.clear()
        if failures:
            await self._retire()
        return failures

    async def _start(self) -> Producer:
        producer = Producer(self._settings)
        await producer.start()
        self._producer = producer
        return producer

    async def _retire(self) -> None:
        producer, self._producer = self._producer, None
        if producer:
            await producer.close()


def _raise_about(failures: Mapping[int, BaseException]) -> None:
    refused = {place: repr(error) for place, error in failures.items() if isinstance(error, REFUSALS)}
    if refused:
        raise RecordsRefusedError(refused)
    for error in failures.values():
        raise error
