"""Waits for events elsewhere: polls with a deadline, never sleeps a fixed time."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

_Value = TypeVar("_Value")


async def eventually(
    probe: Callable[[], Awaitable[_Value]], *, until: Callable[[_Value], bool] = bool, seconds: float = 30.0
) -> _Value:
    """Returns the first value of `probe` that satisfies `until`. Raises TimeoutError with the last value."""
    deadline = asyncio.get_running_loop().time() + seconds
    while True:
        value = await probe()
        if until(value):
            return value
        if asyncio.get_running_loop().time() > deadline:
            raise TimeoutError(f"still {value!r} after {seconds} s")
        await asyncio.sleep(0.02)
