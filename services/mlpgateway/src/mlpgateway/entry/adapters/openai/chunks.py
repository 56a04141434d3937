"""Conversion between whole and chunked answers of chat models, where the caller wants the other kind."""

from collections.abc import Sequence
from typing import cast

from mlpgateway.call.call import Answer, Payload
from mlpgateway.entry.adapters.openai.objects import Object, list_of, objects, read_verbatim, text_of, with_payload
from mlpgateway.errors.gate import UnexpectedAnswer


def as_chunk(answer: Answer) -> Answer:
    """Returns a whole answer as its only chunk, and a chunk unchanged.

    Raises UnexpectedAnswer for bytes, and for a whole answer without a list of choices.
    """
    if answer.payload.protobuf is not None:
        raise UnexpectedAnswer(operation="chat", kind="bytes")
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


def folded(chunks: Sequence[Payload]) -> Object:
    """Joins all chunks of an answer: texts and arguments are concatenated, other fields take the last value.

    Raises UnexpectedAnswer if there is none, or one of bytes or without a list of choices.
    """
    whole: Object = {}
    choices: dict[int, Object] = {}
    usage: object = None
    for chunk in chunks:
        if chunk.protobuf:
            raise UnexpectedAnswer(operation="chat", kind="bytes")
        if not chunk.json:
            continue  # the last one may be an empty end mark
        body = read_verbatim(chunk, "chat")
        usage = body.get("usage") or usage
        whole |= body
        for choice in list_of(body, "choices", "chat"):
            _fold_choice(choices.setdefault(_place(choice, 0), {"message": {}}), choice)
    if not whole:
        raise UnexpectedAnswer(operation="chat", kind="no chunk")
    for choice in choices.values():
        _finish(cast("Object", choice["message"]))
    whole |= {"object": "chat.completion", "choices": list(choices.values())}
    return whole | {"usage": usage} if usage else whole


def _fold_choice(into: Object, choice: Object) -> None:
    said = next(iter(objects([choice.get("delta") or choice.get("message")])), Object())
    into |= {name: value for name, value in choice.items() if name not in {"delta", "message"} and value is not None}
    into.setdefault("finish_reason", None)
    message = cast("Object", into["message"])
    for name, value in said.items():
        if name == "tool_calls":
            calls = cast("dict[int, Object]", message.setdefault(name, dict[int, Object]()))
            for place, call in enumerate(objects(value)):
                _fold_call(calls.setdefault(_place(call, place), {}), call)
        elif isinstance(value, str) and name != "role":
            message[name] = text_of(message.get(name)) + value
        elif value is not None:
            message[name] = value


def _place(item: Object, default: int) -> int:
    """Returns the index of a choice or a tool call. Raises UnexpectedAnswer for one that is no whole number."""
    index = item.get("index")
    if index is None:
        return default
    if type(index) is not int:
        raise UnexpectedAnswer(operation="chat", kind="an index that is not a whole number")
    return index


def _fold_call(into: Object, call: Object) -> None:
    function = cast("Object", into.setdefault("function", {}))
    for part in objects([call.get("function")]):
        arguments = text_of(function.get("arguments")) + text_of(part.get("arguments"))
        function |= {name: value for name, value in part.items() if value is not None} | {"arguments": arguments}
    into |= {name: value for name, value in call.items() if name not in {"function", "index"} and value is not None}


def _finish(message: Object) -> None:
    message.setdefault("role", "assistant")
    message.setdefault("content", None)
    calls = message.get("tool_calls")
    if isinstance(calls, dict):
        message["tool_calls"] = list(cast("dict[int, Object]", calls).values())
