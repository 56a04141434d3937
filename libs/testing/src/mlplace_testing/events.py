"""What a service has published: its outbox, read as events."""

from typing import TypeVar

import sqlalchemy as sa

from mlplace_contracts.events import Event, decode
from mlplace_runtime.db.database import Database
from mlplace_runtime.db.messaging import outbox

_Event = TypeVar("_Event", bound=Event)


async def published(database: Database, kind: type[_Event]) -> list[_Event]:
    """Events of one type that wait in the outbox, oldest first (tests run without a relay)."""
    async with database.transaction() as session:
        values = (await session.execute(sa.select(outbox.c.value).order_by(outbox.c.id))).scalars().all()
    events = [decode(value)[1] for value in values]
    return [event for event in events if isinstance(event, kind)]
