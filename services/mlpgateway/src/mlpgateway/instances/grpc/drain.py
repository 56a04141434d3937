"""The timing of a gate's graceful shutdown."""

import asyncio
from collections.abc import Awaitable, Callable

from mlpgateway.instances.grpc.options import GateOptions

# The part of the whole time reserved for the goodbye to instances: the handover, stopServing, the last flush.
_MOST_FOR_GOODBYE = 5.0


class Drain:
    """The schedule of the shutdown. The clock starts with `begin`."""

    def __init__(self, options: GateOptions) -> None:
        self._options = options
        self.begun = False
        self.settled = asyncio.Event()
        self._deadline = 0.0
        self._refused_at = 0.0

    def begin(self) -> bool:
        """Starts the clock. Returns False when it had started before."""
        if self.begun:
            return False
        self.begun = True
        self._deadline = _now() + self._options.drain_seconds
        return True

    async def settle(self, refuse: Callable[[], Awaitable[None]]) -> None:
        """Serves normally for `settle_seconds`, then calls `refuse`, which closes the gate to new connections."""
        try:
            await self._options.pause(self._options.settle_seconds)
            if self._options.connection_seconds:
                await refuse()
        finally:
            self._refused_at = _now()
            self.settled.set()

    async def proxies_let_go(self) -> None:
        """Waits until proxies in front have closed their idle connections, so that no request meets a closed one."""
        await self._options.pause(max(0.0, self._refused_at + self._options.connection_seconds - _now()))

    @property
    def seconds_left(self) -> float:
        return max(0.0, self._deadline - _now())

    @property
    def seconds_for_calls(self) -> float:
        goodbye = min(_MOST_FOR_GOODBYE, self._options.drain_seconds / 2)
        return max(0.0, self.seconds_left - goodbye)


def _now() -> float:
    return asyncio.get_running_loop().time()
