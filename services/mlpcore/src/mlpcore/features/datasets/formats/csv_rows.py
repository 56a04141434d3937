"""CSV: fields that spreadsheets read as formulas get an apostrophe, which reading removes again."""

import csv
import io
import re
from collections.abc import Iterator, Sequence
from typing import BinaryIO

from mlpcore.features.datasets.formats.problems import MOST_COLUMNS, MOST_RECORD, BadContentError
from mlpcore.features.datasets.formats.rows import Row, Table, header
from mlpcore.features.datasets.formats.text_lines import lines_of

_RISKY = re.compile(r"'*[=+\-@\t\r]")
_MARKED = re.compile(r"'+[=+\-@\t\r]")
FORMULA = re.compile(r"[=@]")
"""The beginning of a field that spreadsheets read as a formula. + and - begin phone numbers and lists, too."""


def read_labels(file: BinaryIO) -> Table:
    """Reads two columns, text and label. A header is optional."""
    names = ("text", "label")
    return Table(names, _without_header(_rows(file), names))


def read_faq(file: BinaryIO, required: Sequence[str]) -> Table:
    rows = _rows(file)
    first = next(rows, None)
    if first is None:
        return Table(tuple(required), iter(()))
    columns = header([name.strip() for name in first.values], required, line=first.line)
    return Table(columns, _of_width(rows, len(columns)))


def write_csv(columns: Sequence[str], rows: Iterator[Row], file: BinaryIO) -> None:
    text = io.TextIOWrapper(file, encoding="utf-8", newline="", write_through=True)
    try:
        writer = csv.writer(text)
        writer.writerow([_marked(name) for name in columns])
        for row in rows:
            writer.writerow([_marked(value) for value in row.values])
    finally:
        text.detach()


def _marked(value: str) -> str:
    return f"'{value}" if _RISKY.match(value) else value


def _unmarked(value: str) -> str:
    return value[1:] if _MARKED.match(value) else value


class _Source:
    """Lines for the parser. Counts what one row takes, because a quoted field may have any number of lines."""

    def __init__(self, file: BinaryIO) -> None:
        self._lines = lines_of(file)
        self._taken = 0
        self.first = 1
        self.number = 0

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        self.number, text = next(self._lines)
        self._taken += len(text)
        if self._taken > MOST_RECORD:
            raise BadContentError("record_too_large", line=self.first, max=str(MOST_RECORD))
        return text

    def begin_row(self) -> None:
        self._taken = 0
        self.first = self.number + 1


def _rows(file: BinaryIO) -> Iterator[Row]:
    """Yields rows with at least one field. Raises BadContentError with the line where the row begins."""
    source = _Source(file)
    parsed = csv.reader(source, strict=True)
    while True:
        source.begin_row()
        try:
            values = next(parsed)
        except StopIteration:
            return
        except csv.Error as error:
            raise _refusal(error, source.first) from None
        if len(values) > MOST_COLUMNS:
            raise BadContentError("too_many_columns", line=source.first, column=MOST_COLUMNS + 1, max=str(MOST_COLUMNS))
        if values:
            yield Row(tuple(_unmarked(value) for value in values), source.first)


def _refusal(error: csv.Error, line: int) -> BadContentError:
    text = str(error)
    if "field larger than" in text:
        return BadContentError("record_too_large", line=line, max=str(csv.field_size_limit()))
    return BadContentError("quote" if "end of data" in text else "not_csv", line=line)


def _without_header(rows: Iterator[Row], names: tuple[str, ...]) -> Iterator[Row]:
    for number, row in enumerate(_of_width(rows, len(names))):
        if number or tuple(value.strip().lower() for value in row.values) != names:
            yield row


def _of_width(rows: Iterator[Row], width: int) -> Iterator[Row]:
    for row in rows:
        if len(row.values) != width:
            column = min(len(row.values), width) + 1
            raise BadContentError(
                "row_width", line=row.line, column=column, count=str(len(row.values)), expected=str(width)
            )
        yield row
