"""Handling events of one consumer: many in one transaction, or one after the other, where the bad ones are parked."""

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
        """In one transaction. Raises whatever the handler raises; nothing has happened then."""
        async with self._database.transaction() as session:
            number = await apply(session, self._consumer, items)
        count_handled(self._consumer, number)

    async def alone(self, item: Received, *, last_attempt: bool) -> bool:
        """True: it was parked, because another attempt would end in the same way.

        Raises what another attempt may get around, such as a lock or a conflict with another writer. At the last
        attempt only trouble of the database is raised, which no event is to blame for.
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
    """Whether the same event may be handled later. A rule of the domain says no again, however often it is asked."""
    return is_of_the_database(error) or (isinstance(error, sa_exc.DBAPIError) and not is_of_the_value(error))
