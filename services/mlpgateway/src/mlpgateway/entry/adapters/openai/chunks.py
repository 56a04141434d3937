"""Conversion between whole and chunked answers of chat models, where the caller wants the other kind."""

import re
from typing import Final

from mlpgateway.call.call import Answer, Payload
from mlpgateway.entry.adapters.openai.conversations import is_small, read_conversation
from mlpgateway.entry.adapters.openai.envelope import CHAT, TEXT
from mlpgateway.entry.adapters.openai.joined_choices import JoinedChoice
from mlpgateway.entry.adapters.openai.objects import (
    Object,
    expect_no_error,
    list_of,
    objects,
    text_in,
    with_payload,
)
from mlpgateway.entry.adapters.openai.pieces import FieldBudget, as_json_text
from mlpgateway.entry.adapters.openai.tool_calls import argument_text, index_of
from mlpgateway.errors.gate import UnexpectedAnswer

_ARGUMENTS: Final = re.compile(rb'"arguments"\s*:\s*[^"\sn]')
"""Matches arguments that are neither a text nor `null`. Nothing within a text matches: quotes in it are escaped."""
_NAME: Final = re.compile(rb'"arguments"')


def with_text_arguments(answer: Answer) -> Answer:
    """Returns the answer with the arguments of its tool calls as JSON texts: some models send them as objects.

    An answer without such arguments is not read. Raises UnexpectedAnswer for one with very many values.
    """
    text = text_in(answer.payload)
    if not (_ARGUMENTS if is_small(text) else _NAME).search(text):
        return answer
    body = read_conversation(answer.payload, "chat")
    for choice in objects(body.get("choices")):
        for said in objects([choice.get("message"), choice.get("delta")]):
            calls = objects(said.get("tool_calls"))
            for function in objects([said.get("function_call"), *(call.get("function") for call in calls)]):
                if "arguments" in function:
                    function["arguments"] = argument_text(function["arguments"])
    return with_payload(answer, body)


def as_chunk(answer: Answer) -> Answer:
    """Returns a whole answer as its only chunk, and a chunk as it is, both with texts as arguments of tool calls.

    Raises UnexpectedAnswer for bytes, and for a whole answer without a list of choices.
    """
    if answer.payload.protobuf is not None:
        raise UnexpectedAnswer(operation="chat", kind="bytes")
    answer = with_text_arguments(answer)
    if answer.partial:
        return answer
    body = read_conversation(answer.payload, "chat")
    expect_no_error(body, "chat")
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

    Raises UnexpectedAnswer for anything but a list of objects, and for an error.
    """
    expect_no_error(body, endpoint)
    only_usage = body.get("choices") is None and bool(objects([body.get("usage")]))
    return [] if only_usage else list_of(body, "choices", endpoint)


class Joined:
    """Joins the chunks of an answer: texts, lists, arguments and probabilities of tokens are concatenated, other fields
    have the last value.
    """

    def __init__(self, kind: str | None) -> None:
        """`kind` is the value of `object`, CHAT or TEXT; None: as the chunks have it."""
        self._kind = kind
        self._fields: Object = {}
        self._usage: object = None
        self._has_chunk = False
        self._choices: dict[int, JoinedChoice] = {}
        self._budget = FieldBudget()

    def add(self, chunk: Payload) -> None:
        """Raises UnexpectedAnswer for bytes, for one without a list of choices, and for too many different fields."""
        if chunk.protobuf:
            raise UnexpectedAnswer(operation="chat", kind="bytes")
        if chunk.is_empty:
            return  # the last one may be an empty end mark
        body = read_conversation(chunk, "chat")
        self._has_chunk = True
        self._usage = as_json_text(body.get("usage")) or self._usage
        for choice in choices_of(body, "chat"):
            index = index_of(choice, 0)
            if index not in self._choices:
                self._choices[index] = JoinedChoice(self._budget)
            self._choices[index].add(choice)
        body.pop("choices", None)
        self._budget.update(self._fields, body)

    def whole(self) -> Object:
        """Raises UnexpectedAnswer if there was no chunk."""
        if not self._has_chunk:
            raise UnexpectedAnswer(operation="chat", kind="no chunk")
        kind = self._kind or (TEXT if self._fields.get("object") == TEXT else CHAT)
        choices = [self._choices[index].joined(kind) for index in sorted(self._choices)]
        whole = {**self._fields, "object": kind, "choices": choices}
        return {**whole, "usage": self._usage} if self._usage else whole
