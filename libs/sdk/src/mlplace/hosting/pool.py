"""The gates that an instance is connected to."""

import asyncio
import logging
from contextlib import suppress

from mlplace.hosting.connector import Connector
from mlplace.hosting.link import Link
from mlplace_gateproto import gate_pb2

logger = logging.getLogger(__name__)

_WATCH_SECONDS = 1.0


class Pool:
    """Starts with the addresses of the environment, then follows the gates' cluster updates."""

    def __init__(self, link: Link) -> None:
        self._link = link
        self._connectors: dict[str, Connector] = {}
        self._tasks: dict[Connector, asyncio.Task[None]] = {}

    async def run(self, stop: asyncio.Event) -> None:
        """Serves until ``stop`` is set, then leaves every gate. Returns when all streams are closed."""
        initial = self._link.settings.gate_addresses
        self._equalise(initial)
        loop = asyncio.get_running_loop()
        last_connected = loop.time()
        while not stop.is_set():
            with suppress(TimeoutError):
                async with asyncio.timeout(min(_WATCH_SECONDS, self._link.fallback_after)):
                    await stop.wait()
            if any(connector.connected for connector in self._connectors.values()):
                last_connected = loop.time()
            elif loop.time() - last_connected > self._link.fallback_after:
                last_connected = loop.time()
                self._equalise(initial)
        self._equalise(())
        if self._tasks:
            await asyncio.wait(self._tasks.values())

    def status(self) -> gate_pb2.StatusResponseProto:
        connected = [address for address, connector in self._connectors.items() if connector.connected]
        everywhere = len(connected) == len(self._connectors)
        return gate_pb2.StatusResponseProto(connectedGates=connected, connectedToAllGates=everywhere)

    def update(self, connector: Connector, cluster: gate_pb2.ClusterUpdateProto) -> None:
        """Applies the gate's own name and its list of the cluster's gates."""
        if self._connectors.get(connector.address) is not connector or not cluster.servers:
            return
        self._rename(connector, cluster.currentServer)
        self._equalise(tuple(dict.fromkeys(cluster.servers)))

    def _rename(self, connector: Connector, name: str) -> None:
        if not name or name == connector.address:
            return
        del self._connectors[connector.address]
        twin = self._connectors.get(name)
        if twin is not None:
            # Two addresses of the environment lead to the same gate, which needs only one stream.
            (connector if twin.connected else twin).stop()
            if twin.connected:
                return
        connector.address = name
        self._connectors[name] = connector

    def _equalise(self, addresses: tuple[str, ...]) -> None:
        for address in [known for known in self._connectors if known not in addresses]:
            self._connectors.pop(address).stop()
        for address in addresses:
            if address not in self._connectors:
                self._start(address)

    def _start(self, address: str) -> None:
        connector = Connector(address, self._link, on_cluster=self.update, status=self.status)
        self._connectors[address] = connector
        task = asyncio.create_task(connector.run(), name=f"gate {address}")
        self._tasks[connector] = task
        task.add_done_callback(lambda done: self._ended(connector, done))

    def _ended(self, connector: Connector, task: asyncio.Task[None]) -> None:
        del self._tasks[connector]
        if not task.cancelled() and task.exception() is not None:
            logger.error("the connection to %s ended", connector.address, exc_info=task.exception())
