"""Reads a streamed answer over HTTP: server-sent events, as the gate writes them.

As lines of JSON, an error after the first part and a part that looks like one could not be told apart.
"""

from collections.abc import Iterator
from http import HTTPStatus
from typing import cast

from mlplace.calling.rest import broken_off, error_from_body
from mlplace.calling.values import Json, read_json


class PartsOfEvents:
    """Feed it with the bytes of one answer, then call ``end``.

    Events without a name are parts; one named ``error`` is the error that ends the answer, one named ``end`` its end.
    Only line feeds end lines: the texts of a part may hold what Unicode takes for line breaks.
    """

    def __init__(self) -> None:
        self._rest = b""
        self._name = ""
        self._data: list[bytes] = []
        self._ended = False

    def feed(self, chunk: bytes) -> Iterator[Json]:
        """Yields the parts that are complete. Raises ``MlpError`` for an event with an error, and for a part that is no
        JSON.
        """
        *lines, self._rest = (self._rest + chunk).split(b"\n")
        for line in lines:
            yield from self._read(line.removesuffix(b"\r"))

    def end(self) -> None:
        """Raises ``MlpError`` if the answer has no end: its connection may close as after a whole one."""
        if not self._ended:
            raise broken_off()

    def _read(self, line: bytes) -> Iterator[Json]:
        if line:
            field, _, value = line.partition(b":")
            value = value.removeprefix(b" ")
            if field == b"event":
                self._name = value.decode(errors="replace")
            elif field == b"data":
                self._data.append(value)
            return
        name, data = self._name, b"\n".join(self._data)
        self._name, self._data = "", []
        if name == "error":
            body = read_json(data)
            named = cast("dict[str, Json]", body) if isinstance(body, dict) else {}
            raise error_from_body(named, HTTPStatus.INTERNAL_SERVER_ERROR)
        if name == "end":
            self._ended = True
        elif data and not name:
            yield read_json(data)
