"""Reading what an HTTP caller sends, and noticing that it left."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from starlette.types import Receive


async def read_body(receive: Receive) -> bytes | None:
    """None when the caller left before its end."""
    chunks: list[bytes] = []
    while True:
        message = await receive()
        if message["type"] != "http.request":
            return None
        chunks.append(message.get("body", b""))
        if not message.get("more_body", False):
            return chunks[0] if len(chunks) == 1 else b"".join(chunks)


@asynccontextmanager
async def while_connected(receive: Receive) -> AsyncGenerator[None]:
    """Cancels the block when the caller hangs up, and ends it quietly then: nobody is left to answer."""
    task = asyncio.current_task()
    gone = False

    async def watch() -> None:
        nonlocal gone
        while (await receive())["type"] != "http.disconnect":
            pass
        gone = True
        if task is not None:
            task.cancel()

    watcher = asyncio.create_task(watch())
    try:
        yield
    except asyncio.CancelledError:
        if not gone or task is None or task.uncancel() > 0:
            raise
    finally:
        watcher.cancel()
