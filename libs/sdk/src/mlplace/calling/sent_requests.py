"""The requests of a conversation, which gRPC reads in a task of its own."""

import asyncio
from collections.abc import AsyncIterable, AsyncIterator

from mlplace_gateproto import gate_pb2


class SentRequests:
    """Passes the requests on, and keeps the exception that ended them: gRPC only cancels the call then."""

    def __init__(self, requests: AsyncIterable[gate_pb2.ClientRequestProto]) -> None:
        self._requests = requests
        self._failure: Exception | None = None

    async def __aiter__(self) -> AsyncIterator[gate_pb2.ClientRequestProto]:
        try:
            async for request in self._requests:
                yield request
        except Exception as error:
            self._failure = error
            raise

    @property
    def failure(self) -> Exception | None:
        """The exception that cancelled the call. None also if the task that reads the answers is cancelled itself."""
        task = asyncio.current_task()
        return None if task is not None and task.cancelling() else self._failure
