"""Reads the first sheet of an xlsx file row by row. No entity is resolved; no more is unpacked than was announced."""

import os
import re
import zipfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from typing import BinaryIO, Final
from xml.parsers import expat

from mlpcore.features.datasets.formats.problems import (
    MOST_CELL,
    MOST_COLUMNS,
    MOST_RECORD,
    MOST_SHARED_TEXTS,
    MOST_UNPACKED,
    BadContentError,
)
from mlpcore.features.datasets.formats.rows import Row, Table, checked, header

_PIECE: Final = 64 * 1024
_MOST_NESTED: Final = 64
_MOST_SILENT: Final = 1024 * 1024
"""Bytes without an element or a text: one tag, which the parser holds in memory."""
_METHODS: Final = frozenset({zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED})
_MOST_DIGITS: Final = 9
_END: Final = b"PK\x05\x06"
_END_BYTES: Final = 22
_MOST_END: Final = _END_BYTES + 65_535  # with a comment
_MOST_DIRECTORY: Final = 4 * 1024 * 1024
_MOST_PARTS: Final = 2000
_RELATION: Final = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_ESCAPE: Final = re.compile(r"_x([0-9A-Fa-f]{4})_")
_COLUMN: Final = re.compile(r"[A-Z]{1,3}")
Started = Callable[[str, dict[str, str]], None]


def read_faq(file: BinaryIO, required: Sequence[str]) -> Table:
    rows = _rows(file)
    first = next(rows, None)
    if first is None:
        return Table(tuple(required), iter(()))
    names = [name.strip() for name in first.values]
    columns = header(names, required, line=first.line)
    return Table(columns, _of_width(rows, len(columns)))


def _of_width(rows: Iterator[Row], width: int) -> Iterator[Row]:
    """Fills up rows whose last cells are empty."""
    for row in rows:
        if len(row.values) > width:
            raise BadContentError(
                "row_width", line=row.line, column=width + 1, count=str(len(row.values)), expected=str(width)
            )
        yield Row(row.values + ("",) * (width - len(row.values)), row.line)


def _rows(file: BinaryIO) -> Iterator[Row]:
    _refuse_long_directory(file)
    try:
        with zipfile.ZipFile(file) as archive:
            _refuse_bomb(archive)
            texts = _shared_texts(archive)
            yield from _sheet(archive, _first_sheet(archive), texts)
    except (zipfile.BadZipFile, zlib.error, KeyError, EOFError, NotImplementedError, RuntimeError, ValueError):
        raise BadContentError("not_xlsx", line=1) from None


def _refuse_long_directory(file: BinaryIO) -> None:
    """The module reads the whole directory of an archive at once. An archive of the ZIP64 format is refused, too."""
    size = file.seek(0, os.SEEK_END)
    file.seek(max(0, size - _MOST_END))
    end = file.read()
    at = end.rfind(_END)
    if at < 0 or len(end) - at < _END_BYTES:
        raise BadContentError("not_xlsx", line=1)
    if int.from_bytes(end[at + 12 : at + 16], "little") > _MOST_DIRECTORY:
        raise BadContentError("archive_too_large", line=1, max=str(MOST_UNPACKED))
    file.seek(0)


def _refuse_bomb(archive: zipfile.ZipFile) -> None:
    """The module unpacks at most the announced size of a part and refuses one whose checksum differs."""
    parts = archive.infolist()
    if len(parts) > _MOST_PARTS or sum(part.file_size for part in parts) > MOST_UNPACKED:
        raise BadContentError("archive_too_large", line=1, max=str(MOST_UNPACKED))
    for part in parts:
        if part.compress_type not in _METHODS:
            raise BadContentError("not_xlsx", line=1)
        if part.filename.endswith(("workbook.xml", ".rels")) and part.file_size > _PIECE * 64:
            raise BadContentError("archive_too_large", line=1, max=str(MOST_UNPACKED))


def _first_sheet(archive: zipfile.ZipFile) -> str:
    ids: list[str] = []
    targets: dict[str, str] = {}

    def sheet(name: str, attributes: dict[str, str]) -> None:
        if name == "sheet":
            ids.append(attributes.get(f"{_RELATION} id") or attributes.get("id", ""))

    def relation(name: str, attributes: dict[str, str]) -> None:
        if name == "Relationship":
            targets[attributes.get("Id", "")] = attributes.get("Target", "")

    _parse(archive, "xl/workbook.xml", sheet)
    _parse(archive, "xl/_rels/workbook.xml.rels", relation)
    target = targets[ids[0]] if ids else ""
    return target.lstrip("/") if target.startswith("/") else f"xl/{target}"


def _parse(archive: zipfile.ZipFile, part: str, started: Started) -> None:
    reader = _Xml(started)
    for _ in reader.pieces(archive, part):
        pass


class _Xml:
    """An XML parser without entities. Names lose their namespace, those of attributes keep it before a blank."""

    def __init__(
        self, started: Started, ended: Callable[[str], None] | None = None, text: Callable[[str], None] | None = None
    ) -> None:
        self._parser = expat.ParserCreate(namespace_separator=" ")
        self._parser.buffer_text = True
        self._parser.StartDoctypeDeclHandler = self._refuse
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.CharacterDataHandler = self._characters
        self._started = started
        self._ended = ended
        self._text = text
        self._depth = 0
        self._silent = 0

    def pieces(self, archive: zipfile.ZipFile, part: str) -> Iterator[None]:
        """Yields after each piece that was parsed."""
        with archive.open(part) as opened:
            try:
                while data := opened.read(_PIECE):
                    self._silent += len(data)
                    self._parser.Parse(data, False)
                    if self._silent > _MOST_SILENT:
                        self._refuse()
                    yield
                self._parser.Parse(b"", True)
                yield
            except expat.ExpatError:
                raise BadContentError("not_xlsx", line=1) from None

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        self._silent = 0
        self._depth += 1
        if self._depth > _MOST_NESTED:
            self._refuse()
        self._started(_local(name), attributes)

    def _end(self, name: str) -> None:
        self._silent = 0
        self._depth -= 1
        if self._ended:
            self._ended(_local(name))

    def _characters(self, text: str) -> None:
        self._silent = 0
        if self._text:
            self._text(text)

    def _refuse(self, *_: object) -> None:
        raise BadContentError("not_xlsx", line=1)


def _local(name: str) -> str:
    return name.rpartition(" ")[2]


class _Texts:
    """Collects the texts of `<t>` elements; those that say how a text is pronounced are left out."""

    def __init__(self) -> None:
        self._inside = 0
        self._silent = 0
        self._parts: list[str] = []
        self._length = 0

    def start(self, name: str) -> None:
        self._silent += name == "rPh"
        self._inside += name == "t"

    def end(self, name: str) -> None:
        self._silent -= name == "rPh"
        self._inside -= name == "t"

    def text(self, text: str) -> None:
        if self._inside and not self._silent:
            self.add(text)

    def add(self, text: str) -> None:
        self._length += len(text)
        if self._length > MOST_CELL * 10:
            raise BadContentError("cell_too_long", line=1, max=str(MOST_CELL))
        self._parts.append(text)

    def take(self) -> str:
        found = _ESCAPE.sub(lambda match: chr(int(match[1], 16)), "".join(self._parts))
        self._parts.clear()
        self._length = 0
        if len(found) > MOST_CELL:
            raise BadContentError("cell_too_long", line=1, max=str(MOST_CELL))
        return found


def _shared_texts(archive: zipfile.ZipFile) -> list[str]:
    part = "xl/sharedStrings.xml"
    if part not in archive.namelist():
        return []
    if archive.getinfo(part).file_size > MOST_SHARED_TEXTS:
        raise BadContentError("too_many_texts", line=1, max=str(MOST_SHARED_TEXTS))
    found: list[str] = []
    texts = _Texts()

    def ended(name: str) -> None:
        texts.end(name)
        if name == "si":
            found.append(texts.take())

    for _ in _Xml(lambda name, _: texts.start(name), ended, texts.text).pieces(archive, part):
        pass
    return found


def _sheet(archive: zipfile.ZipFile, part: str, shared: Sequence[str]) -> Iterator[Row]:
    sheet = _Sheet(shared)
    for _ in _Xml(sheet.start, sheet.end, sheet.text).pieces(archive, part):
        yield from sheet.rows
        sheet.rows.clear()


class _Sheet:
    def __init__(self, shared: Sequence[str]) -> None:
        self.rows: list[Row] = []
        self._shared = shared
        self._texts = _Texts()
        self._cells: list[str] = []
        self._length = 0
        self._line = 0
        self._kind = ""
        self._in_value = False

    def start(self, name: str, attributes: dict[str, str]) -> None:
        match name:
            case "row":
                number = _index(attributes.get("r", ""))
                self._line = self._line + 1 if number is None else number
                self._cells = []
                self._length = 0
            case "c":
                self._begin_cell(attributes)
            case "f":
                raise BadContentError("formula", line=self._line, column=len(self._cells) + 1)
            case "v":
                self._in_value = True
            case _:
                self._texts.start(name)

    def end(self, name: str) -> None:
        match name:
            case "row":
                if any(self._cells):
                    self.rows.append(Row(tuple(self._cells), self._line))
            case "c":
                self._end_cell()
            case "v":
                self._in_value = False
            case _:
                self._texts.end(name)

    def text(self, text: str) -> None:
        if self._in_value:
            self._texts.add(text)
        else:
            self._texts.text(text)

    def _begin_cell(self, attributes: dict[str, str]) -> None:
        self._kind = attributes.get("t", "n")
        letters = _COLUMN.match(attributes.get("r", ""))
        number = _number(letters[0]) if letters else len(self._cells) + 1
        if number > MOST_COLUMNS:
            raise BadContentError("too_many_columns", line=self._line, column=number, max=str(MOST_COLUMNS))
        if number <= len(self._cells):  # repeated, or out of order: its text would get into another column
            raise BadContentError("not_xlsx", line=self._line, column=number)
        self._cells += [""] * (number - 1 - len(self._cells))

    def _end_cell(self) -> None:
        value = self._texts.take()
        if self._kind == "s":
            index = _index(value)
            if index is None or index >= len(self._shared):
                raise BadContentError("not_xlsx", line=self._line)
            value = self._shared[index]
        elif self._kind == "b":
            value = "TRUE" if value == "1" else "FALSE"
        self._length += len(value)
        if self._length > MOST_RECORD:
            raise BadContentError("record_too_large", line=self._line, max=str(MOST_RECORD))
        self._cells.append(checked(value, line=self._line, column=len(self._cells) + 1))


def _index(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdigit() and len(text) <= _MOST_DIGITS else None


def _number(letters: str) -> int:
    """Returns the number of a column, from 1."""
    found = 0
    for letter in letters:
        found = found * 26 + ord(letter) - ord("A") + 1
    return found
