"""Rows of a content, and the checks of texts that all formats share."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import BinaryIO, NamedTuple, Protocol

from mlpcore.features.datasets.formats.problems import MOST_COLUMNS, MOST_NAME, MOST_RECORD, BadContentError


class Row(NamedTuple):
    """`values` are in the order of the columns; `line` and `column` say where the row begins."""

    values: tuple[str, ...]
    line: int
    column: int = 1


@dataclass(frozen=True, slots=True)
class Table:
    """`columns` may be read before the first row. `rows` can be read once."""

    columns: tuple[str, ...]
    rows: Iterator[Row]


class Writer(Protocol):
    def __call__(self, columns: Sequence[str], rows: Iterator[Row], file: BinaryIO) -> None:
        """Writes the rows. Raises BadContentError for a value that the format cannot hold."""
        ...


def checked(text: str, *, line: int, column: int) -> str:
    """Returns the text. Raises BadContentError for one that UTF-8 cannot encode, and for NUL."""
    if not text.isascii():
        try:
            text.encode()
        except UnicodeEncodeError:
            raise BadContentError("surrogate", line=line, column=column) from None
    if "\0" in text:
        raise BadContentError("nul", line=line, column=column)
    return text


def bounded(rows: Iterator[Row]) -> Iterator[Row]:
    """Raises BadContentError for a row with more than MOST_RECORD characters."""
    for row in rows:
        if sum(map(len, row.values)) > MOST_RECORD:
            raise BadContentError("record_too_large", line=row.line, max=str(MOST_RECORD))
        yield row


def header(names: Sequence[str], required: Sequence[str], *, line: int) -> tuple[str, ...]:
    """Returns the names. Raises BadContentError unless they are different and include the required ones."""
    if len(names) > MOST_COLUMNS:
        raise BadContentError("too_many_columns", line=line, column=MOST_COLUMNS + 1, max=str(MOST_COLUMNS))
    if any(name not in names for name in required) or "" in names:
        raise BadContentError("header", line=line, expected=", ".join(required))
    for number, name in enumerate(names):
        if len(name) > MOST_NAME:
            raise BadContentError("name_too_long", line=line, column=number + 1, max=str(MOST_NAME))
        if name in names[:number]:
            raise BadContentError("duplicate_column", line=line, column=number + 1, name=name[:100])
    return tuple(names)
