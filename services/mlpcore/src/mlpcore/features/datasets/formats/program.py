"""The program that works on one content, in a process of its own.

Standard input is the request, one line of JSON, and then the content, unless that is an open file. Standard output is
the answer as JSON. The process has bounds of memory, processor time and written bytes, so that no content stops the
service, however it is made.
"""

import errno
import io
import json
import os
import resource
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from typing import Any, BinaryIO, Final, cast

from mlpcore.features.datasets.formats import contents
from mlpcore.features.datasets.formats.problems import BadContentError
from mlpcore.features.datasets.formats.rows import Row, Table
from mlpcore.features.datasets.formats.types import COLUMNS, parse_type

_LOWER_PRIORITY: Final = 10
_PIECE: Final = 256 * 1024

Answer = dict[str, Any]


class PageTooLargeError(Exception):
    """The rows of a page have more bytes than an answer may have."""


@dataclass(frozen=True, slots=True)
class ConversionRequest:
    """`content`, `output`: file descriptors; without a content it follows on standard input, or is empty if `empty`.

    `memory`, `written` and `answered` bound bytes, `seconds` processor time.
    """

    operation: str
    data_type: str
    columns: list[str] | None
    content: int | None
    empty: bool
    output: int | None
    memory: int
    seconds: int
    written: int
    answered: int
    args: dict[str, Any]


def main() -> None:
    request = ConversionRequest(**json.loads(sys.stdin.buffer.readline()))
    _set_bounds(request)
    try:
        answer: Answer = _OPERATIONS[request.operation](request)
    except BadContentError as error:
        answer = {"problem": error.problem, "line": error.line, "column": error.column, "details": error.details}
    except (MemoryError, RecursionError):
        answer = {"problem": "too_complex", "line": 1, "column": 1, "details": {}}
    except PageTooLargeError:
        answer = {"too_large": "page"}
    except OSError as error:
        if error.errno != errno.EFBIG:  # of RLIMIT_FSIZE
            raise
        answer = {"too_large": "output"}
    sys.stdout.write(json.dumps(answer))


def _set_bounds(request: ConversionRequest) -> None:
    os.nice(_LOWER_PRIORITY)
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    bounds = {
        resource.RLIMIT_AS: request.memory,
        resource.RLIMIT_CPU: request.seconds,
        resource.RLIMIT_FSIZE: request.written,
        resource.RLIMIT_CORE: 0,
    }
    for name, bound in bounds.items():
        with suppress(ValueError, OSError):  # macOS has no bound of the address space
            resource.setrlimit(name, (bound, bound))


def _check(request: ConversionRequest) -> Answer:
    found = contents.check(request.data_type, _content(request))
    warnings = [[each.code, dict(each.args)] for each in found.warnings]
    return {"rows": found.rows, "columns": found.columns, "warnings": warnings}


def _convert(request: ConversionRequest) -> Answer:
    return _write(request, request.args["target"], _table(request))


def _change(request: ConversionRequest) -> Answer:
    changes = [
        contents.Change(row, None if values is None else tuple(values)) for row, values in request.args["changes"]
    ]
    added = [tuple(values) for values in request.args["added"]]
    return _write(request, request.data_type, contents.changed(_table(request), changes, added))


def _page(request: ConversionRequest) -> Answer:
    first, size, left = request.args["first"], request.args["size"], request.answered
    rows: list[tuple[str, ...]] = []
    for row in islice(_table(request).rows, first, first + size):
        left -= len(json.dumps(row.values))
        if left < 0:
            raise PageTooLargeError
        rows.append(row.values)
    return {"rows": rows}


_OPERATIONS: Final[dict[str, Callable[[ConversionRequest], Answer]]] = {
    "check": _check,
    "convert": _convert,
    "change": _change,
    "page": _page,
}


def _write(request: ConversionRequest, data_type: str, table: Table) -> Answer:
    if request.output is None:
        raise ValueError("the request names no output")
    with open(request.output, "r+b", closefd=False) as output:
        contents.write(data_type, table, cast("BinaryIO", output))
        output.flush()
        return {"size": output.tell()}


def _table(request: ConversionRequest) -> Table:
    if request.empty:
        nothing: Iterator[Row] = iter(())
        return Table(COLUMNS[parse_type(request.data_type).kind], nothing)
    return contents.read(request.data_type, _content(request), request.columns)


def _content(request: ConversionRequest) -> BinaryIO:
    if request.content is not None:
        file = open(request.content, "rb", closefd=False)  # noqa: SIM115  open until the end of the process
        file.seek(0)
        return cast("BinaryIO", file)
    return cast("BinaryIO", io.BufferedReader(_Rest(cast("io.BufferedReader", sys.stdin.buffer)), _PIECE))


class _Rest(io.RawIOBase):
    """What follows on standard input, as a file that is read once, from the start."""

    def __init__(self, source: io.BufferedReader) -> None:
        super().__init__()
        self._source = source
        self._at = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        if (offset, whence, self._at) != (0, io.SEEK_SET, 0):
            raise io.UnsupportedOperation("seek")
        return 0

    def tell(self) -> int:
        return self._at

    def readinto(self, buffer: memoryview) -> int:  # pyright: ignore[reportIncompatibleMethodOverride]  # what BufferedReader passes
        data = self._source.read1(len(buffer))
        buffer[: len(data)] = data
        self._at += len(data)
        return len(data)


if __name__ == "__main__":
    main()
