"""Ends uploads of callers that let the platform wait."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Final

from mlplace_kit.errors import RequestTooSlow


@dataclass(frozen=True, slots=True)
class Pace:
    """How long an upload may let the platform wait: `seconds`, and one more for each `bytes_a_second` that came."""

    seconds: float = 60.0
    bytes_a_second: int = 64 * 1024


PACE: Final = Pace()


async def paced(pieces: AsyncIterator[bytes], pace: Pace = PACE) -> AsyncIterator[bytes]:
    """Raises RequestTooSlow. The time in which the platform handles a piece does not count."""
    clock = asyncio.get_running_loop().time
    left = pace.seconds
    while True:
        began, bound = clock(), asyncio.timeout(left)
        try:
            async with bound:
                piece = await anext(pieces, None)
        except TimeoutError:
            if not bound.expired():
                raise
            raise RequestTooSlow from None
        if piece is None:
            return
        left += len(piece) / pace.bytes_a_second - (clock() - began)
        yield piece
