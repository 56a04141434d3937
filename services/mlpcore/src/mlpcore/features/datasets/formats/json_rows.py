"""JSON documents that list rows, such as {"items": [{"text": …, "label": …}]}."""

import json
from collections.abc import Iterator, Sequence
from typing import BinaryIO, Final, cast

from mlpcore.features.datasets.formats.json_text import JsonText
from mlpcore.features.datasets.formats.problems import MOST_COLUMNS, MOST_NAME, BadContentError
from mlpcore.features.datasets.formats.rows import Row, Table
from mlpcore.features.datasets.formats.types import COLUMNS, LISTS

Entry = tuple[dict[str, str], int, int]
_MORE_COLUMNS: Final = frozenset({"faq"})


def read_json(file: BinaryIO, kind: str, columns: Sequence[str] | None = None) -> Table:
    """`columns`: those of the whole document, if they are known. If not, the document is read twice for them."""
    names = tuple(columns) if columns else _columns(file, kind)
    rows = (
        Row(tuple(values.get(name, "") for name in names), line, column)
        for values, line, column in _entries(file, kind)
    )
    return Table(names, rows)


def write_json(kind: str, columns: Sequence[str], rows: Iterator[Row], file: BinaryIO) -> None:
    file.write(f'{{"{LISTS[kind]}": ['.encode())
    for number, row in enumerate(rows):
        entry: object = row.values[0] if kind == "texts" else dict(zip(columns, row.values, strict=True))
        file.write((",\n  " if number else "\n  ").encode() + json.dumps(entry, ensure_ascii=False).encode())
    file.write(b"\n]}\n")


def _columns(file: BinaryIO, kind: str) -> tuple[str, ...]:
    required = COLUMNS[kind]
    if kind not in _MORE_COLUMNS:
        return required
    found = dict.fromkeys(required)
    for values, line, column in _entries(file, kind):
        if any(len(name) > MOST_NAME for name in values):
            raise BadContentError("name_too_long", line=line, column=column, max=str(MOST_NAME))
        found.update(dict.fromkeys(values))
        if len(found) > MOST_COLUMNS:
            raise BadContentError("too_many_columns", line=line, column=column, max=str(MOST_COLUMNS))
    return tuple(found)


def _entries(file: BinaryIO, kind: str) -> Iterator[Entry]:
    """Yields the rows with their places. Fields beside the list are read and left out."""
    text, name = JsonText(file), LISTS[kind]
    if not text.peek():
        return
    expected = f'an object with the list "{name}"'
    if not text.take("{"):
        raise text.refusal("shape", expected=expected)
    listed = False
    while not text.take("}"):
        if text.peek() != '"':
            raise text.refusal("not_json")
        key = text.value()
        text.expect(":")
        if key == name and not listed:
            listed = True
            yield from _list(text, kind)
        else:
            text.skip()
        if not text.take(","):
            text.expect("}")
            break
    if not listed:
        raise BadContentError("shape", line=1, expected=expected)
    text.end()


def _list(text: JsonText, kind: str) -> Iterator[Entry]:
    if not text.take("["):
        raise text.refusal("shape", expected="a list")
    if text.take("]"):
        return
    while True:
        line, column = text.place()
        yield _row(text.value(), kind, line, column), line, column
        if not text.take(","):
            text.expect("]")
            return


def _row(value: object, kind: str, line: int, column: int) -> dict[str, str]:
    required = COLUMNS[kind]
    if kind == "texts":
        if not isinstance(value, str):
            raise BadContentError("shape", line=line, column=column, expected="a text")
        return {"text": value}
    expected = "an object with the texts " + ", ".join(f'"{name}"' for name in required)
    if not isinstance(value, dict):
        raise BadContentError("shape", line=line, column=column, expected=expected)
    entry = cast("dict[str, object]", value)
    found = {name: text for name, text in entry.items() if isinstance(text, str)}
    unknown = kind not in _MORE_COLUMNS and len(entry) != len(required)
    if unknown or len(found) != len(entry) or "" in found or any(name not in found for name in required):
        raise BadContentError("shape", line=line, column=column, expected=expected)
    return found
