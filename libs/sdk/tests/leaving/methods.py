"""The methods with which each client calls a model. Each asks for a model that has the method's own name."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping
from typing import Any

import mlplace

UNANSWERED = ", unanswered"
"""Ends the names of streams that get no part."""


async def _parts() -> AsyncIterator[int]:
    yield 1
    await asyncio.Event().wait()


BLOCKING_WHOLE: Mapping[str, Callable[[Any, str], Any]] = {
    "Client.predict": lambda client, name: client.predict("acme", name, 1),
    "Client.ext": lambda client, name: client.ext("acme", name, "a", {}),
}
BLOCKING_STREAMS: Mapping[str, Callable[[Any, str], Any]] = {
    "Client.stream": lambda client, name: client.stream("acme", name, 1),
}
ASYNC_WHOLE: Mapping[str, Callable[[Any, str], Any]] = {
    "AsyncClient.predict": lambda client, name: client.predict("acme", name, 1),
    "AsyncClient.ext": lambda client, name: client.ext("acme", name, "a", {}),
    "GrpcClient.predict": lambda client, name: client.predict("acme", name, 1),
    "GrpcClient.ext": lambda client, name: client.ext("acme", name, "a", {}),
}
ASYNC_STREAMS: Mapping[str, Callable[[Any, str], Any]] = {
    "AsyncClient.stream": lambda client, name: client.stream("acme", name, 1),
    "GrpcClient.stream": lambda client, name: client.stream("acme", name, 1),
    "GrpcClient.converse": lambda client, name: client.converse("acme", name, _parts()),
}
STREAMS = {**BLOCKING_STREAMS, **ASYNC_STREAMS}
BLOCKING = {**BLOCKING_WHOLE, **BLOCKING_STREAMS}
METHODS = {**BLOCKING, **ASYNC_WHOLE, **ASYNC_STREAMS}


class Leaver:
    """Calls one method of a client that has a long timeout: only leaving ends the call."""

    def __init__(self, name: str, url: str, address: str) -> None:
        self.name = name
        self._method = name.removesuffix(UNANSWERED)
        kind = self._method.partition(".")[0]
        where, more = (address, {"secure": False}) if kind == "GrpcClient" else (url, {})
        self.client: Any = getattr(mlplace, kind)(where, "1.2.key", timeout=600, retry=mlplace.Retry(1), **more)

    def call(self) -> Any:
        """Returns the stream, or the coroutine of a whole answer. Blocks for a whole answer of the blocking client."""
        return METHODS[self._method](self.client, self.name)

    def read(self) -> None:
        """Reads the answer to its end, with a blocking method."""
        answer = self.call()
        if self._method in STREAMS:
            for _ in answer:
                pass

    async def read_async(self) -> None:
        answer = self.call()
        if not isinstance(answer, AsyncGenerator):
            await answer
            return
        async for _ in answer:
            pass
