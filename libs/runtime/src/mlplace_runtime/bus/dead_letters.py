"""Dead letters: listing parked events, and replaying them once their cause is fixed."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncSession

from mlplace_contracts.topics import BY_NAME
from mlplace_runtime.bus.handling import LONGEST_REASON, Consumer, apply, count_handled, received
from mlplace_runtime.bus.port import Record
from mlplace_runtime.db.database import Database, mark_outbox_written
from mlplace_runtime.db.messaging import dead_letter, outbox
from mlplace_runtime.db.outbox import UNSHIPPED
from mlplace_runtime.failures import is_of_the_database


class Fate(StrEnum):
    HANDLED = "handled"
    KNOWN = "had been handled before"
    PUBLISHED = "on its way to the bus again"
    FAILED = "failed again"
    GONE = "was replayed by somebody else"


@dataclass(frozen=True, slots=True)
class DeadLetter:
    """`consumer` is `outbox` for an event that the bus refused."""

    id: int
    consumer: str
    record: Record
    reason: str
    parked_at: datetime


@dataclass(frozen=True, slots=True)
class Replayed:
    """`reason` is empty unless the event failed again."""

    fate: Fate
    reason: str = ""


class DeadLetters:
    """The dead letters of one service."""

    def __init__(self, database: Database, consumers: Iterable[Consumer] = ()) -> None:
        self._database = database
        self._consumers = {consumer.name: consumer for consumer in consumers}

    async def waiting(self, *, topic: str | None = None, ids: Sequence[int] = ()) -> list[DeadLetter]:
        """Returns the dead letters that were not replayed yet, oldest first, filtered by topic and ids if given."""
        query = sa.select(dead_letter).where(dead_letter.c.replayed_at.is_(None)).order_by(dead_letter.c.id)
        if topic:
            query = query.where(dead_letter.c.topic == topic)
        if ids:
            query = query.where(dead_letter.c.id.in_(ids))
        async with self._database.transaction() as session:
            rows = (await session.execute(query)).all()
        return [
            DeadLetter(row.id, row.consumer, Record(row.topic, row.key, row.value), row.reason, row.parked_at)
            for row in rows
        ]

    async def replay(self, letter: DeadLetter) -> Replayed:
        """Handles the event as if it had just arrived, in one transaction with its inbox note, so it takes effect once.

        An event that fails again stays, with the new reason. Raises the error if the database is in trouble.
        """
        try:
            async with self._database.transaction() as session:
                if not await self._claim(session, letter):
                    return Replayed(Fate.GONE)
                fate = await self._replay(session, letter)
        except Exception as error:
            if is_of_the_database(error):
                raise
            reason = repr(error)
            await self._keep(letter, reason)
            return Replayed(Fate.FAILED, reason)
        if fate is Fate.HANDLED:
            count_handled(self._consumers[letter.consumer], 1)
        return Replayed(fate)

    @staticmethod
    async def _claim(session: AsyncSession, letter: DeadLetter) -> bool:
        """Locks the row until the transaction ends; a concurrent replay then finds it already replayed."""
        mine = sa.and_(dead_letter.c.id == letter.id, dead_letter.c.replayed_at.is_(None))
        done = sa.update(dead_letter).where(mine).values(replayed_at=sa.func.now()).returning(dead_letter.c.id)
        return (await session.execute(done)).first() is not None

    async def _replay(self, session: AsyncSession, letter: DeadLetter) -> Fate:
        record = letter.record
        if letter.consumer == UNSHIPPED:
            if BY_NAME[record.topic].compacted:
                # It would arrive behind newer states, and compaction keeps the last record.
                raise LookupError(
                    "it is a state and may be outdated: change its object, which publishes the present one"
                )
            values = {"topic": record.topic, "key": record.key, "value": record.value}
            await session.execute(sa.insert(outbox).values(**values))
            mark_outbox_written(session)
            return Fate.PUBLISHED
        consumer = self._consumers.get(letter.consumer)
        if consumer is None:
            raise LookupError(f"this version has no consumer {letter.consumer}")
        item = received(consumer, record)
        if item is None:
            raise LookupError(f"this version of {consumer.name} does not know this type of event")
        return Fate.HANDLED if await apply(session, consumer, [item]) else Fate.KNOWN

    async def _keep(self, letter: DeadLetter, reason: str) -> None:
        statement = sa.update(dead_letter).where(dead_letter.c.id == letter.id).values(reason=reason[:LONGEST_REASON])
        async with self._database.transaction() as session:
            await session.execute(statement)
