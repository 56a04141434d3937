"""Records the SQL that a service sends; tests of lists count the statements."""

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field

from sqlalchemy import event

from mlplace_runtime.db.database import Database


@dataclass
class Statements:
    """SQL statements in order, since the last `clear`."""

    seen: list[str] = field(default_factory=list[str])

    @property
    def selects(self) -> list[str]:
        return [statement for statement in self.seen if statement.startswith("SELECT")]

    def clear(self) -> None:
        self.seen.clear()


@contextmanager
def counted_statements(database: Database) -> Generator[Statements]:
    counted = Statements()

    def note(*arguments: object) -> None:
        counted.seen.append(str(arguments[2]))

    engine = database.engine.sync_engine
    event.listen(engine, "before_cursor_execute", note)
    try:
        yield counted
    finally:
        event.remove(engine, "before_cursor_execute", note)
