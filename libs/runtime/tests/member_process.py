"""A member of a consumer group in its own process: `python member_process.py NAME SETTINGS`, SETTINGS being JSON.

The effect of an event is an outbox row whose topic is the member's name, which shows order, repetition and the member.
On request it kills itself at the worst moment: after the effects are committed and before the offsets are.
"""

import asyncio
import json
import os
import signal
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncSession

from mlplace_contracts.events import Event, SessionRevoked
from mlplace_contracts.topics import SESSIONS, Topic
from mlplace_kit.clock import SystemClock
from mlplace_runtime.bus.consumer import Consumer, ConsumerRunner
from mlplace_runtime.bus.kafka.bus import KafkaBus, KafkaSettings
from mlplace_runtime.bus.port import Place, Subscription
from mlplace_runtime.db.database import Database
from mlplace_runtime.db.messaging import outbox
from mlplace_runtime.db.outbox import outbox_row


@dataclass(frozen=True, slots=True)
class MemberSettings:
    """`dies_after` this many handled events; 0 means never."""

    database_url: str
    server: str
    topic_prefix: str
    dies_after: int


class Member:
    def __init__(self, name: str) -> None:
        self._name = name
        self._clock = SystemClock()
        self.handled = 0

    def consumer(self) -> Consumer:
        return Consumer("members", (SESSIONS,), (SessionRevoked,), self._handle)

    async def _handle(self, session: AsyncSession, events: Sequence[Event]) -> None:
        rows = [{**outbox_row(event, self._clock), "topic": self._name} for event in events]
        await session.execute(sa.insert(outbox), rows)
        self.handled += len(events)


class MortalSubscription:
    """Implements `Subscription`."""

    def __init__(self, subscription: Subscription, member: Member, dies_after: int) -> None:
        self._subscription = subscription
        self._member = member
        self._dies_after = dies_after
        self.poll = subscription.poll
        self.rewind = subscription.rewind
        self.caught_up = subscription.caught_up
        self.unread = subscription.unread
        self.close = subscription.close

    async def commit(self, upto: Mapping[Place, int] | None = None) -> None:
        if 0 < self._dies_after <= self._member.handled:
            os.kill(os.getpid(), signal.SIGKILL)
        await self._subscription.commit(upto)


class MortalBus(KafkaBus):
    def __init__(self, settings: KafkaSettings, member: Member, *, dies_after: int) -> None:
        super().__init__(settings, topics=(SESSIONS,))
        self._member = member
        self._dies_after = dies_after

    async def subscribe(  # pyright: ignore[reportIncompatibleMethodOverride]  # what a runner needs of it
        self, topics: Sequence[Topic], *, group: str | None
    ) -> Subscription:
        return MortalSubscription(await super().subscribe(topics, group=group), self._member, self._dies_after)


async def main(name: str, settings: MemberSettings) -> None:
    stop = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stop.set)
    database = Database(settings.database_url, application_name=name, pool_size=2)
    kafka = KafkaSettings((settings.server,), client_id=name, topic_prefix=settings.topic_prefix)
    member = Member(name)
    async with MortalBus(kafka, member, dies_after=settings.dies_after) as bus:
        task = asyncio.create_task(ConsumerRunner(member.consumer(), database, bus).run())
        await stop.wait()
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
    await database.close()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], MemberSettings(**json.loads(sys.argv[2]))))
