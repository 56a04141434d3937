"""Work on the parts of an answer, in several turns of the event loop where they are large."""

import asyncio
from collections.abc import Awaitable, Callable, Generator, Sequence
from typing import Any, Final, Generic, TypeVar

from mlpgateway.call.call import Answer

_TURN_BYTES: Final = 64 * 1024
_TURN_PARTS: Final = 256
_Part = TypeVar("_Part")
_Size = Callable[[_Part], int]
_Add = Callable[[_Part], None]
_End = Callable[[], Answer]


def in_turns(parts: Sequence[_Part], size: _Size[_Part], add: _Add[_Part], end: _End) -> Answer | Awaitable[Answer]:
    """Calls `add` with each part, then returns what `end` returns. `size` is that of a part, in bytes."""
    if len(parts) <= _TURN_PARTS and sum(map(size, parts)) <= _TURN_BYTES:
        for part in parts:
            add(part)
        return end()
    return _Turns(parts, size, add, end)


class _Turns(Awaitable[Answer], Generic[_Part]):
    """Begins when it is awaited: a caller who has left may never await it."""

    def __init__(
        self,
        parts: Sequence[_Part],
        size: _Size[_Part],
        add: _Add[_Part],
        end: _End,
    ) -> None:
        self._parts = parts
        self._size = size
        self._add = add
        self._end = end

    def __await__(self) -> Generator[Any, None, Answer]:
        return self._take().__await__()

    async def _take(self) -> Answer:
        left = _TURN_BYTES
        for number, part in enumerate(self._parts, 1):
            self._add(part)
            left -= self._size(part)
            if left <= 0 or number % _TURN_PARTS == 0:
                left = _TURN_BYTES
                await asyncio.sleep(0)
        return self._end()
