"""Whether the brokers are there, also while nobody has anything to say to them."""

import asyncio
import contextlib

from mlplace_runtime.bus.kafka.client import Admin, KafkaError
from mlplace_runtime.bus.kafka.settings import KafkaSettings
from mlplace_runtime.outage import Outage

_EVERY_SECONDS = 2.0
_ANSWER_SECONDS = 3.0
_AWAY = "Kafka does not answer: changes reach other services, and theirs are heard of, when it is back"


class KafkaWatch:
    """Asks every two seconds. Readers do not notice for themselves: a log without news looks like one that is away."""

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
        """Over one connection. A broker that was lost does not count as long as another one answers a new one."""
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
