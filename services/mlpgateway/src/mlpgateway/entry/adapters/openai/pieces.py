"""Fields of an answer whose values come in pieces, and how many of them there may be."""

from collections.abc import Mapping
from typing import Final

import msgspec

from mlpgateway.entry.adapters.openai.objects import Object
from mlpgateway.errors.gate import UnexpectedAnswer

_MOST_KEPT: Final = 50_000


class FieldBudget:
    """Bounds the different fields, choices and calls of one answer: each of millions of chunks may name others."""

    def __init__(self) -> None:
        self._left = _MOST_KEPT

    def take(self) -> None:
        """Raises UnexpectedAnswer."""
        self._left -= 1
        if self._left < 0:
            raise UnexpectedAnswer(operation="chat", kind=f"more than {_MOST_KEPT} different fields")

    def update(self, fields: Object, given: Mapping[str, object]) -> None:
        """Gives fields their last value. `null` and an empty text replace none: some servers repeat all names so.

        Raises UnexpectedAnswer.
        """
        for name, value in given.items():
            if name not in fields:
                self.take()
            elif value is None or value == "":
                continue
            fields[name] = as_json_text(value)


def as_json_text(value: object) -> object:
    """Returns a list or an object that is not empty as JSON text: as objects, many would take much memory."""
    return msgspec.Raw(msgspec.json.encode(value)) if value and isinstance(value, (dict, list)) else value


def items_in(value: object) -> bytes | None:
    """Returns the JSON text between the brackets of a list; None for another value."""
    if not isinstance(value, (list, msgspec.Raw)):
        return None
    text = bytes(value) if isinstance(value, msgspec.Raw) else msgspec.json.encode(value)
    return text[1:-1].strip() if text.startswith(b"[") else None


def list_of(items: list[bytes]) -> msgspec.Raw:
    return msgspec.Raw(b"[%b]" % b",".join(filter(None, items)))


class Contents:
    """Fields whose values come in pieces: texts, and the items of lists as JSON text.

    They are joined once: each join copies all that came before.
    """

    def __init__(self, budget: FieldBudget) -> None:
        self._budget = budget
        self._pieces: dict[str, list[str | bytes]] = {}

    def add(self, name: str, piece: str | bytes) -> None:
        if name not in self._pieces:
            self._budget.take()
            self._pieces[name] = []
        self._pieces[name].append(piece)

    def joined(self) -> Object:
        return {name: _joined(pieces) for name, pieces in self._pieces.items()}


def _joined(pieces: list[str | bytes]) -> str | msgspec.Raw:
    """Returns the text; a list of parts where one piece is of a list."""
    texts = [piece for piece in pieces if isinstance(piece, str)]
    if len(texts) == len(pieces):
        return "".join(texts)
    parts = (
        piece if isinstance(piece, bytes) else msgspec.json.encode({"type": "text", "text": piece})
        for piece in pieces
        if piece
    )
    return list_of(list(parts))
