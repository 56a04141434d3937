"""Conversion between whole and chunked answers of chat models, where the caller wants the other kind."""

from collections.abc import Sequence
from typing import cast

from mlpgateway.call.call import Answer, Payload
from mlpgateway.entry.adapters.openai.objects import Object, objects, read_object, text_of, with_payload
from mlpgateway.errors.gate import UnexpectedAnswer


def as_chunk(answer: Answer) -> Answer:
    """Returns a whole answer as its only chunk, and a chunk unchanged. Raises UnexpectedAnswer for bytes."""
    if answer.payload.protobuf is not None:
        raise UnexpectedAnswer(operation="chat", kind="bytes")
    if answer.partial:
        return answer
    body = read_object(answer.payload, "chat")
    choices = objects(body.get("choices"))
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
    """Joins all chunks of an answer: texts and arguments are concatenated, other fields take the last value."""
    whole: Object = {}
    choices: dict[object, Object] = {}
    usage: object = None
    for chunk in chunks:
        if not chunk.json:
            continue  # the last one may be an empty end mark
        body = read_object(chunk, "chat")
        usage = body.get("usage") or usage
        whole |= body
        for choice in objects(body.get("choices")):
            _fold_choice(choices.setdefault(choice.get("index", 0), {"message": {}}), choice)
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
            calls = cast("dict[object, Object]", message.setdefault(name, dict[object, Object]()))
            for place, call in enumerate(objects(value)):
                _fold_call(calls.setdefault(call.get("index", place), {}), call)
        elif isinstance(value, str) and name != "role":
            message[name] = text_of(message.get(name)) + value
        elif value is not None:
            message[name] = value


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
        message["tool_calls"] = list(cast("dict[object, Object]", calls).values())
