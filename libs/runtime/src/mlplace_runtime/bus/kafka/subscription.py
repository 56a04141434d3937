"""Reading from Kafka, as a member of a group or as a reader of the whole log."""

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence

import structlog

from mlplace_runtime.bus.kafka.client import ConsumedRecord, Consumer, KafkaError, TopicPartition
from mlplace_runtime.bus.kafka.connection import Connection, KafkaUnavailableError, stop, translated
from mlplace_runtime.bus.port import Delivered, Place, Record

log = structlog.get_logger(__name__)

_ANSWER_SECONDS = 10.0
_GRACE_SECONDS = 0.1
_PROMPT_SECONDS = (
    1.0  # leaving a group takes this long while brokers answer; a process closes its many readers one after the other
)


class KafkaSubscription:
    """Implements `Subscription`.

    A rebalance takes all partitions away and returns some, positioned at the group's commits. Records that were polled
    before it and not committed come again, here or at another member; a later `commit` does not cover them.
    """

    def __init__(self, connection: Connection, *, closed: Callable[["KafkaSubscription"], None]) -> None:
        self._connection = connection
        self._closed = closed
        self._ending: asyncio.Task[None] | None = None
        self._consumer: Consumer | None = None
        self._ends: dict[TopicPartition, int] | None = None  # at the time of the first connection
        self._first: dict[
            TopicPartition, int
        ] = {}  # the oldest offset of each partition that was polled and not committed
        self._next: dict[TopicPartition, int] = {}  # where each partition continues after what was polled
        self._connecting: asyncio.Task[None] | None = asyncio.create_task(self._connect())

    async def poll(self, *, max_records: int, timeout_seconds: float) -> Sequence[Delivered]:
        """Raises KafkaUnavailableError; the next call reconnects."""
        deadline = asyncio.get_running_loop().time() + timeout_seconds
        consumer = await self._connected(timeout_seconds)
        if consumer is None:
            return ()
        left = max(deadline - asyncio.get_running_loop().time(), 0)
        try:
            # Cancelling is safe: once getmany takes records out of its buffer, it does not wait any more.
            async with asyncio.timeout(left + _GRACE_SECONDS):
                found = await consumer.getmany(timeout_ms=int(left * 1000), max_records=max_records)
        except TimeoutError:  # a rebalance is going on
            return ()
        except Exception as error:
            await self._drop()
            raise KafkaUnavailableError(f"cannot poll: {error!r}") from error
        return [delivered for partition, records in found.items() for delivered in self._took(partition, records)]

    async def commit(self, upto: Mapping[Place, int] | None = None) -> None:
        """Raises KafkaUnavailableError; `rewind` then brings back what was not committed."""
        offsets = self._committable(upto)
        if not self._connection.group or not offsets or not self._consumer:
            return
        async with translated("commit"), asyncio.timeout(_ANSWER_SECONDS):
            await self._consumer.commit(offsets)
        for partition, offset in offsets.items():
            if self._next.get(partition) == offset:
                self._first.pop(partition, None)
            elif partition in self._first:  # a poll happened meanwhile, or more was polled than is done
                self._first[partition] = offset

    def _committable(self, upto: Mapping[Place, int] | None) -> dict[TopicPartition, int]:
        """Returns the offsets to commit: never backwards, nor beyond what was polled since the assignment."""
        if upto is None:
            return {partition: self._next[partition] for partition in self._first}
        wanted = {
            partition: min(upto.get((self._connection.own_name(partition.topic), partition.partition), 0), end)
            for partition, end in self._next.items()
        }
        return {
            partition: offset for partition, offset in wanted.items() if offset > self._first.get(partition, offset)
        }

    async def rewind(self) -> None:
        """Needs no broker and never fails."""
        self._next |= self._first
        self._first.clear()
        if not self._consumer:
            return
        try:
            self._seek(self._consumer)
        except KafkaError as error:
            log.warning("kafka_rewind_failed", error=repr(error))
            await self._drop()

    async def caught_up(self) -> bool:
        """A member of a group answers for its own partitions. Raises KafkaUnavailableError."""
        consumer = await self._connected(None)
        if consumer is None or self._ends is None:
            return False
        # Compares positions, not seen offsets: after compaction or deletion the end of the log may hold no records.
        async with translated("look up positions"), asyncio.timeout(_ANSWER_SECONDS):
            for partition in consumer.assignment():
                if await consumer.position(partition) < self._ends.get(partition, 0):
                    return False
        return True

    async def unread(self) -> int | None:
        """Asks brokers for the ends of the log: those that came with the last records stay while nothing is polled.

        Raises KafkaUnavailableError.
        """
        consumer = self._consumer
        if consumer is None:
            return None
        try:
            async with asyncio.timeout(_ANSWER_SECONDS):
                ends = await consumer.end_offsets(consumer.assignment())
                polled = dict(self._next)
                for partition in ends.keys() - polled.keys():
                    polled[partition] = await consumer.position(partition)
        except Exception as error:  # of any kind when the assignment ends meanwhile
            raise KafkaUnavailableError(f"cannot count unread records: {error!r}") from error
        return sum(max(end - polled[partition], 0) for partition, end in ends.items())

    async def close(self) -> None:
        """Returns within about a second, even without brokers; `ended` waits for the rest."""
        await asyncio.wait([self._end()], timeout=_PROMPT_SECONDS)

    async def ended(self) -> None:
        """Waits until the subscription is closed: it has left the group, or the attempt has timed out."""
        await self._end()

    def _end(self) -> asyncio.Task[None]:
        self._ending = self._ending or asyncio.create_task(self._leave())
        return self._ending

    async def _leave(self) -> None:
        if self._connecting:
            self._connecting.cancel()
            await asyncio.gather(self._connecting, return_exceptions=True)
            self._connecting = None
        await self._drop()
        self._closed(self)

    def _revoked(self, partitions: Iterable[TopicPartition]) -> None:
        for partition in partitions:
            self._first.pop(partition, None)
            self._next.pop(partition, None)

    async def _connected(self, timeout_seconds: float | None) -> Consumer | None:
        if self._consumer is None:
            task = self._connecting = self._connecting or asyncio.create_task(self._connect())
            done, _ = await asyncio.wait([task], timeout=timeout_seconds)
            if not done:
                return None
            self._connecting = None
            task.result()
        return self._consumer

    async def _connect(self) -> None:
        consumer = await self._connection.open(self._revoked)
        try:
            if self._ends is None:
                self._ends = await self._connection.end_offsets(consumer)
            self._seek(consumer)
        except BaseException:
            await stop(consumer)
            raise
        self._consumer = consumer

    def _seek(self, consumer: Consumer) -> None:
        for partition, offset in self._next.items():
            consumer.seek(partition, offset)

    async def _drop(self) -> None:
        """A reader of the whole log continues where it was; a member of a group continues at the commits."""
        consumer, self._consumer = self._consumer, None
        if self._connection.group:
            self._first.clear()
            self._next.clear()
        if consumer:
            await stop(consumer)

    def _took(self, partition: TopicPartition, records: Sequence[ConsumedRecord]) -> list[Delivered]:
        self._first.setdefault(partition, records[0].offset)
        self._next[partition] = records[-1].offset + 1
        topic = self._connection.own_name(partition.topic)
        return [
            Delivered(
                Record(topic, (record.key or b"").decode(), record.value or b""), partition.partition, record.offset
            )
            for record in records
        ]
