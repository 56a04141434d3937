"""Waits for background work of the platform."""

import time
from collections.abc import Callable
from typing import TypeVar

_Value = TypeVar("_Value")


def eventually(
    probe: Callable[[], _Value], *, until: Callable[[_Value], bool] = bool, seconds: float = 60, every: float = 0.25
) -> _Value:
    """`every`: seconds between two probes. One that starts programs takes the processor from what it waits for."""
    deadline = time.monotonic() + seconds
    while True:
        value = probe()
        if until(value):
            return value
        if time.monotonic() > deadline:
            raise TimeoutError(f"still {value!r} after {seconds} s")
        time.sleep(every)
