"""Callers of the model: each makes one call after the other and records which were answered."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from itertools import count
from types import TracebackType
from typing import Self

import httpx

import mlplace
from mlplace_testing.waiting import eventually
from tests.crashes.installation import Gate

_SECONDS = 150.0  # enough for a busy machine; disconnected callers notice at once

Call = Callable[[str, int], Awaitable[str | None]]
"""Takes a request id and the answer's duration in milliseconds; returns None for an answer, else the error code."""
Caller = AbstractAsyncContextManager[Call]


@asynccontextmanager
async def over_http(gate: Gate, key: str) -> AsyncGenerator[Call]:
    limits = httpx.Limits(max_connections=None, max_keepalive_connections=None)
    async with httpx.AsyncClient(timeout=_SECONDS, headers={"MLP-API-KEY": key}, limits=limits) as client:

        async def call(request_id: str, milliseconds: int) -> str | None:
            body = {"number": 1, "milliseconds": milliseconds}
            try:
                answer = await client.post(gate.predict_url, json=body, headers={"Z-requestId": request_id})
            except httpx.TransportError as error:
                return type(error).__name__
            return None if answer.is_success else str(answer.json()["code"])

        yield call


@asynccontextmanager
async def over_grpc(gate: Gate, key: str) -> AsyncGenerator[Call]:
    once = mlplace.Retry(attempts=1)
    async with mlplace.GrpcClient(gate.grpc, key, secure=False, timeout=_SECONDS, retry=once) as client:

        async def call(request_id: str, milliseconds: int) -> str | None:
            body = {"number": 1, "milliseconds": milliseconds}
            try:
                await client.predict("owner", "answer", body, request_id=request_id)
            except mlplace.MlpError as error:
                return error.code
            return None

        yield call


class Callers:
    """They call during the block, until `stop`. A failed call is not repeated.

    After an answer a caller waits `pause` seconds.
    """

    def __init__(self, callers: Sequence[Caller], *, pause: float = 0.0) -> None:
        self._callers = callers
        self._pause = pause
        self._numbers = count(1)
        self._stop = False
        self._stack = AsyncExitStack()
        self._tasks: list[asyncio.Task[None]] = []
        self.answered: set[str] = set()
        self.unanswered: set[str] = set()

    async def __aenter__(self) -> Self:
        for caller in self._callers:
            call = await self._stack.enter_async_context(caller)
            self._tasks.append(asyncio.create_task(self._go_on(call)))
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.stop()
        await self._stack.aclose()

    async def stop(self) -> None:
        """Returns when the last call has ended."""
        self._stop = True
        await asyncio.gather(*self._tasks)

    async def _go_on(self, call: Call) -> None:
        while not self._stop:
            request_id = f"c{next(self._numbers)}"
            refused = await call(request_id, 5)
            (self.unanswered if refused else self.answered).add(request_id)
            if refused:
                await asyncio.sleep(0.05)  # pause while a gate is down
            elif self._pause:
                await asyncio.sleep(self._pause)


async def until_served(call: Call) -> None:
    """Call until an instance answers. Refused attempts are free."""

    async def refusal() -> str | None:
        return await call("first", 0)

    await eventually(refusal, until=lambda refused: refused is None, seconds=60)
