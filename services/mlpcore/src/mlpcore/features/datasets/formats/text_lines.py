"""Lines of a text file, decoded one at a time."""

from collections.abc import Iterator
from typing import BinaryIO

from mlpcore.features.datasets.formats.problems import MOST_RECORD, BadContentError

BOM = b"\xef\xbb\xbf"
_ARCHIVE = b"PK\x03\x04"


def refuse_archive(file: BinaryIO) -> None:
    """Raises BadContentError for the beginning of a zip archive. Leaves the file at its start."""
    file.seek(0)
    start = file.read(len(_ARCHIVE))
    file.seek(0)
    if start == _ARCHIVE:
        raise BadContentError("archive", line=1)


def lines_of(file: BinaryIO) -> Iterator[tuple[int, str]]:
    """Yields the number of each line, from 1, and its text with the line break. Memory is that of the longest line."""
    file.seek(0)
    number = 0
    while data := file.readline(MOST_RECORD + 1):
        number += 1
        if len(data) > MOST_RECORD:
            raise BadContentError("record_too_large", line=number, max=str(MOST_RECORD))
        if number == 1:
            data = data.removeprefix(BOM)
        yield number, _decoded(data, number)


def _decoded(data: bytes, number: int) -> str:
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        before = data[: error.start].decode()
        raise BadContentError("not_utf8", line=number, column=len(before) + 1) from None
    nul = text.find("\0")
    if nul >= 0:
        raise BadContentError("nul", line=number, column=nul + 1)
    return text
