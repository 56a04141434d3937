"""The cache of one model in its owner's database, which may be away, slow, full or broken: calls go on without it.

One task connects, writes the answers that calls put, and limits the number of records. Calls only read, and only while
the database is known to answer. A call that gets no answer marks the cache as away; the task reconnects with growing
pauses.
"""

import asyncio
import random
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any, Final

import structlog
from pymongo.asynchronous.collection import AsyncCollection
from pymongo.errors import ConfigurationError, DuplicateKeyError, OperationFailure, PyMongoError

from mlpgateway.call.call import Answer
from mlpgateway.call.context import size_of
from mlpgateway.features.caching.connections import Client, Guard
from mlpgateway.features.caching.metrics import CACHE_DROPPED, CACHE_FAILURES
from mlpgateway.features.caching.records import answer_in, document_of
from mlplace_contracts.events import ModelCaching
from mlplace_kit.clock import Clock

log = structlog.get_logger(__name__)

LOOK_SECONDS: Final = 0.25
_PREPARE_SECONDS: Final = 5.0
_WRITE_SECONDS: Final = 5.0
_FIRST_PAUSE: Final = 0.5
_LONGEST_PAUSE: Final = 60.0
_MOST_WAITING: Final = 1000
_MOST_WAITING_BYTES: Final = 16 * 1024 * 1024
_AT_ONCE: Final = 1000
_INDEX: Final = [("model", 1), ("at", -1), ("_id", -1)]
_MAY_NOT: Final = frozenset({13, 8000})
_WHO: Final = frozenset({18, 11})


class Problem(StrEnum):
    """The problems that owners are shown."""

    UNREACHABLE = "UNREACHABLE"
    ADDRESS_NOT_ALLOWED = "ADDRESS_NOT_ALLOWED"
    ADDRESS_INVALID = "ADDRESS_INVALID"
    AUTHENTICATION_FAILED = "AUTHENTICATION_FAILED"
    NOT_PERMITTED = "NOT_PERMITTED"
    NOT_WRITABLE = "NOT_WRITABLE"
    UNREADABLE_RECORD = "UNREADABLE_RECORD"


@dataclass(frozen=True, slots=True)
class Link:
    """A client and its guard. The client is None when the address cannot be used."""

    client: Client | None
    guard: Guard


class CacheStore:
    """Run `run` as a task. `rule` is the setting that the store was made for."""

    def __init__(
        self, model_id: int, rule: ModelCaching, link: Link, clock: Clock, chance: Callable[[], float] = random.random
    ) -> None:
        self.rule = rule
        self.link = link
        self.used_at = time.monotonic()
        self.ready = False
        self.problem: Problem | None = None
        self.problem_at: datetime | None = None
        self.model_id = model_id
        self._clock = clock
        self._chance = chance
        self._failures = 0
        self._refusals = 0
        self._waiting: deque[tuple[str, Answer]] = deque()
        self._waiting_bytes = 0
        self._something = asyncio.Event()
        self._since_trim = 0
        self._writes_rest_until = 0.0

    # ---- For calls

    async def find(self, key: str) -> Answer | None:
        """Returns the cached answer; None when there is none within a quarter of a second."""
        self.used_at = time.monotonic()
        if not self.ready:
            return None
        try:
            async with asyncio.timeout(LOOK_SECONDS):
                document = await self._records().find_one({"_id": key})
            answer = None if document is None else answer_in(document)
        except Exception as error:  # noqa: BLE001  whatever the owner's server sends, the call goes on
            self._lost(error)
            return None
        self._failures = 0
        if document is not None and answer is None:
            self._note(Problem.UNREADABLE_RECORD)
        return answer

    def put(self, key: str, answer: Answer) -> None:
        """Queues an answer for writing, or drops it. It may wait while the first connection is made."""
        size = sum(map(size_of, (answer.payload, *answer.before)))
        full = len(self._waiting) >= _MOST_WAITING or self._waiting_bytes + size > _MOST_WAITING_BYTES
        away = not self.ready and self.problem is not None
        if away or full or time.monotonic() < self._writes_rest_until:
            CACHE_DROPPED.inc()
            return
        self._waiting.append((key, answer))
        self._waiting_bytes += size
        self._something.set()

    # ---- The task

    async def run(self) -> None:
        """Connects and writes until cancelled."""
        while True:
            self.link.guard.denied = False
            try:
                async with asyncio.timeout(_PREPARE_SECONDS):
                    await self._records().create_index(_INDEX, name="mlplace_oldest")
                self.ready = True
                await self._write_while_ready()
            except Exception as error:  # noqa: BLE001  the task has to survive any failure of the owner's server
                self._lost(error)
            self._failures += 1
            self._drop()
            await asyncio.sleep(self._pause(self._failures))

    async def _write_while_ready(self) -> None:
        await self._trim()
        while self.ready:
            await self._something.wait()
            if not self._waiting:
                self._something.clear()
                continue
            key, answer = self._waiting.popleft()
            self._waiting_bytes -= sum(map(size_of, (answer.payload, *answer.before)))
            await self._write(key, answer)

    async def _write(self, key: str, answer: Answer) -> None:
        document = document_of(key, self.model_id, answer, self._clock.now())
        try:
            async with asyncio.timeout(_WRITE_SECONDS):
                await self._records().replace_one({"_id": key}, document, upsert=True)
        except DuplicateKeyError:
            return  # another gate wrote the same answer at the same moment
        except (OperationFailure, ValueError) as error:
            # A database that refuses writes may still be read, for example when its disk is full. Refusals are counted
            # apart from failures, because each successful read resets those and would allow a write at once.
            self._refusals += 1
            CACHE_DROPPED.inc()
            self._note(Problem.NOT_WRITABLE, error)
            self._writes_rest_until = time.monotonic() + self._pause(self._refusals)
            return
        self._failures = self._refusals = 0
        self._since_trim += 1
        if self._since_trim > self.rule.most // 100:
            await self._trim()

    async def _trim(self) -> None:
        """Deletes all but the newest records. Several gates may do so at once, and delete the same."""
        self._since_trim = 0
        while True:
            async with asyncio.timeout(_WRITE_SECONDS):
                beyond = self._records().find({"model": self.model_id}, {"_id": 1})
                beyond = beyond.sort(_INDEX[1:]).skip(self.rule.most).limit(_AT_ONCE)
                keys = [document["_id"] async for document in beyond]
                if keys:
                    await self._records().delete_many({"_id": {"$in": keys}})
            if len(keys) < _AT_ONCE:
                return

    def _records(self) -> AsyncCollection[dict[str, Any]]:
        if self.link.client is None:
            raise ConfigurationError("the address cannot be used")
        database = self.link.client.get_default_database("mlplace")
        return database[self.rule.collection]

    def _drop(self) -> None:
        CACHE_DROPPED.inc(len(self._waiting))
        self._waiting.clear()
        self._waiting_bytes = 0

    def _pause(self, failures: int) -> float:
        longest = min(_FIRST_PAUSE * 2 ** min(failures, 16), _LONGEST_PAUSE)
        return longest * (1 - self._chance() / 2)

    def _lost(self, error: Exception) -> None:
        self.ready = False
        self._something.set()
        self._note(_problem(error, self.link.guard), error)

    def _note(self, problem: Problem, error: Exception | None = None) -> None:
        """Records a problem, without the driver's text, which contains addresses and texts of the owner's server."""
        CACHE_FAILURES.labels(problem.value).inc()
        if problem is not self.problem:
            log.warning("cache_problem", model_id=self.model_id, problem=problem, error=type(error).__name__)
        self.problem, self.problem_at = problem, self._clock.now()


def _problem(error: Exception, guard: Guard) -> Problem:
    if guard.denied:
        return Problem.ADDRESS_NOT_ALLOWED
    if isinstance(error, ConfigurationError):
        return Problem.ADDRESS_INVALID
    if isinstance(error, OperationFailure):
        if error.code in _WHO:
            return Problem.AUTHENTICATION_FAILED
        return Problem.NOT_PERMITTED if error.code in _MAY_NOT else Problem.UNREACHABLE
    if isinstance(error, (PyMongoError, OSError, TimeoutError)):
        return Problem.UNREACHABLE
    return Problem.UNREADABLE_RECORD
