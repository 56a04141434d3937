"""Instances that count the calls that have left them, and an answer that has the form of every entry."""

import base64
from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator
from contextlib import aclosing

import orjson

from mlpgateway.call.call import Answer, Payload
from mlpgateway.call.transport import InstanceRequest

SOUND = bytes([1]) * 64
SAID = orjson.dumps({
    "choices": [{"index": 0, "delta": {"content": "a"}, "message": {"content": "a"}}], "chunks": [], "text": "1",
    "embedded_texts": [{"vector": [1]}], "data": [], "audio_base64": base64.b64encode(SOUND * 2000).decode(),
}).decode()  # fmt: skip
"""An answer, or a part of one, of every task type."""


class CountingInstance(ABC):
    """Answers each request with `__call__`, which counts in `left`."""

    def __init__(self) -> None:
        self.left = 0

    @abstractmethod
    def __call__(self, request: InstanceRequest) -> AsyncGenerator[Answer]: ...

    async def answers(self, request: InstanceRequest, _inputs: AsyncGenerator[Payload]) -> AsyncGenerator[Answer]:
        """Satisfies StreamedInputLink.send_stream. Waits for no part of the caller."""
        async with aclosing(self(request)) as answers:
            async for answer in answers:
                yield answer

    async def was_left(self) -> bool:
        return self.left == 1
