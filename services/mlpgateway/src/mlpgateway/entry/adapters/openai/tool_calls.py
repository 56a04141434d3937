"""Calls of tools in a message, from their chunks."""

import re
from typing import Final

import msgspec

from mlpgateway.call.json_text import is_json
from mlpgateway.entry.adapters.openai.objects import Object, objects
from mlpgateway.entry.adapters.openai.pieces import FieldBudget
from mlpgateway.errors.gate import UnexpectedAnswer

_INPUTS: Final = {"function": "arguments", "custom": "input"}
"""The kinds of tools, and what of each comes in pieces."""
_MOST_LOOKS: Final = 100
"""So often the arguments of a call are looked at whole."""
_WHOLE: Final = re.compile(rb"-?\d{1,9}\.0{1,9}")
"""Numbers with a point keep their text: see `read_conversation`."""


class ToolCalls:
    """The calls of one message."""

    def __init__(self, budget: FieldBudget) -> None:
        self._budget = budget
        self._calls: list[ToolCall] = []
        self._latest: dict[int, ToolCall] = {}
        """The call that a chunk with this index goes on with."""
        self._by_id: dict[str, ToolCall] = {}

    def add(self, chunks: list[Object]) -> None:
        """Adds each chunk to the call that it goes on with. Raises UnexpectedAnswer.

        Some servers give one index to all calls, or none; some give another id to each chunk of one call.
        """
        for place, chunk in enumerate(chunks):
            index = index_of(chunk, place)
            known = self._latest.get(index)
            call = known and self._goes_on_with(known, chunk)
            if call is None:
                call = ToolCall(self._budget)
                self._calls.append(call)
            self._latest[index] = call
            call.add(chunk)
            if isinstance(call.id, str):
                self._by_id.setdefault(call.id, call)

    def _goes_on_with(self, latest: "ToolCall", chunk: Object) -> "ToolCall | None":
        """Returns the call of the chunk; None for one that begins another. `latest` is the latest with its index."""
        given = chunk.get("id")
        if not given or not latest.id:
            return None if _name_of(chunk) and latest.is_whole(chunk) else latest
        if given == latest.id:
            return latest
        other = self._by_id.get(given) if isinstance(given, str) else None
        return other or (None if _begins(chunk) else latest)

    def joined(self) -> list[Object]:
        return [call.joined() for call in self._calls]


class ToolCall:
    """One call of a tool, whose arguments or input come in pieces."""

    def __init__(self, budget: FieldBudget) -> None:
        budget.take()
        self._budget = budget
        self._fields: Object = {}
        self._tools: dict[str, Object] = {}
        self._pieces: dict[str, list[str]] = {}
        self._looks = 0

    @property
    def id(self) -> object:
        return self._fields.get("id")

    def is_whole(self, chunk: Object) -> bool:
        """Returns whether the call has all its arguments, so that a chunk with a name and no id is of another call.

        Some servers repeat the name in each chunk.
        """
        pieces = self._pieces.get("function", [])
        if not pieces or not pieces[-1].rstrip().endswith("}") or self._looks == _MOST_LOOKS:
            return False
        self._looks += 1
        another = _name_of(chunk) != self._tools["function"].get("name") or any(_inputs_in(chunk))
        return another and is_json("".join(pieces))

    def add(self, chunk: Object) -> None:
        """Raises UnexpectedAnswer."""
        for kind, content in _INPUTS.items():
            for part in objects([chunk.get(kind)]):
                if (piece := argument_text(part.get(content))) or kind not in self._pieces:
                    self._pieces.setdefault(kind, []).append(piece or "")
                named = {name: value for name, value in part.items() if name != content and value is not None}
                self._budget.update(self._tools.setdefault(kind, {}), named)
        own = ((name, value) for name, value in chunk.items() if name not in {*_INPUTS, "index"})
        known = {"id": self.id} if self.id else {}
        self._budget.update(self._fields, {name: value for name, value in own if value is not None} | known)

    def joined(self) -> Object:
        tools = {kind: {**tool, _INPUTS[kind]: "".join(self._pieces[kind])} for kind, tool in self._tools.items()}
        return {**tools, **self._fields}


def _name_of(chunk: Object) -> object:
    return next((tool["name"] for tool in objects([chunk.get(kind) for kind in _INPUTS]) if tool.get("name")), None)


def _inputs_in(chunk: Object) -> list[str]:
    parts = [(part, content) for kind, content in _INPUTS.items() for part in objects([chunk.get(kind)])]
    return [text for part, content in parts if (text := argument_text(part.get(content)))]


def _begins(chunk: Object) -> bool:
    """Returns whether a chunk with an unknown id begins a call: it names a tool, or it has nothing but the id."""
    return bool(_name_of(chunk)) or not any(_inputs_in(chunk))


def argument_text(arguments: object) -> str | None:
    """Returns arguments as they are if they are a text, else as JSON."""
    return arguments if arguments is None or isinstance(arguments, str) else msgspec.json.encode(arguments).decode()


def index_of(item: Object, default: int) -> int:
    """Returns the index of a choice or a tool call. Raises UnexpectedAnswer for one that is no whole number."""
    index = item.get("index")
    if index is None:
        return default
    if type(index) is int:
        return index
    if isinstance(index, msgspec.Raw) and _WHOLE.fullmatch(bytes(index)):
        return int(float(bytes(index)))
    raise UnexpectedAnswer(operation="chat", kind="an index that is not a whole number")
