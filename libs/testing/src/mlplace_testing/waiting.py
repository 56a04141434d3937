"""Waits for events elsewhere: polls with a deadline, never sleeps a fixed time.

A deadline only ends a test that hangs. It says nothing about speed, so it is long.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final, TypeVar

_Value = TypeVar("_Value")
DEADLINE: Final = 60.0
"""Seconds after which a test that still waits has failed, on a slow and busy machine too."""


async def eventually(
    probe: Callable[[], Awaitable[_Value]], *, until: Callable[[_Value], bool] = bool, seconds: float = DEADLINE
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
