"""Bounds of contents, and what can be wrong with one."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

MOST_RECORD: Final = 1024 * 1024
"""Characters of a line, a record or a JSON value that is read as a whole."""
MOST_COLUMNS: Final = 100
MOST_NAME: Final = 128
"""Characters of a column's name."""
MOST_DEPTH: Final = 200
MOST_UNPACKED: Final = 512 * 1024 * 1024
"""Bytes of all files in an xlsx archive together."""
MOST_SHARED_TEXTS: Final = 16 * 1024 * 1024
"""Bytes of an xlsx archive's table of texts, which is held in memory."""
MOST_CELL: Final = 32_767
MOST_SHEET_ROWS: Final = 1_048_576

PROBLEMS: Mapping[str, str] = MappingProxyType(
    {
        "not_utf8": "the bytes are not UTF-8",
        "nul": "the text contains the NUL character",
        "surrogate": "the text contains half of a surrogate pair",
        "not_json": "this is not JSON",
        "trailing": "the JSON document has ended here, and more follows",
        "too_deep": "the JSON document is nested deeper than {max} levels",
        "record_too_large": "a line or a record has more than {max} characters",
        "too_many_columns": "there are more than {max} columns",
        "shape": "expected {expected}",
        "header": "the first row must name the columns {expected}",
        "name_too_long": "a column's name has more than {max} characters",
        "duplicate_column": "two columns have the name {name}",
        "row_width": "the row has {count} columns instead of {expected}",
        "quote": "a quoted field is not closed",
        "not_csv": "this is not CSV",
        "not_xlsx": "this is not an xlsx file",
        "archive_too_large": "the xlsx file unpacks to more than {max} bytes",
        "too_many_texts": "the xlsx file has more than {max} bytes of texts; save it as csv",
        "formula": "the cell contains a formula; replace it by its value",
        "cell_too_long": "an xlsx cell holds at most {max} characters",
        "too_many_rows": "an xlsx sheet holds at most {max} rows",
        "line_break": "a text with a line break does not fit into plain/texts",
        "too_complex": "the content takes too much memory or time to read",
        "archive": "this is an archive or an xlsx file; choose an xlsx data type or upload text",
    }
)


class BadContentError(Exception):
    """The content is not valid for its data type. `line` and `column` count from 1; in a sheet they are its cell's."""

    def __init__(self, problem: str, *, line: int, column: int = 1, **args: str) -> None:
        self.problem = problem
        self.line = line
        self.column = column
        self.details = args
        self.text = PROBLEMS[problem].format_map(args)
        super().__init__(f"line {line}, column {column}: {self.text}")
