"""The event bus of the all-in-one shape: a log in one SQLite file, shared by the tasks of one process.

SQLite is in the standard library, its commits survive `kill -9`, and one file holds everything. One worker thread does
all access. A topic has one partition, which one member of a group reads at a time.
"""

import asyncio
import errno
import sqlite3
import time
from collections import Counter
from collections.abc import Callable, Generator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import Self, TypeVar

from mlplace_contracts.topics import TOPICS, Topic
from mlplace_runtime.bus.port import Delivered, Place, Record

_SCHEMA = """
CREATE TABLE IF NOT EXISTS log (
    position INTEGER PRIMARY KEY AUTOINCREMENT, topic TEXT NOT NULL, key TEXT NOT NULL, value BLOB NOT NULL,
    written_at REAL NOT NULL);
CREATE INDEX IF NOT EXISTS log_by_topic ON log (topic, position);
DROP INDEX IF EXISTS log_by_key;
CREATE TABLE IF NOT EXISTS committed (
    consumer TEXT NOT NULL, topic TEXT NOT NULL, position INTEGER NOT NULL, PRIMARY KEY (consumer, topic));
"""
_INSERT = "INSERT INTO log (topic, key, value, written_at) VALUES "
_ROW = "(?, ?, ?, ?)"
_ROWS = 100
_COMPACT = """
DELETE FROM log WHERE topic = :topic AND position NOT IN (
    SELECT max(position) FROM log WHERE topic = :topic GROUP BY key)
"""
_COMPACT_SECONDS = 300.0
_LOOK_SECONDS = 0.25
_MOST_COUNTED = 100_000
"""Unread records of one topic: counting them keeps the thread from other work for a few milliseconds."""
_DAY = 86_400.0
_Result = TypeVar("_Result")


class LocalBus:
    """`path` is the file of the log; its folder must exist. `alone`: no other process of the installation runs."""

    alone: bool = False
    poll_seconds = 30.0
    """A wait ends when something is published, whatever its limit."""

    def __init__(self, path: Path, *, alone: bool = False) -> None:
        self._path = path
        self.alone = alone
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="local-bus")
        self._database: sqlite3.Connection | None = None
        self._published = asyncio.Condition()
        self._publications: Counter[str] = Counter()
        # Number of changes by other processes. Their topics are only known after reading.
        self._others = 0
        self._members: dict[tuple[str, str], asyncio.Lock] = {}
        self._tasks: list[asyncio.Task[None]] = []
        self._trouble: str | None = None

    async def __aenter__(self) -> Self:
        version = await self._call(self._open)
        self._tasks = [
            asyncio.create_task(self._compact_forever(), name="local-bus-compaction"),
        ]
        if not self.alone:
            self._tasks.append(asyncio.create_task(self._check_for_others(version), name="local-bus-others"))
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._call(self._shut)
        self._thread.shutdown()

    async def publish(self, records: Sequence[Record]) -> None:
        await self._call(lambda: self._append(records))
        async with self._published:
            self._publications.update({record.topic for record in records})
            self._published.notify_all()

    async def subscribe(self, topics: Sequence[Topic], *, group: str | None) -> "LocalSubscription":
        names = sorted(topic.name for topic in topics)
        locks = [self._members.setdefault((group, name), asyncio.Lock()) for name in names] if group else []
        target = await self._call(lambda: self._last_position(names))
        return LocalSubscription(self, names, group, locks, target)

    def trouble(self) -> str | None:
        """A local file is always reachable, but its disk may be full."""
        return self._trouble

    async def compact(self) -> None:
        """Drops superseded records of compacted topics, and records of other topics past their retention."""
        await self._call(self._compact)

    def publications(self, names: Sequence[str]) -> int:
        """Returns how often something was, or may have been, published to the topics so far."""
        return self._others + sum(self._publications[name] for name in names)

    async def wait_for_records(self, names: Sequence[str], seen: int, timeout_seconds: float) -> bool:
        """Waits until there are more publications than `seen`. Returns False on timeout."""
        try:
            async with asyncio.timeout(timeout_seconds), self._published:
                await self._published.wait_for(lambda: self.publications(names) != seen)
        except TimeoutError:
            return False
        return True

    async def _compact_forever(self) -> None:
        while True:
            await asyncio.sleep(_COMPACT_SECONDS)
            with suppress(sqlite3.OperationalError):  # the disk is full: retried next time
                await self.compact()

    async def _check_for_others(self, version: int | None) -> None:
        """Detects writes by other processes, once for all subscriptions, so that they need not read the log."""
        while True:
            await asyncio.sleep(_LOOK_SECONDS)
            found = await self._call(self._version)
            if found is None or found != version:
                version = found
                async with self._published:
                    self._others += 1
                    self._published.notify_all()

    async def _call(self, work: Callable[[], _Result]) -> _Result:
        return await asyncio.get_running_loop().run_in_executor(self._thread, work)

    async def read(self, names: Sequence[str], after: dict[str, int], limit: int) -> list[Delivered]:
        return await self._call(lambda: self._read(names, after, limit))

    async def count_after(self, after: dict[str, int], names: Sequence[str]) -> int:
        return await self._call(lambda: self._count_after(after, names))

    async def committed(self, group: str, names: Sequence[str]) -> dict[str, int]:
        return await self._call(lambda: self._committed(group, names))

    async def store(self, group: str, positions: dict[str, int]) -> None:
        await self._call(lambda: self._store(group, positions))

    # --- in the worker thread -------------------------------------------------------------------------------------

    def _open(self) -> int | None:
        connection = sqlite3.connect(self._path, isolation_level=None)
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
        connection.executescript(_SCHEMA)
        self._database = connection
        return self._version()

    def _version(self) -> int | None:
        """Returns a number that changes when another connection commits to the file; None if SQLite cannot tell now."""
        try:
            return int(self._connection.execute("PRAGMA data_version").fetchone()[0])
        except sqlite3.Error:
            return None

    def _shut(self) -> None:
        if self._database:
            self._database.close()
            self._database = None

    @property
    def _connection(self) -> sqlite3.Connection:
        if self._database is None:
            raise RuntimeError("the local bus is not open")
        return self._database

    def _append(self, records: Sequence[Record]) -> None:
        """Inserts many rows per statement: each statement releases the GIL and has to wait for it again."""
        now = time.time()
        with self._in_transaction() as connection:
            for at in range(0, len(records), _ROWS):
                some = records[at : at + _ROWS]
                values = [value for record in some for value in (record.topic, record.key, record.value, now)]
                connection.execute(_INSERT + ", ".join([_ROW] * len(some)), values)

    @contextmanager
    def _in_transaction(self) -> Generator[sqlite3.Connection]:
        """Raises OSError if the disk is full or failing; the log is then unchanged."""
        connection = self._connection
        try:
            connection.execute("BEGIN IMMEDIATE")
            yield connection
            connection.execute("COMMIT")
        except sqlite3.OperationalError as error:
            self._roll_back()
            self._trouble = f"the log of events cannot be written: {error}"
            raise OSError(errno.EIO, self._trouble) from error
        except BaseException:
            self._roll_back()
            raise
        self._trouble = None

    def _roll_back(self) -> None:
        """Rolls back if a transaction is open: on a full disk SQLite has already ended it."""
        if self._connection.in_transaction:
            self._connection.execute("ROLLBACK")

    def _last_position(self, names: Sequence[str]) -> dict[str, int]:
        query = "SELECT coalesce(max(position), 0) FROM log WHERE topic = ?"
        return {name: int(self._connection.execute(query, (name,)).fetchone()[0]) for name in names}

    def _read(self, names: Sequence[str], after: dict[str, int], limit: int) -> list[Delivered]:
        found: list[Delivered] = []
        query = "SELECT position, topic, key, value FROM log WHERE topic = ? AND position > ? ORDER BY position LIMIT ?"
        for name in names:
            for position, topic, key, value in self._connection.execute(query, (name, after.get(name, 0), limit)):
                found.append(Delivered(Record(topic, key, value), partition=0, offset=position))
        found.sort(key=lambda delivered: delivered.offset)
        return found[:limit]

    def _count_after(self, after: dict[str, int], names: Sequence[str]) -> int:
        query = "SELECT count(*) FROM (SELECT 1 FROM log WHERE topic = ? AND position > ? LIMIT ?)"
        found = [self._connection.execute(query, (name, after.get(name, 0), _MOST_COUNTED)) for name in names]
        return sum(int(counted.fetchone()[0]) for counted in found)

    def _committed(self, group: str, names: Sequence[str]) -> dict[str, int]:
        query = "SELECT topic, position FROM committed WHERE consumer = ?"
        stored = dict(self._connection.execute(query, (group,)).fetchall())
        return {name: int(stored.get(name, 0)) for name in names}

    def _store(self, group: str, positions: dict[str, int]) -> None:
        statement = (
            "INSERT INTO committed (consumer, topic, position) VALUES (?, ?, ?) "
            "ON CONFLICT (consumer, topic) DO UPDATE SET position = excluded.position"
        )
        rows = [(group, name, position) for name, position in positions.items()]
        with self._in_transaction() as connection:
            connection.executemany(statement, rows)

    def _compact(self) -> None:
        for topic in TOPICS:
            if topic.compacted:
                self._connection.execute(_COMPACT, {"topic": topic.name})
            else:
                oldest = time.time() - topic.retention_days * _DAY
                self._connection.execute("DELETE FROM log WHERE topic = ? AND written_at < ?", (topic.name, oldest))


class LocalSubscription:
    """A reader of the log. A member of a group waits until no other member reads."""

    def __init__(
        self, bus: LocalBus, names: list[str], group: str | None, locks: list[asyncio.Lock], target: dict[str, int]
    ) -> None:
        self._bus = bus
        self._names = names
        self._group = group
        self._locks = locks
        self._held: list[asyncio.Lock] = []
        self._target = target
        self._positions: dict[str, int] | None = None
        self._stored: dict[str, int] = {}

    async def poll(self, *, max_records: int, timeout_seconds: float) -> Sequence[Delivered]:
        deadline = asyncio.get_running_loop().time() + timeout_seconds
        if not await self._join(timeout_seconds):
            return ()
        positions = await self._current()
        while True:
            seen = self._bus.publications(self._names)
            found = await self._bus.read(self._names, positions, max_records)
            if found:
                for delivered in found:
                    positions[delivered.record.topic] = delivered.offset
                return found
            left = deadline - asyncio.get_running_loop().time()
            if not await self._bus.wait_for_records(self._names, seen, left):
                return ()

    async def commit(self, upto: Mapping[Place, int] | None = None) -> None:
        if not self._group or self._positions is None:
            return
        positions = dict(self._positions)
        if upto is not None:
            positions = {topic: min(offset - 1, positions.get(topic, 0)) for (topic, _), offset in upto.items()}
        changed = {topic: position for topic, position in positions.items() if self._stored.get(topic) != position}
        if changed:
            await self._bus.store(self._group, changed)
            self._stored |= changed

    async def rewind(self) -> None:
        self._positions = None

    async def caught_up(self) -> bool:
        positions = await self._current()
        return all(positions.get(name, 0) >= position for name, position in self._target.items())

    async def unread(self) -> int | None:
        if len(self._held) < len(self._locks) or self._positions is None:  # another member reads, or nothing was polled
            return None
        return await self._bus.count_after(self._positions, self._names)

    async def close(self) -> None:
        for lock in self._held:
            lock.release()
        self._held.clear()

    async def _join(self, timeout_seconds: float) -> bool:
        if len(self._held) == len(self._locks):
            return True
        try:
            async with asyncio.timeout(timeout_seconds):
                for lock in self._locks[len(self._held) :]:
                    await lock.acquire()
                    self._held.append(lock)
        except TimeoutError:
            return False
        return True

    async def _current(self) -> dict[str, int]:
        if self._positions is None:
            self._positions = await self._bus.committed(self._group, self._names) if self._group else {}
        return self._positions
