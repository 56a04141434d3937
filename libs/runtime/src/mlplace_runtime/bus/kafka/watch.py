"""Detects unreachable brokers, also while nothing is published or read."""

import asyncio
import contextlib

from mlplace_runtime.bus.kafka.client import Admin, KafkaError
from mlplace_runtime.bus.kafka.settings import KafkaSettings
from mlplace_runtime.outage import Outage

_EVERY_SECONDS = 2.0
_ANSWER_SECONDS = 3.0
_AWAY = "Kafka does not answer: events to and from other services arrive when it is back"


class KafkaWatch:
    """Pings the brokers every two seconds. Readers cannot notice: a quiet log looks like an unreachable one."""

    def __init__(self, settings: KafkaSettings) -> None:
        self._settings = settings
        self._outage = Outage("kafka-watch")
        self._task: asyncio.Task[None] | None = None
        self.trouble: str | None = None

    def start(self) -> None:
        self._task = asyncio.create_task(self._watch(), name="kafka-watch")

    async def stop(self) -> None:
        if self._task:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    async def _watch(self) -> None:
        while True:
            try:
                await self._ask_while_it_answers()
            except (KafkaError, OSError) as error:  # a TimeoutError is an OSError
                self.trouble = _AWAY
                await self._outage.wait_after(error)

    async def _ask_while_it_answers(self) -> None:
        """Pings over one connection until it fails. The loss of one broker is no trouble if a new connection works."""
        async with contextlib.AsyncExitStack() as stack:
            admin = Admin(self._settings)
            async with asyncio.timeout(_ANSWER_SECONDS):
                await stack.enter_async_context(admin)
            while True:
                try:
                    async with asyncio.timeout(_ANSWER_SECONDS):
                        await admin.ping()
                except (KafkaError, OSError):
                    if self.trouble:
                        raise
                    return
                self.trouble = None
                self._outage.over()
                await asyncio.sleep(_EVERY_SECONDS)
