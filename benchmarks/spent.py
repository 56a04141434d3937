"""What a part of the work takes: of this process, of PostgreSQL, by the clock, and in SQL statements."""

import time
from collections import defaultdict
from collections.abc import Awaitable, Callable, Generator
from contextlib import contextmanager, suppress

import psutil
from sqlalchemy import event

from benchmarks.figures.rounds import Row, from_values
from mlplace_runtime.db.database import Database


class Spent:
    """Milliseconds of each time that a part of the work was done: of mlpcore, of PostgreSQL, by the clock."""

    def __init__(self, postgres: psutil.Process) -> None:
        self._postgres = postgres
        self._parts: defaultdict[str, defaultdict[str, list[float]]] = defaultdict(lambda: defaultdict(list))

    async def on(self, part: str, work: Callable[[], Awaitable[object]], *, times: int = 1) -> None:
        """`times`: how often the work does what the figures are about."""
        began, busy, database = time.perf_counter(), time.process_time(), self._of_postgres()
        await work()
        self.note(part, "ms", (time.perf_counter() - began) * 1000 / times)
        self.note(part, "cpu_ms", (time.process_time() - busy) * 1000 / times)
        self.note(part, "database_cpu_ms", (self._of_postgres() - database) * 1000 / times)

    def note(self, part: str, figure: str, value: float) -> None:
        self._parts[part][figure].append(value)

    def rows(self) -> list[Row]:
        return [from_values(part, 1, found) for part, found in self._parts.items()]

    def _of_postgres(self) -> float:
        """Returns the processor time of the server and of all its processes, those that have ended included."""
        total = 0.0
        for process in self._postgres.children():
            with suppress(psutil.NoSuchProcess):  # it ended meanwhile, so the server's own times have its time
                times = process.cpu_times()
                total += times.user + times.system
        times = self._postgres.cpu_times()
        return total + times.user + times.system + times.children_user + times.children_system


@contextmanager
def listed_statements(database: Database) -> Generator[list[str]]:
    """The SQL statements that the block sends, in order."""
    sent: list[str] = []

    def note(*arguments: object) -> None:
        sent.append(str(arguments[2]))

    engine = database.engine.sync_engine
    event.listen(engine, "before_cursor_execute", note)
    try:
        yield sent
    finally:
        event.remove(engine, "before_cursor_execute", note)
