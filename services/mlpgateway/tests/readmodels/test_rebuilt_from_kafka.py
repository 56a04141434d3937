"""A new process builds its read models from what Kafka still has."""

import asyncio
from dataclasses import replace
from itertools import count

import pytest

from mlpgateway.readmodels.all import TOPICS, ReadModels
from mlplace_contracts.events import AccountChanged
from mlplace_contracts.topics import ACCOUNTS
from mlplace_kit.clock import ManualClock
from mlplace_kit.names import PathRef
from mlplace_runtime.bus.kafka.bus import KafkaBus, KafkaSettings
from mlplace_runtime.bus.port import Record
from mlplace_runtime.db.outbox import outbox_row
from mlplace_runtime.tasks import Loop, running
from mlplace_testing.waiting import eventually

pytestmark = [pytest.mark.docker, pytest.mark.timeout(300)]

_TOPICS = (replace(ACCOUNTS, partitions=1), *(topic for topic in TOPICS if topic is not ACCOUNTS))
_QUICK = {"segment.ms": "50", "min.cleanable.dirty.ratio": "0.01", "delete.retention.ms": "0"}


def _account(account_id: int, version: int, clock: ManualClock) -> Record:
    event = AccountChanged(
        version=version,
        account_id=account_id,
        short_name=f"account-{account_id}",
        display_name=f"Version {version}",
        owner_user_id=1,
        email="owner@example.com",
        language="EN",
        active=True,
    )
    value = outbox_row(event, clock)["value"]
    assert isinstance(value, bytes)
    return Record(ACCOUNTS.name, event.key, value)


async def _rebuilt(bus: KafkaBus) -> ReadModels:
    models = ReadModels.empty(revoked=lambda _: None)
    projection = models.projection(bus)
    async with running("fresh", [Loop("read-models", projection.run)]):
        async with asyncio.timeout(90):
            await projection.ready.wait()
    return models


async def _keys(bus: KafkaBus) -> set[str]:
    """Returns the keys of all account records that the log still has."""
    found: set[str] = set()
    subscription = await bus.subscribe(_TOPICS[:1], group=None)
    async with asyncio.timeout(90):
        while not await subscription.caught_up():
            found |= {d.record.key for d in await subscription.poll(max_records=1000, timeout_seconds=0.5)}
    await subscription.close()
    return found


def _version(models: ReadModels, account_id: int) -> str | None:
    found = models.accounts.resolve(PathRef(account_id, None))
    return found.display_name if found else None


class TestRebuilt:
    async def test_older_version_does_not_overwrite_a_newer_one(
        self, kafka_settings: KafkaSettings, clock: ManualClock
    ) -> None:
        async with KafkaBus(kafka_settings, topics=_TOPICS) as bus:
            await bus.publish([_account(1, 5, clock), _account(1, 3, clock), Record(ACCOUNTS.name, "1", b"")])
            models = await _rebuilt(bus)
        assert _version(models, 1) == "Version 5"

    async def test_compacted_topic_has_the_newest_of_each_key_without_deleted_ones(
        self, kafka_settings: KafkaSettings, clock: ManualClock
    ) -> None:
        versions = count(1)
        published = 0
        async with KafkaBus(replace(kafka_settings, topic_config=_QUICK), topics=_TOPICS) as bus:
            await bus.publish([_account(2, 1, clock), Record(ACCOUNTS.name, "2", b"")])

            async def dead_is_forgotten() -> bool:
                """Publishes on, because only closed segments are cleaned."""
                nonlocal published
                published = next(versions)
                await bus.publish([_account(number, published, clock) for number in (1, 3)])
                return "2" not in await _keys(bus)

            await eventually(dead_is_forgotten, seconds=90)
            models = await _rebuilt(bus)
        assert [_version(models, number) for number in (1, 2, 3)] == [
            f"Version {published}",
            None,
            f"Version {published}",
        ]
