"""When a gate that goes away does what: the clock of its last seconds."""

import asyncio
import socket
from collections.abc import Sequence

from mlpgateway.gate.options import GateOptions
from mlplace_runtime.process.listeners import listeners_at, refuse_newcomers

# What is kept of the whole time for the goodbye to instances: the handover, stopServing, the last flush.
_MOST_FOR_GOODBYE = 5.0


class Departure:
    """Nothing runs before `begin`."""

    def __init__(self, options: GateOptions) -> None:
        self._options = options
        self.begun = False
        self.settled = asyncio.Event()
        self._deadline = 0.0
        self._refused_at = 0.0

    def begin(self) -> bool:
        """False when it has begun already."""
        if self.begun:
            return False
        self.begun = True
        self._deadline = _now() + self._options.drain_seconds
        return True

    async def settle(self, ports: Sequence[int]) -> None:
        """Wait until nobody depends on this gate more than on others, then let no new connection in at the ports."""
        try:
            await asyncio.sleep(self._options.settle_seconds)
            if self._options.connection_seconds:
                await _close(ports)
        finally:
            self._refused_at = _now()
            self.settled.set()

    async def proxies_let_go(self) -> None:
        """Wait until proxies in front have closed the connections that they keep: no request meets a closed one."""
        await asyncio.sleep(max(0.0, self._refused_at + self._options.connection_seconds - _now()))

    @property
    def seconds_left(self) -> float:
        return max(0.0, self._deadline - _now())

    @property
    def seconds_for_calls(self) -> float:
        goodbye = min(_MOST_FOR_GOODBYE, self._options.drain_seconds / 2)
        return max(0.0, self.seconds_left - goodbye)


async def _close(ports: Sequence[int]) -> None:
    """The gRPC library keeps its ports to the end, so they are closed under its feet; it accepts nothing then."""
    listeners = [listener for port in ports for listener in listeners_at(port)]
    try:
        await refuse_newcomers(*listeners)
        for listener in listeners:
            listener.shutdown(socket.SHUT_RDWR)
    finally:
        for listener in listeners:
            listener.close()


def _now() -> float:
    return asyncio.get_running_loop().time()
