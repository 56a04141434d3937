"""Instances that count the calls that have left them."""

from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator
from contextlib import aclosing

from mlpgateway.call.call import Answer, Payload
from mlpgateway.call.transport import InstanceRequest


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
