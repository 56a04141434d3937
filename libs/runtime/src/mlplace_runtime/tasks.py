"""Background loops: started together, restarted when they fail, stopped together."""

import asyncio
import contextlib
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, Final, TypeVar

import structlog

from mlplace_runtime.backoff import Backoff
from mlplace_runtime.failures import is_away
from mlplace_runtime.outage import Outage
from mlplace_runtime.telemetry.metrics import LOOP_FAILURES

log = structlog.get_logger(__name__)

_RESTARTS = Backoff(first=0.5, longest=30.0)
_SOUND_SECONDS = 60.0  # a loop that ran this long has recovered from its previous failure
_CANCEL_AGAIN_SECONDS = 0.5
_LOOKS: Final = 5
_BETWEEN_SECONDS: Final = 0.1

_Result = TypeVar("_Result")


@dataclass(frozen=True, slots=True)
class Loop:
    """A coroutine that runs until it is cancelled."""

    name: str
    run: Callable[[], Awaitable[None]]


@asynccontextmanager
async def running(service: str, loops: Sequence[Loop]) -> AsyncGenerator[None]:
    """Runs the loops while the block runs. Cancels them in reverse order and waits for each."""
    for loop in loops:
        LOOP_FAILURES.labels(service=service, task=loop.name)  # a rate begins at zero, not at the first failure
    tasks = [asyncio.create_task(_keep_running(service, loop), name=f"{service}:{loop.name}") for loop in loops]
    try:
        yield
    finally:
        for task in reversed(tasks):
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)


async def _keep_running(service: str, loop: Loop) -> None:
    failures = 0
    outage = Outage(f"{service}:{loop.name}")
    clock = asyncio.get_running_loop().time
    while True:
        started = clock()
        try:
            await loop.run()
        except Exception as error:
            LOOP_FAILURES.labels(service=service, task=loop.name).inc()
            if clock() - started > _SOUND_SECONDS:
                outage.over()
                failures = 0
            if is_away(error):
                await outage.wait_after(error)
                continue
            log.exception("loop_failed", service=service, task=loop.name)
        else:
            return
        failures += 1
        await asyncio.sleep(_RESTARTS.seconds(failures))


async def ended(*tasks: asyncio.Future[Any]) -> None:
    """Cancels the tasks, repeatedly, until all have ended. For tasks that need no orderly end.

    One cancellation may get lost: `asyncio.wait_for` of Python 3.11 drops one that arrives together with the result
    that it waits for.
    """
    left = set(tasks)
    while left:
        for task in left:
            task.cancel()
        _, left = await asyncio.wait(left, timeout=_CANCEL_AGAIN_SECONDS)


async def heard_within(seconds: float, work: Awaitable[_Result]) -> _Result:
    """Returns the result of the work. Cancels it and raises TimeoutError after `seconds` of listening.

    A process that was paused, without CPU time or in a long step, sees the response and the end of the time limit at
    once. It must not count its own pause as the other side's silence, so one pause uses up at most a fifth of the time.
    """
    task = asyncio.ensure_future(work)
    try:
        for _ in range(_LOOKS):
            done, _ = await asyncio.wait({task}, timeout=seconds / _LOOKS)
            if done:
                return task.result()
        raise TimeoutError
    finally:
        if not task.done():
            await ended(task)


async def every(
    seconds: float, work: Callable[[], Awaitable[object]], *, woken_by: asyncio.Event | None = None
) -> None:
    """Repeats forever: does the work, then waits. `woken_by` ends the wait, after a tenth of a second at the least."""
    while True:
        if woken_by is not None:
            woken_by.clear()  # before the work: what happens meanwhile is work for the next time
        await work()
        if woken_by is None:
            await asyncio.sleep(seconds)
        else:
            await asyncio.sleep(min(_BETWEEN_SECONDS, seconds))
            await _set_within(seconds - _BETWEEN_SECONDS, woken_by)


async def _set_within(seconds: float, event: asyncio.Event) -> None:
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(max(0.0, seconds)):
            await event.wait()
