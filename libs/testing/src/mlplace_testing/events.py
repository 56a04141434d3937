"""Reads the events that a service has published, from its outbox or from the bus."""

from typing import TypeVar

import sqlalchemy as sa

from mlplace_contracts.events import Event, decode
from mlplace_runtime.bus.port import EventBus
from mlplace_runtime.db.database import Database
from mlplace_runtime.db.messaging import outbox

_Event = TypeVar("_Event", bound=Event)


async def published(database: Database, kind: type[_Event]) -> list[_Event]:
    """Returns the events of one type in the outbox, oldest first. Tests run without a relay."""
    async with database.transaction() as session:
        values = (await session.execute(sa.select(outbox.c.value).order_by(outbox.c.id))).scalars().all()
    events = [decode(value)[1] for value in values]
    return [event for event in events if isinstance(event, kind)]


async def on_the_bus(bus: EventBus, kind: type[_Event]) -> list[_Event]:
    """Returns the events of one type on the bus, oldest first."""
    subscription = await bus.subscribe([kind.topic], group=None)
    values: list[bytes] = []
    while delivered := await subscription.poll(max_records=1000, timeout_seconds=0):
        values += [each.record.value for each in delivered]
    await subscription.close()
    events = [decode(value)[1] for value in values]
    return [event for event in events if isinstance(event, kind)]
