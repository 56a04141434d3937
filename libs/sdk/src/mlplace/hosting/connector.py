"""Keeps one gate connected: connects, serves and reconnects until stopped."""

import asyncio
import logging
from collections.abc import Callable
from contextlib import suppress

import grpc.aio

from mlplace.channels import open_channel
from mlplace.hosting.link import Link
from mlplace.hosting.stream import GateSilentError, GateStream, TokenRefusedError, ended_by_peer
from mlplace_gateproto import gate_pb2, gate_pb2_grpc, limits

logger = logging.getLogger(__name__)

OnCluster = Callable[["Connector", gate_pb2.ClusterUpdateProto], None]
Status = Callable[[], gate_pb2.StatusResponseProto]


class GateUnhealthyError(Exception):
    """The gate answered the health check with a status other than Ok."""


class Connector:
    """The connection to one gate. ``address`` is also its name; the gate may rename it in a cluster update."""

    def __init__(self, address: str, link: Link, *, on_cluster: OnCluster, status: Status) -> None:
        self.address = address
        self._link = link
        self._on_cluster = on_cluster
        self._status = status
        self._stopping = asyncio.Event()
        self._stream: GateStream | None = None
        self._health: grpc.aio.UnaryUnaryCall[gate_pb2.HeartBeatProto, gate_pb2.HeartBeatProto] | None = None

    @property
    def connected(self) -> bool:
        return self._stream is not None and self._stream.accepted

    def stop(self) -> None:
        """Leaves gracefully; ``run`` returns when that is done."""
        self._stopping.set()
        if self._stream is not None:
            self._stream.leave()
        elif self._health is not None:
            # Otherwise an address that swallows packets would delay the stop by the whole connect timeout.
            self._health.cancel()

    async def run(self) -> None:
        attempt = 0
        while not self._stopping.is_set():
            self._link.probes.alive()
            served = await self._attempt()
            attempt = 0 if served else attempt + 1
            with suppress(TimeoutError):
                async with asyncio.timeout(self._link.backoff.delay(attempt)):
                    await self._stopping.wait()

    async def _attempt(self) -> bool:
        """Connects and serves once. Returns True if the gate had accepted the instance."""
        address = self.address
        try:
            async with open_channel(address, self._link.settings) as channel:
                stub = gate_pb2_grpc.GateStub(channel)
                await self._check_health(stub)
                return await self._serve(stub)
        except grpc.aio.AioRpcError as error:
            logger.warning("gate %s: %s %s", address, error.code().name, error.details())
        except (GateUnhealthyError, TokenRefusedError, GateSilentError) as error:
            logger.warning("gate %s: %s: %s", address, type(error).__name__, error)
        except asyncio.CancelledError:
            if not ended_by_peer():
                raise
        except OSError as error:
            logger.warning("gate %s: the certificate authority cannot be read: %s", address, error)
        return False

    async def _check_health(self, stub: "gate_pb2_grpc.GateAsyncStub") -> None:
        timeout = self._link.settings.grpc_connect_timeout_ms / 1000
        self._health = stub.healthCheck(gate_pb2.HeartBeatProto(), timeout=timeout)
        reply = await self._health
        if reply.status != limits.HEARTBEAT_OK:
            raise GateUnhealthyError(f"status {reply.status!r}")

    async def _serve(self, stub: "gate_pb2_grpc.GateAsyncStub") -> bool:
        if self._stopping.is_set():
            return True
        stream = GateStream(
            stub.processAsync(),
            self._link,
            on_cluster=lambda update: self._on_cluster(self, update),
            status=self._status,
        )
        self._stream = stream
        try:
            await stream.run()
        except (grpc.aio.AioRpcError, GateSilentError) as error:
            logger.warning("gate %s: the stream broke: %s", self.address, error)
        finally:
            self._stream = None
        return stream.accepted
