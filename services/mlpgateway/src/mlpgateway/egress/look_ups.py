"""Looks up host names that tenants set, in threads of their own.

The system's resolver keeps a thread until it answers or gives up, which may take half a minute. In the pool of the
event loop, such names would delay those of the platform's own servers.
"""

import asyncio
import socket
from asyncio import Future
from collections.abc import Callable
from threading import Thread
from typing import Final

_THREADS: Final = 64


def addresses_of(host: str, port: int) -> list[str]:
    """Returns the addresses of a host name. Raises OSError."""
    return [str(address[0]) for *_, address in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)]


class _LookUp:
    """One look-up under way."""

    def __init__(self) -> None:
        self.task: asyncio.Task[list[str]]
        self.waiters = 0
        self.begun = False


class LookUps:
    """At most `threads` look-ups at once. Equal ones are one; others wait for a thread while anybody waits for them.

    Uses one event loop. A thread that still waits for the resolver does not delay the end of the process.
    """

    def __init__(self, *, threads: int = _THREADS, resolve: Callable[[str, int], list[str]] = addresses_of) -> None:
        self._threads = asyncio.Semaphore(threads)
        self._resolve = resolve
        self._open: dict[tuple[str, int], _LookUp] = {}

    async def find(self, host: str, port: int) -> list[str]:
        """Returns the addresses of a host name. Raises OSError."""
        look_up = self._open.get((host, port))
        if look_up is None:
            look_up = self._open[host, port] = _LookUp()
            look_up.task = asyncio.create_task(self._run(look_up, host, port))
            look_up.task.add_done_callback(_heard)
        look_up.waiters += 1
        try:
            return await asyncio.shield(look_up.task)
        finally:
            look_up.waiters -= 1
            if not look_up.waiters and not look_up.begun:
                look_up.task.cancel()
                self._open.pop((host, port), None)

    async def _run(self, look_up: _LookUp, host: str, port: int) -> list[str]:
        try:
            async with self._threads:
                look_up.begun = True
                return await self._in_thread(host, port)
        finally:
            if self._open.get((host, port)) is look_up:
                del self._open[host, port]

    async def _in_thread(self, host: str, port: int) -> list[str]:
        loop = asyncio.get_running_loop()
        found: Future[list[str]] = loop.create_future()

        def tell(addresses: list[str] | None, error: Exception | None) -> None:
            if found.done():
                return
            if error is not None:
                found.set_exception(error)
            else:
                found.set_result(addresses or [])

        def run() -> None:
            addresses, error = None, None
            try:
                addresses = self._resolve(host, port)
            except UnicodeError as problem:
                error = OSError(f"not a host name: {problem}")
            except Exception as problem:  # noqa: BLE001  who waits gets it: otherwise the place would be kept for ever
                error = problem
            if not loop.is_closed():
                loop.call_soon_threadsafe(tell, addresses, error)

        Thread(target=run, name="look-up", daemon=True).start()
        return await found


def _heard(task: asyncio.Task[list[str]]) -> None:
    """Without this, a failure that nobody waits for any more would be logged as an error."""
    if not task.cancelled():
        task.exception()
