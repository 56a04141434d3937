"""A chat model whose answers tests can foretell: it repeats, calls tools, fills schemas, is busy, or talks on."""

import asyncio
import base64
import hashlib
import json
from collections import Counter
from collections.abc import AsyncGenerator, Iterator, Mapping, Sequence
from typing import Any

import mlplace

Object = dict[str, Any]
TALK_PARTS = 1000
PAUSE_SECONDS = 0.02


class Chat:
    """A token is a word. What the last message says decides:

    - `busy NAME` fails with 429 and Retry-After at the first call with this name;
    - `broken` fails with 500;
    - `talk on` takes twenty seconds, in a thousand parts;
    - `who left?` answers how many callers did not wait for the end of that;
    - a text with the name of an offered tool calls the tool, unless the caller decides otherwise;
    - anything else is repeated, or answered with JSON for the schema that the caller asks for. A picture is repeated as
      its size and the beginning of its digest.
    """

    def __init__(self) -> None:
        self._calls: Counter[str] = Counter()
        self._left = 0

    async def predict(self, data: Object, config: Object | None = None) -> AsyncGenerator[Object]:
        config = config or {}
        last = data["messages"][-1]
        text = _text_of(last)
        asked = sum(len(_text_of(message).split()) for message in data["messages"])
        answer = _Answer(asked, streamed=bool(data.get("stream")), with_usage=_wants_usage(config))
        self._fail(text)
        if text == "talk on":
            async for part in self._talk(answer):
                yield part
            return
        tool = None if last["role"] == "tool" else _chosen_tool(data, text)
        if tool is not None:
            parts = answer.of_tool(tool["name"], json.dumps(example_of(tool.get("parameters", {}))))
        else:
            parts = answer.of_text(self._reply(data["messages"], config))
        for part in parts:
            yield part

    def _fail(self, text: str) -> None:
        self._calls[text] += 1
        if text.startswith("busy") and self._calls[text] == 1:
            raise mlplace.MlpError("clients.busy", "the model is busy", status=429, retry_after=1)
        if text == "broken":
            raise mlplace.MlpError("clients.broken", "the model is broken", status=500)

    def _reply(self, messages: Sequence[Object], config: Mapping[str, Any]) -> str:
        last = messages[-1]
        text = _text_of(last)
        form: Object = config.get("response_format") or {"type": "text"}
        if form["type"] == "json_schema":
            return json.dumps(example_of(form["json_schema"]["schema"]))
        if form["type"] == "json_object":
            return json.dumps(example_of(_schema_in(_text_of(messages[0]))))
        if last["role"] == "tool":
            return f"The tool said: {text}"
        return str(self._left) if text == "who left?" else f"You said: {text}"

    async def _talk(self, answer: "_Answer") -> AsyncGenerator[Object]:
        ended = False
        try:
            for part in answer.of_text(" ".join(f"{number}" for number in range(TALK_PARTS))):
                yield part
                await asyncio.sleep(PAUSE_SECONDS if answer.streamed else PAUSE_SECONDS * TALK_PARTS)
            ended = True
        finally:
            self._left += not ended


class _Answer:
    """Writes one answer: a part for each word if it is streamed, else one object."""

    def __init__(self, asked: int, *, streamed: bool, with_usage: bool) -> None:
        self._asked = asked
        self.streamed = streamed
        self._with_usage = with_usage

    def of_text(self, text: str) -> Iterator[Object]:
        words = text.split(" ")
        if not self.streamed:
            yield self._whole({"role": "assistant", "content": text}, "stop", len(words))
            return
        yield _part({"role": "assistant", "content": ""})
        for place, word in enumerate(words):
            yield _part({"content": word if place == 0 else f" {word}"})
        yield from self._end("stop", len(words))

    def of_tool(self, name: str, arguments: str) -> Iterator[Object]:
        call = {"id": "call_1", "type": "function", "function": {"name": name, "arguments": arguments}}
        if not self.streamed:
            message = {"role": "assistant", "content": None, "tool_calls": [call]}
            yield self._whole(message, "tool_calls", 1)
            return
        opening = {**call, "index": 0, "function": {"name": name, "arguments": ""}}
        yield _part({"role": "assistant", "content": None, "tool_calls": [opening]})
        half = len(arguments) // 2
        for piece in (arguments[:half], arguments[half:]):
            yield _part({"tool_calls": [{"index": 0, "function": {"arguments": piece}}]})
        yield from self._end("tool_calls", 1)

    def _end(self, reason: str, said: int) -> Iterator[Object]:
        yield _part({}, reason)
        if self._with_usage:
            yield {"choices": [], "usage": self._usage(said)}

    def _whole(self, message: Object, reason: str, said: int) -> Object:
        return {"choices": [{"index": 0, "message": message, "finish_reason": reason}], "usage": self._usage(said)}

    def _usage(self, said: int) -> dict[str, int]:
        return {"prompt_tokens": self._asked, "completion_tokens": said, "total_tokens": self._asked + said}


def _part(delta: Object, reason: str | None = None) -> Object:
    return {"choices": [{"index": 0, "delta": delta, "finish_reason": reason}]}


def _wants_usage(config: Mapping[str, Any]) -> bool:
    return bool((config.get("stream_options") or {}).get("include_usage"))


def _text_of(message: Mapping[str, Any]) -> str:
    content = message.get("content") or ""
    if isinstance(content, str):
        return content
    return " ".join(part["text"] if part["type"] == "text" else _seen(part["image_url"]["url"]) for part in content)


def _seen(url: str) -> str:
    """Returns what the model says of a picture in a `data:` address."""
    picture = base64.b64decode(url.partition(";base64,")[2], validate=True)
    return f"{len(picture)} bytes {hashlib.sha256(picture).hexdigest()[:12]}"


def _chosen_tool(data: Mapping[str, Any], text: str) -> Object | None:
    offered = [tool["function"] for tool in data.get("tools") or []]
    choice = data.get("tool_choice") or "auto"
    if choice == "none":
        return None
    if choice == "auto":
        return next((tool for tool in offered if tool["name"] in text), None)
    if isinstance(choice, dict):
        return next(tool for tool in offered if tool["name"] == choice["function"]["name"])
    return offered[0]


def _schema_in(text: str) -> Object:
    """Returns the JSON object in a text; clients that ask for `json_object` describe it in a message."""
    start = text.find("{")
    return {} if start < 0 else json.JSONDecoder().raw_decode(text[start:])[0]


def example_of(schema: Mapping[str, Any], root: Mapping[str, Any] | None = None) -> Any:
    """Returns a value that satisfies a JSON schema of the kinds that clients make of classes."""
    root = root or schema
    match schema:
        case {"$ref": str(place)}:
            return example_of(root["$defs"][place.rpartition("/")[2]], root)
        case {"anyOf": [first, *_]} | {"allOf": [first]}:
            return example_of(first, root)
        case {"enum": [first, *_]}:
            return first
        case {"properties": properties}:
            return {name: example_of(each, root) for name, each in properties.items()}
        case {"items": items}:
            return [example_of(items, root)] * 2
        case _:
            return {"integer": 36, "number": 36, "boolean": True, "object": {}}.get(schema.get("type", ""), "Ada")
