"""Reads a JSON document in pieces: values that fit into a record at once, larger ones level by level."""

import codecs
import json
import re
from typing import BinaryIO, Final, cast

from mlpcore.features.datasets.formats.problems import MOST_DEPTH, MOST_RECORD, BadContentError
from mlpcore.features.datasets.formats.rows import checked

_PIECE: Final = 256 * 1024
_BLANK: Final = re.compile(r"[ \t\n\r]*")
_ESCAPED: Final = re.compile(r"\\u(?:0000|[dD][89a-fA-F])")


def _refuse_constant(name: str) -> object:
    raise ValueError(name)  # NaN and Infinity


# Numbers are checked, and nothing uses them: an int of a million digits would take seconds.
_DECODER: Final = json.JSONDecoder(parse_constant=_refuse_constant, parse_int=len, parse_float=len)


class JsonText:
    """A position in a document. All methods that read skip blanks first and raise BadContentError."""

    def __init__(self, file: BinaryIO) -> None:
        file.seek(0)
        self._file = file
        self._decoder = codecs.getincrementaldecoder("utf-8-sig")()
        self._buffer = ""
        self._at = 0
        self._line = self._column = 1  # of the character at `_known`
        self._known = 0
        self._ended = False

    def place(self) -> tuple[int, int]:
        """Returns line and column of the next character that is not blank."""
        self.peek()
        self._line, self._column = self._place(self._at)
        self._known = self._at
        return self._line, self._column

    def peek(self) -> str:
        """Returns the next character that is not blank; empty at the end."""
        while True:
            match = _BLANK.match(self._buffer, self._at)
            self._at = match.end() if match else self._at
            if self._at < len(self._buffer):
                return self._buffer[self._at]
            if not self._more():
                return ""

    def take(self, wanted: str) -> bool:
        """Passes the character if it is the next one."""
        found = self.peek() == wanted
        self._at += found
        return found

    def expect(self, wanted: str) -> None:
        if not self.take(wanted):
            raise self.refusal("not_json")

    def refusal(self, problem: str, **args: str) -> BadContentError:
        line, column = self.place()
        return BadContentError(problem, line=line, column=column, **args)

    def value(self) -> object:
        """Reads a value of at most MOST_RECORD characters. Numbers are the lengths of their text."""
        while True:
            self.peek()
            try:
                found, end = cast("tuple[object, int]", _DECODER.raw_decode(self._buffer, self._at))
            except json.JSONDecodeError as error:
                self._more_or_refuse(error.pos)
            except RecursionError:
                raise self.refusal("too_deep", max=str(MOST_DEPTH)) from None
            except ValueError:
                raise self.refusal("not_json") from None
            else:
                if end < len(self._buffer) or not self._more():
                    self._check_escapes(found, end)
                    self._at = end
                    return found

    def skip(self) -> None:
        """Reads a value of any size, and keeps nothing of it."""
        closing: list[str] = []
        while True:
            if not self._skipped_at_once():
                closing.append("}" if self.take("{") else "]")
                if closing[-1] == "]":
                    self.expect("[")
                if len(closing) > MOST_DEPTH:
                    raise self.refusal("too_deep", max=str(MOST_DEPTH))
                if not self.take(closing[-1]):
                    self._key(closing[-1])
                    continue
                closing.pop()
            while closing and not self.take(","):
                self.expect(closing.pop())
            if not closing:
                return
            self._key(closing[-1])

    def end(self) -> None:
        if self.peek():
            raise self.refusal("trailing")

    def _key(self, closing: str) -> None:
        if closing == "}":
            if self.peek() != '"':
                raise self.refusal("not_json")
            self.value()
            self.expect(":")

    def _skipped_at_once(self) -> bool:
        """Reads the value if it is no list or object, or one that is short. Returns False, at its start, if not."""
        if self.peek() not in {"{", "["}:
            self.value()
            return True
        for _ in range(2):
            try:
                found, end = cast("tuple[object, int]", _DECODER.raw_decode(self._buffer, self._at))
            except json.JSONDecodeError as error:
                if self._ended:
                    raise self._refusal_at("not_json", error.pos) from None
                if len(self._buffer) - self._at < _PIECE:
                    self._more()
                    continue
                return False
            except RecursionError:
                raise self.refusal("too_deep", max=str(MOST_DEPTH)) from None
            except ValueError:
                raise self.refusal("not_json") from None
            self._check_escapes(found, end)
            self._at = end
            return True
        return False

    def _more_or_refuse(self, position: int) -> None:
        if len(self._buffer) - self._at > MOST_RECORD:
            raise self.refusal("record_too_large", max=str(MOST_RECORD))
        moved = position - self._at
        if not self._more():
            raise self._refusal_at("not_json", self._at + moved)

    def _refusal_at(self, problem: str, position: int) -> BadContentError:
        line, column = self._place(min(position, len(self._buffer)))
        return BadContentError(problem, line=line, column=column)

    def _check_escapes(self, value: object, end: int) -> None:
        """Surrogates and NUL come only from escapes: others would not be UTF-8, or were refused while decoding."""
        if _ESCAPED.search(self._buffer, self._at, end):
            line, column = self._place(self._at)
            _check_texts(value, line, column)

    def _more(self) -> bool:
        """Reads another piece and drops what was read. Returns False at the end of the file."""
        if self._ended:
            return False
        self._line, self._column = self._place(self._at)
        self._known = 0  # of the buffer without what was read
        data = self._file.read(_PIECE)
        self._ended = not data
        try:
            piece = self._decoder.decode(data, final=self._ended)
        except UnicodeDecodeError as error:
            self._buffer, self._at = self._buffer[self._at :] + bytes(error.object[: error.start]).decode(), 0
            raise self._refusal_at("not_utf8", len(self._buffer)) from None
        self._buffer, self._at = self._buffer[self._at :] + piece, 0
        nul = piece.find("\0")
        if nul >= 0:
            raise self._refusal_at("nul", len(self._buffer) - len(piece) + nul)
        return not self._ended or bool(piece)

    def _place(self, position: int) -> tuple[int, int]:
        """Counts from the last known place: a document may have millions of values."""
        breaks = self._buffer.count("\n", self._known, position)
        if not breaks:
            return self._line, self._column + position - self._known
        return self._line + breaks, position - self._buffer.rfind("\n", self._known, position)


def _check_texts(value: object, line: int, column: int) -> None:
    waiting = [value]
    while waiting:
        found = waiting.pop()
        if isinstance(found, str):
            checked(found, line=line, column=column)
        elif isinstance(found, dict):
            entries = cast("dict[object, object]", found)
            waiting += [*entries.keys(), *entries.values()]
        elif isinstance(found, list):
            waiting += cast("list[object]", found)
