"""Choices of a conversation, from their chunks."""

from collections.abc import Mapping
from typing import Final

import msgspec

from mlpgateway.entry.adapters.openai.conversations import members_of
from mlpgateway.entry.adapters.openai.envelope import TEXT
from mlpgateway.entry.adapters.openai.objects import Object, objects
from mlpgateway.errors.gate import UnexpectedAnswer

_MOST_KEPT: Final = 50_000
_SAID: Final = frozenset({"delta", "message", "text", "logprobs"})
_OF_PROBABILITIES: Final = ("content", "refusal", "tokens", "token_logprobs", "top_logprobs", "text_offset")
"""The lists in `logprobs` of conversations and of texts."""


class Room:
    """Bounds the different fields, choices and calls of one answer: each of millions of chunks may name others."""

    def __init__(self) -> None:
        self._left = _MOST_KEPT

    def take(self) -> None:
        """Raises UnexpectedAnswer."""
        self._left -= 1
        if self._left < 0:
            raise UnexpectedAnswer(operation="chat", kind=f"more than {_MOST_KEPT} different fields")

    def update(self, fields: Object, given: Mapping[str, object]) -> None:
        """Raises UnexpectedAnswer."""
        for name, value in given.items():
            if name not in fields:
                self.take()
            fields[name] = as_text_if_large(value)


def as_text_if_large(value: object) -> object:
    """Returns a list or an object that is not empty as JSON text: as objects, many would take much memory."""
    return msgspec.Raw(msgspec.json.encode(value)) if value and isinstance(value, (dict, list)) else value


def _items_in(value: object) -> bytes | None:
    """Returns the JSON text between the brackets of a list; None for another value."""
    if not isinstance(value, (list, msgspec.Raw)):
        return None
    text = bytes(value) if isinstance(value, msgspec.Raw) else msgspec.json.encode(value)
    return text[1:-1].strip() if text.startswith(b"[") else None


def _list_of(items: list[bytes]) -> msgspec.Raw:
    return msgspec.Raw(b"[%b]" % b",".join(filter(None, items)))


class _Contents:
    """Fields whose values come in pieces: texts, and the items of lists as JSON text.

    They are joined once: each join copies all that came before.
    """

    def __init__(self, room: Room) -> None:
        self._room = room
        self._pieces: dict[str, list[str | bytes]] = {}

    def add(self, name: str, piece: str | bytes) -> None:
        if name not in self._pieces:
            self._room.take()
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
    return _list_of(list(parts))


class _Probabilities:
    """Lists of the probabilities of tokens, each chunk with those of its own."""

    def __init__(self, room: Room) -> None:
        self._room = room
        self._pieces: dict[str, list[bytes]] = {}
        self._fields: Object = {}

    def add(self, value: object) -> None:
        """Raises UnexpectedAnswer."""
        text = bytes(value) if isinstance(value, msgspec.Raw) else msgspec.json.encode(value)
        if not text.startswith(b"{"):
            return
        for name, raw in members_of(text, _OF_PROBABILITIES, "chat").items():
            items = _items_in(raw)
            if items is None:
                self._room.update(self._fields, {name: raw})
                continue
            if name not in self._pieces:
                self._room.take()
                self._pieces[name] = []
            self._pieces[name].append(items)

    def joined(self) -> Object | None:
        """Returns None if no chunk had any."""
        lists = {name: _list_of(pieces) for name, pieces in self._pieces.items()}
        return {**self._fields, **lists} or None


class JoinedChoice:
    """One choice of an answer."""

    def __init__(self, room: Room) -> None:
        room.take()
        self._room = room
        self._fields: Object = {"finish_reason": None}
        self._own = _Contents(room)
        self._speaks = False
        self._said: Object = {"role": "assistant", "content": None}
        self._contents = _Contents(room)
        self._probabilities = _Probabilities(room)
        self._function_call: _Call | None = None
        self._calls: list[_Call] = []
        self._latest: dict[int, _Call] = {}

    def add(self, chunk: Object) -> None:
        """Raises UnexpectedAnswer."""
        own = ((name, value) for name, value in chunk.items() if name not in _SAID and value is not None)
        self._room.update(self._fields, dict(own))
        if isinstance(text := chunk.get("text"), str):
            self._own.add("text", text)
        if (probabilities := chunk.get("logprobs")) is not None:
            self._fields.setdefault("logprobs", None)  # keeps its place among the fields
            self._probabilities.add(probabilities)
        for said in objects([chunk.get("delta") or chunk.get("message")]):
            self._speaks = True
            for name, value in said.items():
                self._say(name, value)

    def _say(self, name: str, value: object) -> None:
        if name == "tool_calls":
            for place, call in enumerate(objects(value)):
                self._call(place_of(call, place), call)
        elif name == "function_call" and isinstance(value, dict):
            self._function_call = self._function_call or _Call(self._room)
            self._function_call.add({"function": value})
        elif isinstance(value, str) and name != "role":
            self._contents.add(name, value)
        elif name == "content" and (items := _items_in(value)) is not None:
            self._contents.add(name, items)
        elif value is not None:
            self._room.update(self._said, {name: value})

    def _call(self, place: int, chunk: Object) -> None:
        """Adds to the call at this place. A chunk with another id and a function's name begins another call.

        Some models give one place to all of them, and some another id to each chunk of one call.
        """
        call = self._latest.get(place)
        if call is None or call.is_another(chunk):
            call = self._latest[place] = _Call(self._room)
            self._calls.append(call)
        call.add(chunk)

    def joined(self, kind: str) -> Object:
        """Returns the choice with a message, or with a text if the chunks had no messages."""
        text = self._own.joined()
        fields = self._fields
        if "logprobs" in fields:
            fields = {**fields, "logprobs": self._probabilities.joined()}
        if not self._speaks and (text or kind == TEXT):
            return {"text": "", **text, **fields}
        calls: Object = {"tool_calls": [call.joined() for call in self._calls]} if self._calls else {}
        if self._function_call is not None:
            calls["function_call"] = self._function_call.joined()["function"]
        return {"message": {**self._said, **self._contents.joined(), **calls}, **text, **fields}


class _Call:
    """One call of a tool, whose arguments come in pieces."""

    def __init__(self, room: Room) -> None:
        room.take()
        self._room = room
        self._fields: Object = {}
        self._function: Object = {}
        self._arguments: list[str] = []

    def is_another(self, chunk: Object) -> bool:
        """Returns whether the chunk belongs to another call."""
        known, given = self._fields.get("id"), chunk.get("id")
        names = any(function.get("name") for function in objects([chunk.get("function")]))
        return bool(given) and bool(known) and given != known and names

    def add(self, chunk: Object) -> None:
        for part in objects([chunk.get("function")]):
            self._arguments.append(argument_text(part.get("arguments")) or "")
            named = ((name, value) for name, value in part.items() if name != "arguments" and value is not None)
            self._room.update(self._function, dict(named))
        own = ((name, value) for name, value in chunk.items() if name not in {"function", "index"})
        known = {"id": self._fields["id"]} if self._fields.get("id") else {}
        self._room.update(self._fields, {name: value for name, value in own if value is not None} | known)

    def joined(self) -> Object:
        return {"function": {**self._function, "arguments": "".join(self._arguments)}, **self._fields}


def argument_text(arguments: object) -> str | None:
    """Returns arguments as they are if they are a text, else as JSON."""
    if arguments is None or isinstance(arguments, str):
        return arguments
    return (bytes(arguments) if isinstance(arguments, msgspec.Raw) else msgspec.json.encode(arguments)).decode()


def place_of(item: Object, default: int) -> int:
    """Returns the index of a choice or a tool call. Raises UnexpectedAnswer for one that is no whole number."""
    index = item.get("index")
    if index is None:
        return default
    if type(index) is not int:
        raise UnexpectedAnswer(operation="chat", kind="an index that is not a whole number")
    return index
