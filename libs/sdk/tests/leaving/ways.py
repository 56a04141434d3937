"""The ways of leaving a call, and the methods for which each does not exist.

A way returns what the caller keeps: a stream that it has not closed, or nothing.
"""

import asyncio
import gc
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import aclosing, closing, suppress

import pytest

import mlplace
from libs.sdk.tests.leaving.methods import (
    ASYNC_WHOLE,
    BLOCKING,
    BLOCKING_STREAMS,
    BLOCKING_WHOLE,
    METHODS,
    STREAMS,
    UNANSWERED,
    Leaver,
)
from libs.sdk.tests.leaving.platform import Platform

Way = Callable[[Leaver, Platform], Awaitable[object]]


async def _breaks(leaver: Leaver, _platform: Platform) -> None:
    async for _ in leaver.call():
        break


async def _closes(leaver: Leaver, _platform: Platform) -> None:
    async with aclosing(leaver.call()) as parts:
        await anext(parts)


async def _raises(leaver: Leaver, _platform: Platform) -> None:
    with suppress(LookupError):
        async for _ in leaver.call():
            raise LookupError


async def _drops(leaver: Leaver, _platform: Platform) -> None:
    parts = leaver.call()
    await anext(parts)
    itself: list[object] = [parts]
    itself.append(itself)  # only a garbage collection finds it
    del parts, itself
    gc.collect()


async def _is_cancelled(leaver: Leaver, platform: Platform) -> None:
    task = asyncio.create_task(leaver.read_async())
    await platform.until_asked(leaver.name)
    await _cancelled(task)


async def _is_cancelled_in_the_loop(leaver: Leaver, _platform: Platform) -> None:
    began = asyncio.Event()

    async def read() -> None:
        async for _ in leaver.call():
            began.set()
            await asyncio.Event().wait()

    task = asyncio.create_task(read())
    await asyncio.wait_for(began.wait(), 60)
    await _cancelled(task)


async def _cancelled(task: asyncio.Task[None]) -> None:
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


async def _times_out(leaver: Leaver, platform: Platform) -> None:
    limit = asyncio.timeout(None)

    async def read() -> None:
        async with limit:
            await leaver.read_async()

    task = asyncio.create_task(read())
    await platform.until_asked(leaver.name)
    limit.reschedule(0)
    with pytest.raises(TimeoutError):
        await task


async def _closes_the_client(leaver: Leaver, platform: Platform) -> None:
    task = asyncio.create_task(leaver.read_async())
    await platform.until_asked(leaver.name)
    await leaver.client.close()
    with pytest.raises(mlplace.MlpError, match="connection_lost"):
        await task


async def _leaves_the_block(leaver: Leaver, _platform: Platform) -> object:
    async with leaver.client:
        parts = leaver.call()
        await anext(parts)
    return parts


def _breaks_blocking(leaver: Leaver) -> None:
    for _ in leaver.call():
        break


def _closes_blocking(leaver: Leaver) -> None:
    with closing(leaver.call()) as parts:
        next(parts)


def _raises_blocking(leaver: Leaver) -> None:
    with suppress(LookupError):
        for _ in leaver.call():
            raise LookupError


def _drops_blocking(leaver: Leaver) -> None:
    parts = leaver.call()
    next(parts)
    itself: list[object] = [parts]
    itself.append(itself)  # only a garbage collection finds it
    del parts, itself
    gc.collect()


def _leaves_the_block_blocking(leaver: Leaver) -> Iterator[object]:
    with leaver.client:
        parts = leaver.call()
        next(parts)
    return parts


async def _closes_the_client_blocking(leaver: Leaver, platform: Platform) -> None:
    task = asyncio.create_task(asyncio.to_thread(leaver.read))
    await platform.until_asked(leaver.name)
    await asyncio.to_thread(leaver.client.close)
    with pytest.raises(mlplace.MlpError, match="connection_lost"):
        await task


def _in_a_thread(way: Callable[[Leaver], object]) -> Way:
    async def leave(leaver: Leaver, _platform: Platform) -> object:
        return await asyncio.to_thread(way, leaver)

    return leave


CANCELLED, CANCELLED_IN_THE_LOOP = "its task is cancelled", "its task is cancelled in the loop"
TIMES_OUT, CLIENT = "asyncio.timeout ends", "another task or thread closes the client"
WAYS: Mapping[str, Way] = {
    "break": _breaks,
    "close of the iterator": _closes,
    "exception in the loop": _raises,
    "garbage collection of the iterator": _drops,
    CANCELLED: _is_cancelled,
    CANCELLED_IN_THE_LOOP: _is_cancelled_in_the_loop,
    TIMES_OUT: _times_out,
    CLIENT: _closes_the_client,
    "end of the client's block": _leaves_the_block,
}
BLOCKING_WAYS: Mapping[str, Way] = {
    "break": _in_a_thread(_breaks_blocking),
    "close of the iterator": _in_a_thread(_closes_blocking),
    "exception in the loop": _in_a_thread(_raises_blocking),
    "garbage collection of the iterator": _in_a_thread(_drops_blocking),
    CLIENT: _closes_the_client_blocking,
    "end of the client's block": _in_a_thread(_leaves_the_block_blocking),
}
WHILE_IT_WAITS = [CANCELLED, TIMES_OUT, CLIENT]
"""They exist also before the first part of a stream, and for whole answers."""


def why_not(method: str, way: str) -> str | None:
    """Returns why the way does not exist for the method."""
    if method in BLOCKING and way not in BLOCKING_WAYS:
        return "nothing cancels a thread"
    if method in {**BLOCKING_WHOLE, **ASYNC_WHOLE} and way not in WHILE_IT_WAITS:
        return "a whole answer has no iterator, and its caller waits until the call has ended"
    return None


CELLS = [(method, way) for method in METHODS for way in WAYS if why_not(method, way) is None]
CELLS += [(method + UNANSWERED, way) for method in STREAMS for way in WHILE_IT_WAITS if why_not(method, way) is None]


def way_of(method: str, way: str) -> Way:
    blocking = method.removesuffix(UNANSWERED) in {**BLOCKING_WHOLE, **BLOCKING_STREAMS}
    return (BLOCKING_WAYS if blocking else WAYS)[way]
