"""Tests which offsets a member of a group commits, with a test double of the consumer and no broker."""

from collections.abc import Mapping
from typing import cast

import pytest

from mlplace_contracts.topics import USAGE
from mlplace_runtime.bus.kafka.client import ConsumedRecord, TopicPartition
from mlplace_runtime.bus.kafka.connection import Connection
from mlplace_runtime.bus.kafka.subscription import KafkaSubscription

_PARTITION = TopicPartition(USAGE.name, 0)


class _Record:
    def __init__(self, offset: int) -> None:
        self.key, self.value, self.offset = b"k", b"v", offset


class _Consumer:
    """Implements what commits need of Consumer."""

    def __init__(self) -> None:
        self.offered: list[int] = []
        self.committed: list[Mapping[TopicPartition, int]] = []
        self.read_on: KafkaSubscription | None = None

    async def getmany(self, *, timeout_ms: int, max_records: int) -> dict[TopicPartition, list[ConsumedRecord]]:
        found, self.offered = self.offered[:max_records], self.offered[max_records:]
        return {_PARTITION: [cast("ConsumedRecord", _Record(offset)) for offset in found]} if found else {}

    async def commit(self, offsets: Mapping[TopicPartition, int]) -> None:
        self.committed.append(dict(offsets))
        if self.read_on:
            await self.read_on.poll(max_records=100, timeout_seconds=0)

    def seek(self, partition: TopicPartition, offset: int) -> None: ...

    async def stop(self) -> None: ...


class _Connection:
    group = "g"

    def __init__(self, consumer: _Consumer) -> None:
        self.consumer = consumer
        self.revoked = lambda _: None

    def own_name(self, name: str) -> str:
        return name

    async def open(self, revoked: object) -> _Consumer:
        self.revoked = revoked  # type: ignore[assignment]  # the subscription's own
        return self.consumer

    async def end_offsets(self, _: object) -> dict[TopicPartition, int]:
        return {}


@pytest.fixture
def consumer() -> _Consumer:
    return _Consumer()


@pytest.fixture
def connection(consumer: _Consumer) -> _Connection:
    return _Connection(consumer)


@pytest.fixture
async def subscription(connection: _Connection) -> KafkaSubscription:
    return KafkaSubscription(cast("Connection", connection), closed=lambda _: None)


async def _poll(subscription: KafkaSubscription, consumer: _Consumer, *offsets: int) -> None:
    consumer.offered = list(offsets)
    await subscription.poll(max_records=100, timeout_seconds=1)


class TestCommit:
    async def test_commits_finished_offsets_and_each_progress_once(
        self, subscription: KafkaSubscription, consumer: _Consumer
    ) -> None:
        await _poll(subscription, consumer, 5, 6, 7)
        for upto in (5, 6, 6, 8, 8):
            await subscription.commit({(USAGE.name, 0): upto})
        assert consumer.committed == [{_PARTITION: 6}, {_PARTITION: 8}]

    async def test_records_polled_during_a_commit_stay_uncommitted(
        self, subscription: KafkaSubscription, consumer: _Consumer
    ) -> None:
        await _poll(subscription, consumer, 5, 6)
        consumer.offered, consumer.read_on = [7, 8], subscription
        await subscription.commit({(USAGE.name, 0): 7})
        await subscription.commit({(USAGE.name, 0): 9})
        assert consumer.committed == [{_PARTITION: 7}, {_PARTITION: 9}]

    async def test_commits_nothing_of_a_revoked_partition(
        self, subscription: KafkaSubscription, consumer: _Consumer, connection: _Connection
    ) -> None:
        await _poll(subscription, consumer, 5, 6)
        connection.revoked([_PARTITION])  # type: ignore[arg-type]  # the subscription's own
        await subscription.commit({(USAGE.name, 0): 7})
        assert consumer.committed == []

    async def test_commits_neither_backwards_nor_beyond_what_was_polled_since_reassignment(
        self, subscription: KafkaSubscription, consumer: _Consumer, connection: _Connection
    ) -> None:
        await _poll(subscription, consumer, 5, 6)
        connection.revoked([_PARTITION])  # type: ignore[arg-type]  # the subscription's own
        await _poll(subscription, consumer, 20, 21)
        await subscription.commit({(USAGE.name, 0): 7})
        await subscription.commit({(USAGE.name, 0): 30})
        assert consumer.committed == [{_PARTITION: 22}]
