"""Reading what a gRPC caller sends in parts."""

import asyncio
from typing import Final, Protocol

_SECONDS_TO_HEAR_OF_A_CANCEL: Final = 0.005


class _Reads(Protocol):
    async def read(self) -> object: ...


async def read_part(context: _Reads) -> bytes | None:
    """None at the end of what the caller sends.

    A caller that left looks the same at first; the task that handles its call is cancelled a moment later. Until then
    nothing is made of it: a service must not take what came until then for the whole.
    """
    data = await context.read()
    if isinstance(data, bytes):
        return data
    await asyncio.sleep(_SECONDS_TO_HEAR_OF_A_CANCEL)
    return None


async def read_first(context: _Reads) -> bytes | None:
    """None when nothing comes at all."""
    data = await context.read()
    return data if isinstance(data, bytes) else None
