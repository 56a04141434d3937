"""The event bus of the distributed shape: Apache Kafka behind the same port as the local log.

Opening the bus does not contact the brokers, so a service starts without them; operations then raise
`KafkaUnavailableError`. The first operation that reaches the brokers creates missing topics.
"""

import asyncio
from collections.abc import Sequence
from types import TracebackType
from typing import Self

from mlplace_contracts.topics import TOPICS, Topic
from mlplace_runtime.bus.kafka.connection import Connection, KafkaUnavailableError, translated
from mlplace_runtime.bus.kafka.producer import KafkaPublisher
from mlplace_runtime.bus.kafka.settings import KafkaSettings
from mlplace_runtime.bus.kafka.subscription import KafkaSubscription
from mlplace_runtime.bus.kafka.topics import create_missing
from mlplace_runtime.bus.kafka.watch import KafkaWatch
from mlplace_runtime.bus.port import Record

__all__ = ["KafkaBus", "KafkaSettings", "KafkaUnavailableError"]

_UNPUBLISHED = "Kafka accepts no events: they wait in the outboxes"


class KafkaBus:
    """Creates those of `topics` that are missing."""

    alone = False
    poll_seconds = 1.0

    def __init__(self, settings: KafkaSettings, *, topics: Sequence[Topic] = TOPICS) -> None:
        self._settings = settings
        self._topics = topics
        self._topics_exist = False
        self._making_topics = asyncio.Lock()
        self._publisher = KafkaPublisher(settings)
        self._watch = KafkaWatch(settings)
        self._unpublished: str | None = None
        self._open: set[KafkaSubscription] = set()

    async def __aenter__(self) -> Self:
        self._watch.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._watch.stop()
        # The client may end with its own CancelledError, which must not keep the rest from closing.
        await asyncio.gather(*(subscription.ended() for subscription in tuple(self._open)), return_exceptions=True)
        await self._publisher.close()

    async def ensure_topics(self) -> None:
        """Creates missing topics; existing ones stay unchanged. After one success it does nothing."""
        async with self._making_topics:
            if not self._topics_exist:
                async with translated("create topics"):
                    await create_missing(self._settings, self._topics)
                self._topics_exist = True

    async def publish(self, records: Sequence[Record]) -> None:
        """Raises KafkaUnavailableError if not all records are known to be durable; some of them may be.

        Raises RecordsRefusedError for records that are too large.
        """
        try:
            await self.ensure_topics()
            async with translated("publish"):
                await self._publisher.publish(records)
        except KafkaUnavailableError:
            self._unpublished = _UNPUBLISHED
            raise
        self._unpublished = None

    def trouble(self) -> str | None:
        """Brokers that answer may still refuse writes, for example when too few replicas are in sync."""
        return self._watch.trouble or self._unpublished

    async def subscribe(self, topics: Sequence[Topic], *, group: str | None) -> KafkaSubscription:
        """Connects in the background and retries; `poll` and `caught_up` report what went wrong."""
        names = [topic.name for topic in topics]
        connection = Connection(self._settings, names, group=group, prepare=self.ensure_topics)
        subscription = KafkaSubscription(connection, closed=self._open.discard)
        self._open.add(subscription)
        return subscription
