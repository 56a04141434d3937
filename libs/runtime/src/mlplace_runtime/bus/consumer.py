"""Consumers: event handlers whose effects happen once, even when the bus delivers an event twice."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Sequence

import sqlalchemy.exc as sa_exc

from mlplace_runtime.bus.applying import Applier
from mlplace_runtime.bus.backlog import Backlog
from mlplace_runtime.bus.forgetting import Forgetting
from mlplace_runtime.bus.handling import Consumer, Handler, Received, received
from mlplace_runtime.bus.lanes import Lanes
from mlplace_runtime.bus.port import Delivered, EventBus
from mlplace_runtime.bus.projection import Projection, still_reading
from mlplace_runtime.bus.reading import COUNT_SECONDS, Reading
from mlplace_runtime.db.database import Database
from mlplace_runtime.failures import is_of_the_database
from mlplace_runtime.outage import Outage
from mlplace_runtime.tasks import Loop, ended

__all__ = ["Consumer", "ConsumerRunner", "Handler", "Projection", "consumer_loops", "still_reading"]


class ConsumerRunner:
    """Runs one consumer: reads, applies events together with their inbox notes, then commits the offsets.

    The name of the consumer group contains the id of the database copy. An empty or restored database has another id,
    so it gets everything again that the topics still hold, and the inbox filters out what is already applied.

    `count_seconds`: the time between two counts of the events that are not read, for metrics.
    """

    def __init__(
        self, consumer: Consumer, database: Database, bus: EventBus, *, count_seconds: float = COUNT_SECONDS
    ) -> None:
        self._consumer = consumer
        self._database = database
        self._bus = bus
        self._count_seconds = count_seconds
        self._outage = Outage(f"{consumer.name} in the database")

    async def run(self) -> None:
        """Runs until cancelled. Survives the loss of the database and of the bus."""
        group = f"{self._consumer.name}.{await self._copy_of_the_data()}"
        subscription = await self._bus.subscribe(self._consumer.topics, group=group)
        backlog = Backlog(seconds=asyncio.get_running_loop().time)
        reading = Reading(self._consumer, self._bus, subscription, backlog, count_seconds=self._count_seconds)
        lanes = Lanes(
            self._consumer.name, Applier(self._consumer, self._database), backlog, worked=reading.tell_progress
        )
        try:
            await _all_of([lambda: reading.read(lanes.tell), reading.commit, reading.count, *lanes.workers()])
        finally:
            await subscription.close()

    async def handle(self, batch: Sequence[Delivered]) -> None:
        """Handles a batch completely, without a bus: together, or else one by one. Raises errors of the database."""
        applier = Applier(self._consumer, self._database)
        items: list[Received] = []
        for delivered in batch:
            try:
                item = received(self._consumer, delivered.record)
            except ValueError as error:
                await applier.park(delivered.record, f"not an event: {error}")
                continue
            items += [item] if item else []
        try:
            await applier.together(items)
        except Exception as error:
            if is_of_the_database(error):
                raise
            for item in items:
                await applier.alone(item, last_attempt=True)

    async def _copy_of_the_data(self) -> str:
        while True:
            try:
                return await self._database.copy_id()
            except (OSError, sa_exc.SQLAlchemyError) as error:
                await self._outage.wait_after(error)


async def _all_of(works: Sequence[Callable[[], Awaitable[None]]]) -> None:
    """Runs all until one raises or this is cancelled; then stops all of them."""
    tasks = [asyncio.ensure_future(work()) for work in works]
    try:
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_EXCEPTION)
        for task in done:
            task.result()
    finally:
        await ended(*tasks)


def consumer_loops(consumers: Iterable[Consumer], database: Database, bus: EventBus) -> list[Loop]:
    """Returns one loop per consumer, and one that deletes old inbox notes."""
    chosen = list(consumers)
    loops = [Loop(consumer.name, ConsumerRunner(consumer, database, bus).run) for consumer in chosen]
    return [*loops, Loop("inbox", Forgetting(chosen, database).run)]
