"""Conversion between whole and chunked answers of chat models, where the caller wants the other kind."""

import re
from collections.abc import Sequence
from typing import Final

import msgspec

from mlpgateway.call.call import Answer, Payload
from mlpgateway.call.error_bodies import names_error
from mlpgateway.entry.adapters.openai.envelope import TEXT
from mlpgateway.entry.adapters.openai.objects import (
    AN_ERROR,
    Object,
    list_of,
    objects,
    read_verbatim,
    with_payload,
)
from mlpgateway.errors.gate import UnexpectedAnswer

_ARGUMENTS: Final = re.compile(r'"arguments"\s*:\s*[^"\sn]')
"""Matches arguments that are neither a text nor `null`. Nothing within a text matches: quotes in it are escaped."""


def with_text_arguments(answer: Answer) -> Answer:
    """Returns the answer with the arguments of its tool calls as JSON texts: some models send them as objects.

    An answer without such arguments is not read. Raises UnexpectedAnswer for one with very many values.
    """
    if not _ARGUMENTS.search(answer.payload.json or ""):
        return answer
    body = read_verbatim(answer.payload, "chat")
    for choice in objects(body.get("choices")):
        for said in objects([choice.get("message"), choice.get("delta")]):
            for call in objects(said.get("tool_calls")):
                for function in objects([call.get("function")]):
                    if "arguments" in function:
                        function["arguments"] = _argument_text(function["arguments"])
    return with_payload(answer, body)


def _argument_text(arguments: object) -> str | None:
    """Returns arguments as they are if they are a text, else as JSON."""
    if arguments is None or isinstance(arguments, str):
        return arguments
    return msgspec.json.encode(arguments).decode()


def as_chunk(answer: Answer) -> Answer:
    """Returns a whole answer as its only chunk, and a chunk as it is, both with texts as arguments of tool calls.

    Raises UnexpectedAnswer for bytes, and for a whole answer without a list of choices.
    """
    if answer.payload.protobuf is not None:
        raise UnexpectedAnswer(operation="chat", kind="bytes")
    answer = with_text_arguments(answer)
    if answer.partial:
        return answer
    body = read_verbatim(answer.payload, "chat")
    choices = list_of(body, "choices", "chat")
    if not any("message" in choice for choice in choices):
        return answer
    return with_payload(answer, {**body, "object": "chat.completion.chunk", "choices": [*map(_as_delta, choices)]})


def _as_delta(choice: Object) -> Object:
    rest = {name: value for name, value in choice.items() if name != "message"}
    message = next(iter(objects([choice.get("message")])), Object())
    calls = objects(message.get("tool_calls"))
    if calls:
        message = {**message, "tool_calls": [{"index": place, **call} for place, call in enumerate(calls)]}
    return {**rest, "delta": message}


def choices_of(body: Object, endpoint: str) -> list[Object]:
    """Returns the choices of a chunk, which may lack them if it has the usage.

    Raises UnexpectedAnswer for anything but a list of objects, and for an error without choices.
    """
    is_error = names_error(body)
    if is_error and body.get("choices") == []:
        raise UnexpectedAnswer(operation=endpoint, kind=AN_ERROR)
    only_usage = body.get("choices") is None and bool(objects([body.get("usage")])) and not is_error
    return [] if only_usage else list_of(body, "choices", endpoint)


def is_chunk(part: Payload) -> bool:
    """Returns whether a part of an answer has the form of a chunk."""
    try:
        choices_of(read_verbatim(part, "chat"), "chat")
    except UnexpectedAnswer:
        return False
    return True


def folded(chunks: Sequence[Payload], kind: str) -> Object:
    """Joins all chunks of an answer: texts and arguments are concatenated, other fields take the last value.

    `kind` is the value of `object`: CHAT or TEXT. Raises UnexpectedAnswer if there is no chunk, or one of bytes or
    without a list of choices.
    """
    whole: Object = {}
    choices: dict[int, _Choice] = {}
    usage: object = None
    for chunk in chunks:
        if chunk.protobuf:
            raise UnexpectedAnswer(operation="chat", kind="bytes")
        if not chunk.json:
            continue  # the last one may be an empty end mark
        body = read_verbatim(chunk, "chat")
        usage = body.get("usage") or usage
        whole |= body
        for choice in choices_of(body, "chat"):
            choices.setdefault(_place(choice, 0), _Choice()).add(choice)
    if not whole:
        raise UnexpectedAnswer(operation="chat", kind="no chunk")
    whole |= {"object": kind, "choices": [choice.joined(kind) for choice in choices.values()]}
    return whole | {"usage": usage} if usage else whole


class _Texts:
    """Fields whose texts come in pieces. They are joined once: each join copies all of the text so far."""

    def __init__(self) -> None:
        self._pieces: dict[str, list[str]] = {}

    def add(self, name: str, piece: str) -> None:
        self._pieces.setdefault(name, []).append(piece)

    def joined(self) -> dict[str, str]:
        return {name: "".join(pieces) for name, pieces in self._pieces.items()}


class _Choice:
    """One choice of an answer, from its chunks."""

    def __init__(self) -> None:
        self._fields: Object = {"finish_reason": None}
        self._own = _Texts()
        self._speaks = False
        self._said: Object = {"role": "assistant", "content": None}
        self._texts = _Texts()
        self._calls: dict[int, _ToolCall] = {}

    def add(self, chunk: Object) -> None:
        """Raises UnexpectedAnswer."""
        own = ((name, value) for name, value in chunk.items() if name not in {"delta", "message", "text"})
        self._fields |= {name: value for name, value in own if value is not None}
        if isinstance(text := chunk.get("text"), str):
            self._own.add("text", text)
        for said in objects([chunk.get("delta") or chunk.get("message")]):
            self._speaks = True
            for name, value in said.items():
                self._say(name, value)

    def _say(self, name: str, value: object) -> None:
        if name == "tool_calls":
            for place, call in enumerate(objects(value)):
                self._calls.setdefault(_place(call, place), _ToolCall()).add(call)
        elif isinstance(value, str) and name != "role":
            self._texts.add(name, value)
        elif value is not None:
            self._said[name] = value

    def joined(self, kind: str) -> Object:
        """Returns the choice with a message, or with a text if the chunks had no messages."""
        text = self._own.joined()
        if not self._speaks and (text or kind == TEXT):
            return {"text": "", **text, **self._fields}
        calls: Object = {"tool_calls": [call.joined() for call in self._calls.values()]} if self._calls else {}
        return {"message": {**self._said, **self._texts.joined(), **calls}, **text, **self._fields}


class _ToolCall:
    """One call of a tool, whose arguments come in pieces."""

    def __init__(self) -> None:
        self._fields: Object = {}
        self._function: Object = {}
        self._texts = _Texts()

    def add(self, chunk: Object) -> None:
        for part in objects([chunk.get("function")]):
            self._texts.add("arguments", _argument_text(part.get("arguments")) or "")
            self._function |= {name: value for name, value in part.items() if value is not None}
        self._fields |= {
            name: value for name, value in chunk.items() if name not in {"function", "index"} and value is not None
        }

    def joined(self) -> Object:
        return {"function": {**self._function, **self._texts.joined()}, **self._fields}


def _place(item: Object, default: int) -> int:
    """Returns the index of a choice or a tool call. Raises UnexpectedAnswer for one that is no whole number."""
    index = item.get("index")
    if index is None:
        return default
    if type(index) is not int:
        raise UnexpectedAnswer(operation="chat", kind="an index that is not a whole number")
    return index
