"""The conversation of all chat models in the benchmarks: a fixed answer, whole or in numbered parts."""

import json
from collections.abc import Sequence
from functools import cache

from benchmarks.load.over_sse import word

_ABOUT = {"id": "chatcmpl-1", "created": 1_700_000_000, "model": "fake"}
_WORDS = 64
STREAMED = '"stream":true'
"""In a request without spaces; such a request gets a streamed answer."""


def request(model: str, *, stream: bool) -> str:
    """A caller's request as JSON."""
    messages = [{"role": "user", "content": "Tell me what the words are, one after the other, please."}]
    return json.dumps({"model": model, "messages": messages, "stream": stream}, separators=(",", ":"))


@cache
def whole() -> str:
    """A `chat.completion`."""
    message = {"role": "assistant", "content": " ".join(map(word, range(_WORDS)))}
    usage = {"prompt_tokens": 12, "completion_tokens": _WORDS, "total_tokens": 12 + _WORDS}
    choice = {"index": 0, "message": message, "finish_reason": "stop"}
    return json.dumps({**_ABOUT, "object": "chat.completion", "choices": [choice], "usage": usage})


@cache
def parts(count: int) -> Sequence[str]:
    """`count` objects of the type `chat.completion.chunk`."""
    return [_part(number, last=number == count - 1) for number in range(count)]


def _part(number: int, *, last: bool) -> str:
    delta = {"role": "assistant", "content": word(number)} if number == 0 else {"content": word(number)}
    choice = {"index": 0, "delta": delta, "finish_reason": "stop" if last else None}
    return json.dumps({**_ABOUT, "object": "chat.completion.chunk", "choices": [choice]})
