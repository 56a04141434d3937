"""Tests a bus whose brokers are unreachable from the start: it opens, raises errors and closes at once. No broker."""

from collections.abc import AsyncGenerator

import pytest

from mlplace_contracts.topics import USAGE
from mlplace_runtime.bus.kafka.bus import KafkaBus, KafkaSettings
from mlplace_runtime.bus.port import Record
from mlplace_testing.ports import free_port


@pytest.fixture
async def bus() -> AsyncGenerator[KafkaBus]:
    async with KafkaBus(KafkaSettings((f"127.0.0.1:{free_port()}",))) as opened:
        yield opened


async def test_publish_raises_a_connection_error(bus: KafkaBus) -> None:
    with pytest.raises(ConnectionError):
        await bus.publish([Record(USAGE.name, "a", b"1")])


@pytest.mark.parametrize("group", ["g", None])
async def test_a_subscription_raises_at_every_poll_and_can_be_rewound(bus: KafkaBus, group: str | None) -> None:
    subscription = await bus.subscribe([USAGE], group=group)
    for _ in range(2):
        with pytest.raises(ConnectionError):
            await subscription.poll(max_records=1, timeout_seconds=5)
        await subscription.rewind()
    with pytest.raises(ConnectionError):
        await subscription.caught_up()
    await subscription.close()


async def test_an_unread_subscription_closes_silently(bus: KafkaBus) -> None:
    await bus.subscribe([USAGE], group="g")
