"""Creates the topics of `mlplace_contracts.topics` in a Kafka cluster."""

from collections.abc import Mapping, Sequence

import structlog

from mlplace_contracts.topics import Topic
from mlplace_runtime.bus.kafka.client import Admin
from mlplace_runtime.bus.kafka.settings import KafkaSettings

log = structlog.get_logger(__name__)

_DAY_MS = 86_400_000


async def create_missing(settings: KafkaSettings, topics: Sequence[Topic]) -> None:
    """Creates missing topics. Leaves a topic with another number of partitions: a change would move keys to other ones.

    Raises KafkaError.
    """
    async with Admin(settings) as admin:
        found = await admin.partitions()
        for topic in topics:
            name = settings.wire_name(topic.name)
            if name not in found:
                await admin.create(
                    name,
                    partitions=topic.partitions,
                    replication_factor=settings.replication_factor,
                    config={**declared_config(topic, settings), **settings.topic_config},
                )
                log.info("kafka_topic_requested", topic=name)
            elif found[name] != topic.partitions:
                log.warning("kafka_topic_mismatched", topic=name, declared=topic.partitions, partitions=found[name])


def declared_config(topic: Topic, settings: KafkaSettings) -> Mapping[str, str]:
    size = {"max.message.bytes": str(settings.max_batch_bytes)}
    if topic.compacted:
        return {"cleanup.policy": "compact", **size}
    return {"cleanup.policy": "delete", "retention.ms": str(topic.retention_days * _DAY_MS), **size}
