"""Answers questions about MLPlace by repeating the passage of a guide that fits best."""

import re
import time
import uuid
from collections.abc import Iterator
from typing import Any

from mlplace_examples.chat_types import (
    ChatCompletionConfig,
    ChatCompletionRequest,
    ChatCompletionResult,
    ChatMessage,
)
from mlplace_examples.guide_chat import tools
from mlplace_examples.guide_chat.guide import Guide

NAME = "guide"
NOTHING = "My guide to MLPlace says nothing about that. Ask me about keys, calls, prices, limits or publishing."
_TOKEN = re.compile(r"\s*(?:\w+|[^\w\s])")


class GuideChat:
    """A token is a word or a punctuation mark with the preceding white space."""

    def __init__(self) -> None:
        self._guide = Guide.read()

    def predict(
        self, data: ChatCompletionRequest, config: ChatCompletionConfig | None = None
    ) -> Iterator[ChatCompletionResult]:
        """One part with the whole message, or a part for each token if the caller asked for a stream."""
        manner = config or ChatCompletionConfig()
        answer = _Answer(model=data.model or manner.model or NAME, asked=_tokens_of(data.messages))
        offered = data.tools or manner.tools or []
        called = tools.choose(offered, _question(data.messages))
        limit = manner.max_completion_tokens or manner.max_tokens
        if called is not None and data.messages[-1].role != "tool":
            parts = answer.of_call(called.function.name, tools.arguments(called, _question(data.messages)))
        else:
            parts = answer.of_text(self._reply(data.messages), limit)
        streamed = data.stream or bool(manner.stream)
        yield from parts if streamed else [answer.whole(list(parts))]

    def _reply(self, messages: list[ChatMessage]) -> str:
        last = messages[-1]
        if last.role == "tool":
            return f"The tool says: {last.text}"
        passage = self._guide.find(_question(messages))
        return passage.text if passage else NOTHING


class _Answer:
    """Writes one answer in parts."""

    def __init__(self, *, model: str, asked: int) -> None:
        self._id = f"chatcmpl-{uuid.uuid4().hex}"
        self._created = int(time.time())
        self._model = model
        self._asked = asked

    def of_text(self, text: str, limit: int | None) -> Iterator[ChatCompletionResult]:
        tokens = _TOKEN.findall(text)
        said = tokens[:limit]
        for place, token in enumerate(said):
            yield self._part({"role": "assistant", "content": token} if place == 0 else {"content": token})
        yield self._end("length" if len(said) < len(tokens) else "stop", len(said))

    def of_call(self, name: str, arguments: str) -> Iterator[ChatCompletionResult]:
        function = {"name": name, "arguments": arguments}
        call = {"index": 0, "id": f"call_{uuid.uuid4().hex[:24]}", "type": "function", "function": function}
        yield self._part({"role": "assistant", "content": None, "tool_calls": [call]})
        yield self._end("tool_calls", len(_TOKEN.findall(arguments)))

    def whole(self, parts: list[ChatCompletionResult]) -> ChatCompletionResult:
        deltas = [part["choices"][0]["delta"] for part in parts]
        texts = [delta["content"] for delta in deltas if delta.get("content") is not None]
        message: dict[str, Any] = {"role": "assistant", "content": "".join(texts) if texts else None}
        for delta in deltas:
            if "tool_calls" in delta:
                calls = [
                    {name: value for name, value in call.items() if name != "index"} for call in delta["tool_calls"]
                ]
                message["tool_calls"] = calls
        last = parts[-1]
        choice = {"index": 0, "message": message, "finish_reason": last["choices"][0]["finish_reason"]}
        return {**last, "object": "chat.completion", "choices": [choice]}

    def _part(self, delta: dict[str, Any], finish_reason: str | None = None) -> ChatCompletionResult:
        return {
            "id": self._id,
            "object": "chat.completion.chunk",
            "created": self._created,
            "model": self._model,
            "choices": [{"index": 0, "delta": delta, "finish_reason": finish_reason}],
        }

    def _end(self, reason: str, said: int) -> ChatCompletionResult:
        usage = {"prompt_tokens": self._asked, "completion_tokens": said, "total_tokens": self._asked + said}
        return {**self._part({}, reason), "usage": usage}


def _question(messages: list[ChatMessage]) -> str:
    return next((message.text for message in reversed(messages) if message.role == "user"), "")


def _tokens_of(messages: list[ChatMessage]) -> int:
    return sum(len(_TOKEN.findall(message.text)) for message in messages)
