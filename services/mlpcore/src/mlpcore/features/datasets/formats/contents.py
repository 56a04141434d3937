"""Reads, checks and converts contents of each data type.

Blocking, and contents may be hostile: `program` runs this in a process with bounds. Files are open and seekable.
"""

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import BinaryIO, Final, cast

from mlpcore.features.datasets.formats import csv_rows, json_rows, plain, xlsx_read, xlsx_write
from mlpcore.features.datasets.formats.findings import Finding, finding
from mlpcore.features.datasets.formats.json_text import JsonText
from mlpcore.features.datasets.formats.problems import BadContentError
from mlpcore.features.datasets.formats.rows import Row, Table, Writer, bounded, checked
from mlpcore.features.datasets.formats.text_lines import lines_of, refuse_archive
from mlpcore.features.datasets.formats.types import COLUMNS, is_table, parse_type

_LABELS: Final = 2


@dataclass(frozen=True, slots=True)
class Checked:
    """What a valid content is. `rows` and `columns` are None for one that is no table; json/lines has rows alone.

    `warnings`: what looks wrong in it.
    """

    rows: int | None
    columns: tuple[str, ...] | None
    warnings: tuple[Finding, ...] = ()


def read(data_type: str, file: BinaryIO, columns: Sequence[str] | None = None) -> Table:
    """Reads a table. Raises BadContentError, also from `rows`.

    `columns`: those that `check` found; without them a JSON document is read twice.
    """
    table = _read(data_type, file, columns)
    return Table(table.columns, bounded(table.rows))


def _read(data_type: str, file: BinaryIO, columns: Sequence[str] | None) -> Table:
    form, kind = parse_type(data_type)
    required = COLUMNS[kind]
    match form:
        case "plain":
            return plain.read_plain(file)
        case "csv":
            return csv_rows.read_labels(file) if kind == "texts-and-labels" else csv_rows.read_faq(file, required)
        case "xlsx":
            return xlsx_read.read_faq(file, required)
        case _:
            return json_rows.read_json(file, kind, columns)


def write(data_type: str, table: Table, file: BinaryIO) -> None:
    """Writes a table. Raises BadContentError for a value that the format cannot hold."""
    form, kind = parse_type(data_type)
    writers: dict[str, Writer] = {
        "plain": plain.write_plain,
        "csv": csv_rows.write_csv,
        "xlsx": xlsx_write.write_xlsx,
        "json": partial(json_rows.write_json, kind),
    }
    writers[form](table.columns, table.rows, file)


def convert(source: str, target: str, file: BinaryIO, output: BinaryIO, columns: Sequence[str] | None = None) -> None:
    write(target, read(source, file, columns), output)


def check(data_type: str, file: BinaryIO) -> Checked:
    """Reads the whole content once; a JSON table twice. Raises BadContentError."""
    form, kind = parse_type(data_type)
    if form != "xlsx":
        refuse_archive(file)
    if is_table(data_type):
        return _check_table(form, read(data_type, file))
    if kind == "lines":
        return _check_lines(file)
    return _check_document(kind, file)


def _check_table(form: str, table: Table) -> Checked:
    found = _Findings(table.columns, formulas=form == "csv")
    for row in table.rows:
        found.note(row)
    return Checked(found.rows, table.columns, found.warnings())


class _Findings:
    """What looks wrong in a table that can be read."""

    def __init__(self, columns: Sequence[str], *, formulas: bool) -> None:
        self.rows = 0
        self._columns = columns
        self._formulas = formulas
        self._first: dict[str, tuple[int, str]] = {}
        self._counts = Counter[str]()
        self._labels: set[str] = set()

    def note(self, row: Row) -> None:
        self.rows += 1
        for name, value in zip(self._columns[:2], row.values[:2], strict=True):
            if not value.strip():
                self._add("empty_values", row.line, name)
        if self._formulas:
            for name, value in zip(self._columns, row.values, strict=True):
                if csv_rows.FORMULA.match(value):
                    self._add("formulas", row.line, name)
        if self._columns[-1] == "label" and len(self._labels) < _LABELS:
            self._labels.add(row.values[-1])

    def _add(self, kind: str, line: int, name: str) -> None:
        self._counts[kind] += 1
        self._first.setdefault(kind, (line, name))

    def warnings(self) -> tuple[Finding, ...]:
        if not self.rows:
            return (finding("no_rows"),)
        found = [
            finding(code, number=self._counts[code], line=line, column=name)
            for code, (line, name) in self._first.items()
        ]
        if self._labels and len(self._labels) < _LABELS:
            found.append(finding("same_label"))
        return tuple(found)


def _check_lines(file: BinaryIO) -> Checked:
    count = 0
    for number, text in lines_of(file):
        if not text.strip():
            continue
        count += 1
        _check_line(number, text)
    return Checked(count, None, () if count else (finding("no_lines"),))


def _check_line(number: int, text: str) -> None:
    try:
        value: object = json.loads(text, parse_constant=_refuse_constant, parse_int=len, parse_float=len)
    except json.JSONDecodeError as error:
        raise BadContentError("not_json", line=number, column=error.colno) from None
    except RecursionError:
        raise BadContentError("too_deep", line=number, max="200") from None
    except ValueError:
        raise BadContentError("not_json", line=number) from None
    if not isinstance(value, dict):
        raise BadContentError("shape", line=number, expected="a JSON object in each line")
    if "\\u" in text:
        checked(json.dumps(cast("dict[str, object]", value), ensure_ascii=False), line=number, column=1)


def _refuse_constant(name: str) -> object:
    raise ValueError(name)  # NaN and Infinity


def _check_document(kind: str, file: BinaryIO) -> Checked:
    text = JsonText(file)
    first = text.peek()
    if not first:
        return Checked(None, None, (finding("empty"),))
    text.skip()
    text.end()
    if kind != "any" and first not in {"{", "["}:
        return Checked(None, None, (finding("unusual_document", type=f"json/{kind}"),))
    return Checked(None, None)


@dataclass(frozen=True, slots=True)
class Change:
    """Replaces the row by `values`, or deletes it if they are None. `row` counts from 0."""

    row: int
    values: tuple[str, ...] | None


def changed(table: Table, changes: Sequence[Change], added: Sequence[tuple[str, ...]]) -> Table:
    """Returns the table with the changes, and the added rows at its end."""
    by_row = {change.row: change for change in changes}

    def rows() -> Iterator[Row]:
        for number, row in enumerate(table.rows):
            change = by_row.get(number)
            if change is None:
                yield row
            elif change.values is not None:
                yield Row(change.values, row.line, row.column)
        for values in added:
            yield Row(values, 0)

    return Table(table.columns, rows())
