"""Memory for large messages that are arriving, taken from the share of the account that sends them."""

import asyncio
from typing import Final

from mlpgateway.shares.share import Holder, Share
from mlplace_kit.errors import DomainError

# Other users of the share release memory without a notification.
_LOOK_SECONDS: Final = 0.25


class RequestBytes:
    """The share of request bytes that calls in progress use: a message takes its part while it arrives."""

    def __init__(self, share: Share, *, seconds: float) -> None:
        """A message waits up to `seconds` for room."""
        self._share = share
        self._seconds = seconds
        self._changed = asyncio.Event()

    @property
    def held(self) -> int:
        return self._share.used

    async def take(self, holder: Holder, size: int, *, mine: int = 0) -> None:
        """Waits until there is room for `size` more bytes of a message that holds `mine` already.

        Raises ShareExceeded, GateOverloaded.
        """
        loop = asyncio.get_running_loop()
        until = loop.time() + self._seconds
        while True:
            try:
                self._share.take(holder, size, mine=mine)
            except DomainError:
                if loop.time() > until:
                    raise
            else:
                return
            try:
                async with asyncio.timeout(_LOOK_SECONDS):
                    await self._changed.wait()
            except TimeoutError:
                pass

    def give(self, holder: Holder, size: int) -> None:
        self._share.give_back(holder, size)
        self._changed.set()
        self._changed = asyncio.Event()
