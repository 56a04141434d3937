"""Where usage goes that the event bus will never take, such as an event above its size limit."""

import structlog

from mlpgateway.usage.shipper import Park
from mlplace_runtime.bus.handling import park
from mlplace_runtime.bus.port import Record
from mlplace_runtime.db.database import Database
from mlplace_runtime.db.outbox import UNSHIPPED
from mlplace_runtime.telemetry.metrics import EVENTS_PARKED

log = structlog.get_logger(__name__)


def parked_by(database: Database) -> Park:
    """Among the dead letters, from where `dead-letters replay` sends it again."""

    async def keep(record: Record, reason: str) -> None:
        async with database.transaction() as session:
            await park(session, UNSHIPPED, record, reason)
        EVENTS_PARKED.labels(consumer=f"mlpgateway.{UNSHIPPED}").inc()
        log.error("event_parked", consumer=UNSHIPPED, topic=record.topic, key=record.key, reason=reason)

    return keep
