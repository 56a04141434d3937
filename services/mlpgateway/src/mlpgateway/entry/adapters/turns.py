"""Work on the parts of an answer, in several turns of the event loop where they are large."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Final, TypeVar

from mlpgateway.call.call import Answer

_TURN_BYTES: Final = 64 * 1024
_Part = TypeVar("_Part")


def in_turns(
    parts: Sequence[_Part], size: Callable[[_Part], int], add: Callable[[_Part], None], end: Callable[[], Answer]
) -> Answer | Awaitable[Answer]:
    """Calls `add` with each part, then returns what `end` returns. `size` is that of a part, in bytes."""
    if sum(map(size, parts)) <= _TURN_BYTES:
        for part in parts:
            add(part)
        return end()
    return _in_several(parts, size, add, end)


async def _in_several(
    parts: Sequence[_Part], size: Callable[[_Part], int], add: Callable[[_Part], None], end: Callable[[], Answer]
) -> Answer:
    left = _TURN_BYTES
    for part in parts:
        add(part)
        left -= size(part)
        if left <= 0:
            left = _TURN_BYTES
            await asyncio.sleep(0)
    return end()
