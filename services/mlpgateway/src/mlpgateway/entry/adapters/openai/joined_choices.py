"""Choices of a conversation, from their chunks."""

from collections.abc import Mapping
from typing import Final, cast

import msgspec

from mlpgateway.entry.adapters.openai.envelope import TEXT
from mlpgateway.entry.adapters.openai.objects import Object, objects
from mlpgateway.errors.gate import UnexpectedAnswer

_MOST_KEPT: Final = 50_000
_SAID: Final = frozenset({"delta", "message", "text", "logprobs"})
_raws: Final = msgspec.json.Decoder(dict[str, msgspec.Raw])


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
            fields[name] = value


class _Contents:
    """Fields whose values come in pieces: texts, and lists of parts.

    They are joined once: each join copies all that came before.
    """

    def __init__(self, room: Room) -> None:
        self._room = room
        self._pieces: dict[str, list[str | list[object]]] = {}

    def add(self, name: str, piece: str | list[object]) -> None:
        if name not in self._pieces:
            self._room.take()
            self._pieces[name] = []
        self._pieces[name].append(piece)

    def joined(self) -> Object:
        return {name: _joined(pieces) for name, pieces in self._pieces.items()}


def _joined(pieces: list[str | list[object]]) -> str | list[object]:
    """Returns the text; a list of parts where one piece is a list."""
    texts = [piece for piece in pieces if isinstance(piece, str)]
    if len(texts) == len(pieces):
        return "".join(texts)
    parts: list[object] = []
    for piece in pieces:
        if isinstance(piece, list):
            parts += piece
        elif piece:
            parts.append({"type": "text", "text": piece})
    return parts


class _Probabilities:
    """Lists of the probabilities of tokens, each chunk with those of its own. They stay JSON text."""

    def __init__(self, room: Room) -> None:
        self._room = room
        self._pieces: dict[str, list[bytes]] = {}
        self._fields: Object = {}

    def add(self, value: object) -> None:
        text = bytes(value) if isinstance(value, msgspec.Raw) else msgspec.json.encode(value)
        if not text.startswith(b"{"):
            return
        for name, raw in _raws.decode(text).items():
            inner = bytes(raw)
            if not inner.startswith(b"["):
                self._room.update(self._fields, {name: raw})
                continue
            if name not in self._pieces:
                self._room.take()
                self._pieces[name] = []
            if items := inner[1:-1].strip():
                self._pieces[name].append(items)

    def joined(self) -> Object | None:
        """Returns None if no chunk had any."""
        lists = {name: msgspec.Raw(b"[%b]" % b",".join(pieces)) for name, pieces in self._pieces.items()}
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
        self._function: _Call | None = None
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
            self._function = self._function or _Call(self._room)
            self._function.add({"function": value})
        elif name == "content" and isinstance(value, list):
            self._contents.add(name, cast("list[object]", value))
        elif isinstance(value, str) and name != "role":
            self._contents.add(name, value)
        elif value is not None:
            self._room.update(self._said, {name: value})

    def _call(self, place: int, chunk: Object) -> None:
        """Adds to the call at this place. Another id begins another call: some models give all of them one place."""
        call = self._latest.get(place)
        if call is None or call.is_another(chunk.get("id")):
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
        if self._function is not None:
            calls["function_call"] = self._function.joined()["function"]
        return {"message": {**self._said, **self._contents.joined(), **calls}, **text, **fields}


class _Call:
    """One call of a tool, whose arguments come in pieces."""

    def __init__(self, room: Room) -> None:
        room.take()
        self._room = room
        self._fields: Object = {}
        self._function: Object = {}
        self._arguments: list[str] = []

    def is_another(self, given: object) -> bool:
        """Returns whether a chunk with this id belongs to another call."""
        known = self._fields.get("id")
        return bool(given) and bool(known) and given != known

    def add(self, chunk: Object) -> None:
        for part in objects([chunk.get("function")]):
            self._arguments.append(argument_text(part.get("arguments")) or "")
            named = ((name, value) for name, value in part.items() if name != "arguments" and value is not None)
            self._room.update(self._function, dict(named))
        own = ((name, value) for name, value in chunk.items() if name not in {"function", "index"})
        self._room.update(self._fields, {name: value for name, value in own if value is not None})

    def joined(self) -> Object:
        return {"function": {**self._function, "arguments": "".join(self._arguments)}, **self._fields}


def argument_text(arguments: object) -> str | None:
    """Returns arguments as they are if they are a text, else as JSON."""
    if arguments is None or isinstance(arguments, str):
        return arguments
    return msgspec.json.encode(arguments).decode()


def place_of(item: Object, default: int) -> int:
    """Returns the index of a choice or a tool call. Raises UnexpectedAnswer for one that is no whole number."""
    index = item.get("index")
    if index is None:
        return default
    if type(index) is not int:
        raise UnexpectedAnswer(operation="chat", kind="an index that is not a whole number")
    return index
