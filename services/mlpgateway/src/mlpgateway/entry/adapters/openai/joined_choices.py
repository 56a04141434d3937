"""Choices of a conversation, from their chunks."""

from typing import Final, cast

import msgspec

from mlpgateway.entry.adapters.openai.conversations import members_of
from mlpgateway.entry.adapters.openai.envelope import TEXT
from mlpgateway.entry.adapters.openai.objects import Object, objects
from mlpgateway.entry.adapters.openai.pieces import Contents, FieldBudget, items_in, list_of
from mlpgateway.entry.adapters.openai.tool_calls import ToolCall, ToolCalls

_APART: Final = frozenset({"delta", "message", "text", "logprobs", "token_ids"})
"""Members of a choice that are joined. The others have their last value."""
_CONTENTS: Final = ("content", "tool_calls", "function_call", "audio", "refusal")
"""A message with one of these repeats the deltas before it."""
_WHOLE: Final = frozenset({"role", "id", "type", "name", "object", "model"})
"""Texts of a message that do not come in pieces."""
_OF_PROBABILITIES: Final = ("content", "refusal", "tokens", "token_logprobs", "top_logprobs", "text_offset")
"""The lists in `logprobs` of conversations and of texts."""


class _Probabilities:
    """Lists of the probabilities of tokens, each chunk with those of its own."""

    def __init__(self, budget: FieldBudget) -> None:
        self._budget = budget
        self._pieces: dict[str, list[bytes]] = {}
        self._fields: Object = {}

    def add(self, value: object) -> None:
        """Raises UnexpectedAnswer."""
        text = bytes(value) if isinstance(value, msgspec.Raw) else msgspec.json.encode(value)
        if not text.startswith(b"{"):
            return
        for name, raw in members_of(text, _OF_PROBABILITIES, "chat").items():
            items = items_in(raw)
            if items is None:
                self._budget.update(self._fields, {name: raw})
                continue
            if name not in self._pieces:
                self._budget.take()
                self._pieces[name] = []
            self._pieces[name].append(items)

    def joined(self) -> Object | None:
        """Returns None if no chunk had any."""
        lists = {name: list_of(pieces) for name, pieces in self._pieces.items()}
        return {**self._fields, **lists} or None


class JoinedChoice:
    """One choice of an answer."""

    def __init__(self, budget: FieldBudget) -> None:
        budget.take()
        self._budget = budget
        self._fields: Object = {"finish_reason": None}
        self._own = Contents(budget)
        self._probabilities = _Probabilities(budget)
        self._message: _Message | None = None
        self._by_deltas = False
        """Whether the latest part of the message was a delta."""

    def add(self, chunk: Object) -> None:
        """Raises UnexpectedAnswer."""
        own = ((name, value) for name, value in chunk.items() if name not in _APART and value is not None)
        self._budget.update(self._fields, dict(own))
        if isinstance(text := chunk.get("text"), str):
            self._own.add("text", text)
        if (ids := items_in(chunk.get("token_ids"))) is not None:
            self._own.add("token_ids", ids)
        if (probabilities := chunk.get("logprobs")) is not None:
            self._fields.setdefault("logprobs", None)  # keeps its place among the fields
            self._probabilities.add(probabilities)
        for said in objects([chunk.get("delta") or chunk.get("message")]):
            by_delta = bool(chunk.get("delta"))
            repeats = self._by_deltas and not by_delta and any(map(said.get, _CONTENTS))
            if self._message is None or repeats:
                self._message = _Message(self._budget)
            self._by_deltas = by_delta
            self._message.add(said)

    def joined(self, kind: str) -> Object:
        """Returns the choice with a message, or with a text if the chunks had no messages."""
        text = self._own.joined()
        fields = self._fields
        if "logprobs" in fields:
            fields = {**fields, "logprobs": self._probabilities.joined()}
        if self._message is None and ("text" in text or kind == TEXT):
            return {"text": "", **text, **fields}
        return {"message": (self._message or _Message(self._budget)).joined(), **text, **fields}


class _Message:
    """What a choice says."""

    def __init__(self, budget: FieldBudget) -> None:
        self._budget = budget
        self._fields: Object = {"role": "assistant", "content": None}
        self._contents = Contents(budget)
        self._audio: _Audio | None = None
        self._function_call: ToolCall | None = None
        self._calls = ToolCalls(budget)

    def add(self, said: Object) -> None:
        """Raises UnexpectedAnswer."""
        for name, value in said.items():
            if name == "tool_calls":
                self._calls.add(objects(value))
            elif name == "function_call" and isinstance(value, dict):
                self._function_call = self._function_call or ToolCall(self._budget)
                self._function_call.add({"function": value})
            elif name == "audio" and isinstance(value, dict):
                self._audio = self._audio or _Audio(self._budget)
                self._audio.add(cast("Object", value))
            elif isinstance(value, str) and name not in _WHOLE:
                self._contents.add(name, value)
            elif (items := items_in(value)) is not None:
                self._contents.add(name, items)
            elif value is not None:
                self._budget.update(self._fields, {name: value})

    def joined(self) -> Object:
        calls = self._calls.joined()
        more: Object = {"tool_calls": calls} if calls else {}
        if self._function_call is not None:
            more["function_call"] = self._function_call.joined()["function"]
        if self._audio is not None:
            more["audio"] = self._audio.joined()
        return {**self._fields, **self._contents.joined(), **more}


class _Audio:
    """A sound and its transcript, which come in pieces."""

    def __init__(self, budget: FieldBudget) -> None:
        self._budget = budget
        self._fields: Object = {}
        self._contents = Contents(budget)

    def add(self, chunk: Object) -> None:
        for name, value in chunk.items():
            if name in {"data", "transcript"} and isinstance(value, str):
                self._contents.add(name, value)
            else:
                self._budget.update(self._fields, {name: value})

    def joined(self) -> Object:
        return {**self._fields, **self._contents.joined()}
