"""Waits for background work of the platform."""

import time
from collections.abc import Callable
from typing import TypeVar

_Value = TypeVar("_Value")


def eventually(probe: Callable[[], _Value], *, until: Callable[[_Value], bool] = bool, seconds: float = 60) -> _Value:
    deadline = time.monotonic() + seconds
    while True:
        value = probe()
        if until(value):
            return value
        if time.monotonic() > deadline:
            raise TimeoutError(f"still {value!r} after {seconds} s")
        time.sleep(0.05)
