"""How much of one request's parts, or of one answer's, may be under way: both ends of the window of FlowProto."""

import asyncio
from collections.abc import Callable
from typing import Final

WINDOW_BYTES: Final = 256 * 1024
"""What our own ends ask for."""
_PART_OVERHEAD: Final = 512


def cost_of(size: int) -> int:
    """Of a part whose message has `size` bytes. Small parts hold more memory than their bytes."""
    return size + _PART_OVERHEAD


class Sent:
    """At the end that sends. A single part fits however large it is. Lives on one event loop."""

    def __init__(self, window: int | None) -> None:
        """`window` None: the other end tells nothing, and takes what comes."""
        self._window = window
        self._sent = 0
        self._taken = 0
        self._room = asyncio.Event()

    async def room(self) -> None:
        """Return when another part may leave."""
        while self._window is not None and self._sent - self._taken >= self._window:
            self._room.clear()
            await self._room.wait()

    def sent(self, size: int) -> None:
        self._sent += cost_of(size)

    def taken(self, total: int) -> None:
        """What the other end says. It cannot take more than there was, nor give anything back."""
        self._taken = min(max(total, self._taken), self._sent)
        self._room.set()


class Taken:
    """At the end that receives: tells how much it has worked on, each time when that is half of the window."""

    def __init__(self, tell: Callable[[int], None], window: int = WINDOW_BYTES) -> None:
        self._tell = tell
        self._step = window // 2
        self._total = 0
        self._told = 0

    def took(self, size: int) -> None:
        self._total += cost_of(size)
        if self._total - self._told >= self._step:
            self._told = self._total
            self._tell(self._total)
