"""Room in memory for large messages that are on their way in: of the share of the account that sends them."""

import asyncio
from typing import Final

from mlpgateway.shares.share import Holder, Share
from mlplace_kit.errors import DomainError

# Others give back what they hold without a word.
_LOOK_SECONDS: Final = 0.25


class Room:
    """The same bytes that calls in progress take for their requests: a message takes them while it comes."""

    def __init__(self, share: Share, *, seconds: float) -> None:
        """A message waits for room for so many `seconds`."""
        self._share = share
        self._seconds = seconds
        self._changed = asyncio.Event()

    @property
    def held(self) -> int:
        return self._share.used

    async def take(self, holder: Holder, size: int, *, mine: int = 0) -> None:
        """Wait a while until there is room for so much more of a message that has `mine` already.

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
