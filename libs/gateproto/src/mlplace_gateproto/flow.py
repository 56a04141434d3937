"""The window of FlowProto: how many parts of one request, or of one answer, may be in transit. Both ends of it."""

import asyncio
from collections.abc import Callable
from typing import Final

WINDOW_BYTES: Final = 256 * 1024
"""The window that our own ends ask for, in units of `cost_of`."""
_PART_OVERHEAD: Final = 512


def cost_of(size: int) -> int:
    """Returns what a part of `size` bytes takes of the window. A small part holds more memory than its bytes."""
    return size + _PART_OVERHEAD


class SendWindow:
    """The window at the sending end. A single part always fits, however large it is. Lives on one event loop."""

    def __init__(self, window: int | None) -> None:
        """`window` None: the receiver does not report what it has read, and the sender never waits."""
        self._window = window
        self._sent = 0
        self._taken = 0
        self._room = asyncio.Event()

    async def room(self) -> None:
        """Waits until another part may be sent."""
        while self._window is not None and self._sent - self._taken >= self._window:
            self._room.clear()
            await self._room.wait()

    def sent(self, size: int) -> None:
        self._sent += cost_of(size)

    def taken(self, total: int) -> None:
        """Records the total that the receiver reports. A total above what was sent, or below the last one, has no
        effect.
        """
        self._taken = min(max(total, self._taken), self._sent)
        self._room.set()


class ReceiveWindow:
    """The window at the receiving end. It reports the total that it has processed each time half a window was
    processed.
    """

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
