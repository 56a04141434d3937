"""Dead letters for usage that the event bus never accepts, as events above its size limit."""

from mlpgateway.usage.shipper import Park
from mlplace_runtime.bus.handling import park, tell_parked
from mlplace_runtime.bus.port import Record
from mlplace_runtime.db.database import Database
from mlplace_runtime.db.outbox import UNSHIPPED


def parked_by(database: Database) -> Park:
    """Returns a function that stores a record as a dead letter; `dead-letters replay` sends it again."""

    async def keep(record: Record, reason: str) -> None:
        async with database.transaction() as session:
            await park(session, UNSHIPPED, record, reason)
        tell_parked(UNSHIPPED, record, reason, service="mlpgateway")

    return keep
