"""Consumers: handlers of events, each effect once, whatever the bus delivers twice."""

import asyncio
from collections.abc import Iterable, Sequence

import sqlalchemy.exc as sa_exc
import structlog

from mlplace_runtime.bus.forgetting import Forgetting
from mlplace_runtime.bus.handling import Consumer, Handler, Received, apply, count_handled, park, received
from mlplace_runtime.bus.port import Delivered, EventBus, Subscription
from mlplace_runtime.bus.projection import Projection, still_reading
from mlplace_runtime.db.database import Database
from mlplace_runtime.db.failures import is_away, is_of_the_database
from mlplace_runtime.outage import Outage
from mlplace_runtime.tasks import Loop
from mlplace_runtime.telemetry.metrics import EVENTS_PARKED

__all__ = ["Consumer", "ConsumerRunner", "Handler", "Projection", "consumer_loops", "still_reading"]

log = structlog.get_logger(__name__)

_BATCH = 500
_POLL_SECONDS = 1.0
_ATTEMPTS = 5
_FIRST_RETRY_SECONDS = 0.1


class ConsumerRunner:
    """Feeds one consumer: poll, handle and note in one transaction, then commit the offsets.

    The group on the bus is named after the consumer and the copy of the data that it feeds: an empty or restored
    database is another copy, so everything that the topics still hold comes again, and the inbox sorts out the rest.
    """

    def __init__(self, consumer: Consumer, database: Database, bus: EventBus) -> None:
        self._consumer = consumer
        self._database = database
        self._bus = bus
        self._outage = Outage(consumer.name)

    async def run(self) -> None:
        """Until cancelled. Survives the loss of the database and of the bus."""
        group = f"{self._consumer.name}.{await self._copy_of_the_data()}"
        subscription = await self._bus.subscribe(self._consumer.topics, group=group)
        try:
            while True:
                await self._turn(subscription)
        finally:
            await subscription.close()

    async def _copy_of_the_data(self) -> str:
        while True:
            try:
                return await self._database.copy_id()
            except (OSError, sa_exc.SQLAlchemyError) as error:
                await self._outage.wait_after(error)

    async def _turn(self, subscription: Subscription) -> None:
        try:
            batch = await subscription.poll(max_records=_BATCH, timeout_seconds=_POLL_SECONDS)
            if batch:
                await self.handle(batch)
                await subscription.commit()
        except (OSError, sa_exc.SQLAlchemyError) as error:
            await subscription.rewind()
            await self._outage.wait_after(error)
        else:
            if batch or not self._bus.trouble():  # no news may be no connection yet
                self._outage.over()

    async def handle(self, batch: Sequence[Delivered]) -> None:
        """One transaction for the whole batch; when that fails, one for each event: only the bad one is parked."""
        items = [item for delivered in batch if (item := await self._received(delivered))]
        if not items:
            return
        try:
            await self._apply(items)
        except Exception as error:
            if is_away(error):
                raise
            log.warning("consumer_batch_failed", consumer=self._consumer.name, error=repr(error), size=len(items))
            for item in items:
                await self._apply_alone(item)

    async def _received(self, delivered: Delivered) -> Received | None:
        try:
            return received(self._consumer, delivered.record)
        except ValueError as error:
            await self._park(delivered, f"not an event: {error}")
            return None

    async def _apply_alone(self, item: Received) -> None:
        for attempt in range(_ATTEMPTS):
            try:
                return await self._apply([item])
            except Exception as error:
                if is_of_the_database(error):
                    raise  # the event is not to blame
                if attempt == _ATTEMPTS - 1:
                    await self._park(item, repr(error))
                    return None
                await asyncio.sleep(_FIRST_RETRY_SECONDS * 2**attempt)
        return None

    async def _apply(self, items: Sequence[Received]) -> None:
        async with self._database.transaction() as session:
            number = await apply(session, self._consumer, items)
        count_handled(self._consumer, number)

    async def _park(self, item: Delivered | Received, reason: str) -> None:
        async with self._database.transaction() as session:
            await park(session, self._consumer.name, item.record, reason)
        EVENTS_PARKED.labels(consumer=self._consumer.name).inc()
        record = item.record
        log.error("event_parked", consumer=self._consumer.name, topic=record.topic, key=record.key, reason=reason)


def consumer_loops(consumers: Iterable[Consumer], database: Database, bus: EventBus) -> list[Loop]:
    """One for each consumer, and one that forgets what they need not know any more."""
    chosen = list(consumers)
    loops = [Loop(consumer.name, ConsumerRunner(consumer, database, bus).run) for consumer in chosen]
    return [*loops, Loop("inbox", Forgetting(chosen, database).run)]
