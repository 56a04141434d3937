"""Applies events of one consumer: many in one transaction, or one by one, parking those that fail."""

from collections.abc import Sequence

import sqlalchemy.exc as sa_exc

from mlplace_runtime.bus.handling import Consumer, Received, apply, count_handled, park, tell_parked
from mlplace_runtime.bus.port import Record
from mlplace_runtime.db.database import Database
from mlplace_runtime.failures import is_of_the_database, is_of_the_value


class Applier:
    def __init__(self, consumer: Consumer, database: Database) -> None:
        self._consumer = consumer
        self._database = database

    async def together(self, items: Sequence[Received]) -> None:
        """Applies all items in one transaction. On any error of the handler nothing has happened."""
        async with self._database.transaction() as session:
            number = await apply(session, self._consumer, items)
        count_handled(self._consumer, number)

    async def alone(self, item: Received, *, last_attempt: bool) -> bool:
        """Applies one item. Returns True if it was parked, because another attempt would fail in the same way.

        Raises errors that another attempt may get around, such as a lock or a conflict with another writer. On the last
        attempt it raises only trouble of the database, which is not the event's fault.
        """
        try:
            await self.together([item])
        except Exception as error:
            if is_of_the_database(error) or (may_heal(error) and not last_attempt):
                raise
            await self.park(item.record, repr(error))
            return True
        return False

    async def park(self, record: Record, reason: str) -> None:
        async with self._database.transaction() as session:
            await park(session, self._consumer.name, record, reason)
        tell_parked(self._consumer.name, record, reason)


def may_heal(error: BaseException) -> bool:
    """Whether a later attempt may succeed. A refusal by a domain rule is final."""
    return is_of_the_database(error) or (isinstance(error, sa_exc.DBAPIError) and not is_of_the_value(error))
