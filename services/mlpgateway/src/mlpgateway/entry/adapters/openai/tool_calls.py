"""Calls of tools in a message, from their chunks."""

import re
from collections.abc import Mapping
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
_LONGEST_LOOK: Final = 64 * 1024
"""Characters. Longer arguments are not looked at: no second call without an `id` is found behind them."""
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
            latest = self._latest.get(index)
            call = self._goes_on_with(latest, chunk) if latest else self._with_id(chunk)
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
        if given and latest.id and given != latest.id:
            return self._with_id(chunk) or (None if _begins(chunk) else latest)
        return None if latest.ends_before(chunk) else latest

    def _with_id(self, chunk: Object) -> "ToolCall | None":
        """Returns the call with the chunk's id; None for a name of a tool, too: some servers have one id for all."""
        given = chunk.get("id")
        return self._by_id.get(given) if isinstance(given, str) and not _name_of(chunk) else None

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
        self._length = self._looks = 0
        self._end = ""
        """The last piece of the arguments or the input that is not blank."""

    @property
    def id(self) -> object:
        return self._fields.get("id")

    def ends_before(self, chunk: Object) -> bool:
        """Returns whether a chunk without another id begins another call: it has a name while this one is complete.

        Some servers repeat the name in each chunk.
        """
        name, own = _name_of(chunk), _name_of(self._tools)
        has_other_name = bool(own) and name != own
        if not name or not (has_other_name or (not chunk.get("id") and _has_input(chunk))):
            return False
        return self._is_whole() or (has_other_name and not self._end and not chunk.get("id"))

    def _is_whole(self) -> bool:
        """Returns whether the arguments are a complete object."""
        if not self._end.endswith("}") or self._looks == _MOST_LOOKS or self._length > _LONGEST_LOOK:
            return False
        self._looks += 1
        return is_json("".join(self._pieces.get("function", ())))

    def add(self, chunk: Object) -> None:
        """Raises UnexpectedAnswer."""
        for kind, content in _INPUTS.items():
            for part in objects([chunk.get(kind)]):
                piece = argument_text(part.get(content)) or ""
                self._pieces.setdefault(kind, []).append(piece)
                self._length += len(piece)
                self._end = piece.rstrip() or self._end
                named = {name: value for name, value in part.items() if name != content and value is not None}
                self._budget.update(self._tools.setdefault(kind, {}), named)
        own = ((name, value) for name, value in chunk.items() if name not in {*_INPUTS, "index"})
        known = {"id": self.id} if self.id else {}
        self._budget.update(self._fields, {name: value for name, value in own if value is not None} | known)

    def joined(self) -> Object:
        tools = {kind: {**tool, _INPUTS[kind]: "".join(self._pieces[kind])} for kind, tool in self._tools.items()}
        return {**tools, **self._fields}


def _name_of(chunk: Mapping[str, object]) -> object:
    return next((tool["name"] for tool in objects([chunk.get(kind) for kind in _INPUTS]) if tool.get("name")), None)


def _has_input(chunk: Object) -> bool:
    parts = [(part, content) for kind, content in _INPUTS.items() for part in objects([chunk.get(kind)])]
    return any((argument_text(part.get(content)) or "").strip() for part, content in parts)


def _begins(chunk: Object) -> bool:
    """Returns whether a chunk with an unknown id begins a call: it names a tool, or it says nothing of one."""
    return bool(_name_of(chunk)) or not any(objects([chunk.get(kind)]) for kind in _INPUTS)


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
