"""Counts the calls in progress, so that a gate that goes away finishes them and starts no new ones."""

import asyncio
from collections.abc import Generator
from contextlib import contextmanager

from mlpgateway.gate.errors import GateIsShutDown


class Admission:
    """One per gate process, shared by all ways in."""

    def __init__(self) -> None:
        self._open = True
        self._running = 0
        self._idle = asyncio.Event()
        self._idle.set()

    @property
    def running(self) -> int:
        return self._running

    @contextmanager
    def enter(self) -> Generator[None]:
        """Around one call. Raises GateIsShutDown once the gate is going away."""
        if not self._open:
            raise GateIsShutDown
        self._running += 1
        self._idle.clear()
        try:
            yield
        finally:
            self._running -= 1
            if not self._running:
                self._idle.set()

    def close(self) -> None:
        self._open = False

    async def drained(self, seconds: float) -> bool:
        """Wait until no call is in progress. False when the time ran out first."""
        try:
            async with asyncio.timeout(seconds):
                await self._idle.wait()
        except TimeoutError:
            return False
        return True
