"""plain/texts: a text a line."""

from collections.abc import Iterator, Sequence
from typing import BinaryIO

from mlpcore.features.datasets.formats.problems import BadContentError
from mlpcore.features.datasets.formats.rows import Row, Table
from mlpcore.features.datasets.formats.text_lines import BOM, lines_of


def read_plain(file: BinaryIO) -> Table:
    return Table(("text",), (Row((_without_end(text),), number) for number, text in lines_of(file)))


def write_plain(columns: Sequence[str], rows: Iterator[Row], file: BinaryIO) -> None:
    del columns
    for number, row in enumerate(rows):
        text = row.values[0]
        if not number and text.startswith("\ufeff"):
            file.write(BOM)  # reading takes the first one for the mark of the file
        if "\n" in text or text.endswith("\r"):
            raise BadContentError("line_break", line=row.line, column=row.column)
        file.write(text.encode() + b"\n")


def _without_end(line: str) -> str:
    return line.removesuffix("\n").removesuffix("\r")
