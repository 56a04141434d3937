"""One gate: its gRPC server for instances, clients and other gates, and its graceful shutdown."""

import asyncio
import ssl
from collections.abc import AsyncGenerator, Callable, Coroutine
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import structlog

from mlpgateway.call.handler import CallHandler
from mlpgateway.call.ports import ConnectionLog, GateDirectory, InstanceDirectory
from mlpgateway.entry.grpc.call_handlers import CallHandlers
from mlpgateway.entry.grpc.client_rpc import ClientRpc, refused
from mlpgateway.entry.grpc.message_heads import of_clients, of_instances, of_nobody
from mlpgateway.entry.grpc.server_certificate import ServerCertificate
from mlpgateway.entry.grpc.speech_rpc import SpeechRpc, speech_refused
from mlpgateway.entry.large_bodies.reader import LargeBodyReader
from mlpgateway.features.idempotency.service import IdempotentCalls
from mlpgateway.http2.call import Serve
from mlpgateway.http2.incoming import Judge
from mlpgateway.http2.room import RequestBytes
from mlpgateway.http2.server import Methods, Server
from mlpgateway.instances.grpc import wire
from mlpgateway.instances.grpc.cluster import Cluster
from mlpgateway.instances.grpc.connects import Connects
from mlpgateway.instances.grpc.drain import Drain
from mlpgateway.instances.grpc.heartbeats import Heartbeats
from mlpgateway.instances.grpc.instance_rpc import InstanceRpc
from mlpgateway.instances.grpc.links import ConnectedInstances
from mlpgateway.instances.grpc.methods import answered_in_parts, answered_once
from mlpgateway.instances.grpc.options import GateOptions
from mlpgateway.instances.peers.peer_gates import PeerGates
from mlpgateway.instances.peers.rpc import PeerRpc
from mlpgateway.policy.access.entrance import Holders
from mlpgateway.shares.admission import Admission
from mlplace_gateproto import gate_pb2 as pb
from mlplace_kit.credentials import KeyedHasher
from mlplace_kit.errors import DomainError
from mlplace_runtime.tasks import Loop, running

log = structlog.get_logger(__name__)

_SERVICE = "com.mlp.gate.Gate"
_STRAGGLERS_SECONDS = 0.05
_LAST_CHANCE_SECONDS = 0.2


class PortTakenError(Exception):
    """The gate cannot listen on the configured port."""

    def __init__(self, listen: str) -> None:
        super().__init__(f"the gate cannot listen on {listen}: the port is in use, or may not be used")


@dataclass(frozen=True, slots=True)
class GateComponents:
    """The components that a gate uses. `links` and `admission` are shared with the HTTP side of the same process.

    `peers` are the other gates, which it follows while it runs; `peer_rpc` serves their requests.
    """

    handler: CallHandler
    idempotent_calls: IdempotentCalls
    large_bodies: LargeBodyReader
    instances: InstanceDirectory
    hasher: KeyedHasher
    connections: ConnectionLog
    gates: GateDirectory
    links: ConnectedInstances
    admission: Admission
    holders: Holders
    peers: PeerGates
    peer_rpc: PeerRpc
    known: asyncio.Event
    """Set when this gate knows the instances. It joins the other gates only then: before, it would refuse them all."""


class GateServer:
    """Belongs to one event loop. `open_gate` runs it."""

    def __init__(self, parts: GateComponents, options: GateOptions) -> None:
        self._parts = parts
        self._options = options
        self._certificate = None if options.tls is None else ServerCertificate(options.tls)
        limits = replace(options.limits, first_message_seconds=options.handshake_seconds)
        room = RequestBytes(parts.admission.bytes, seconds=limits.room_seconds)
        self._methods: dict[str, tuple[Serve, Judge]] = {}
        self._server = Server(self._methods, limits, room, options.proxies.believes)
        self._port = self._listen()
        own = f"{options.listen.rpartition(':')[0]}:{self._port}"
        self.address = options.advertised or own
        self.internal = self._internal_address(own)
        connects = Connects(options.connects, asyncio.get_running_loop().time)
        self._heartbeats = Heartbeats(
            parts.links, interval_ms=options.heartbeat_interval_ms, streams_of=connects.streams_of
        )
        self._cluster = Cluster(parts.links, self.address)
        self._instance_rpc = InstanceRpc(
            instances=parts.instances,
            hasher=parts.hasher,
            links=parts.links,
            connections=parts.connections,
            cluster=self._cluster,
            heartbeats=self._heartbeats,
            connects=connects,
            proxies=options.proxies,
            address=self.address,
            handshake_seconds=options.handshake_seconds,
        )
        self._methods.update(self._own_methods())
        self._methods.update(parts.peer_rpc.methods())
        self._drain = Drain(options)
        self._joining: asyncio.Task[None] | None = None
        self._unwatch: Callable[[], None] | None = None

    @property
    def servers(self) -> tuple[str, ...]:
        """The addresses of the gates, as instances are told."""
        return self._cluster.servers

    @property
    def leaving(self) -> bool:
        return self._drain.begun

    @property
    def seconds_for_calls(self) -> float:
        """The time that running calls still have, once the gate is leaving."""
        return self._drain.seconds_for_calls

    @property
    def loops(self) -> list[Loop]:
        loops = [
            Loop("gate_heartbeats", self._heartbeats.run),
            Loop("trusted_proxies", self._options.proxies.run),
            Loop("gate_connections", self._server.run),
        ]
        return loops if self._certificate is None else [*loops, Loop("gate_certificate", self._certificate.run)]

    async def start(self) -> None:
        """Starts the gate. Asks the other gates for their instances before the first call can come."""
        parts = self._parts
        parts.connections.started(self.address)
        await self._options.proxies.start()
        self._unwatch = parts.gates.watch(self._cluster.changed)
        self._joining = asyncio.create_task(self._join(), name="join the gates")
        if parts.known.is_set():
            await self._joining
        await parts.peers.start(self.address)
        await self._server.start()
        log.info("gate_started", address=self.address, internal=self.internal)

    async def _join(self) -> None:
        parts = self._parts
        await parts.known.wait()
        await parts.gates.join(self.address, internal=self.internal)
        self._cluster.changed(await parts.gates.members())

    async def retire(self) -> None:
        """Begins the shutdown: first not ready any more, then no new connections. Calls are still served.

        Returns when the HTTP side may refuse new connections as well. A second call waits for the first.
        """
        if self._drain.begin():
            self._instance_rpc.close()
            if self._joining and not self._joining.done():
                self._joining.cancel()
            await self._quietly(self._parts.gates.retire(self.address))
            await self._drain.settle(self._server.refuse)
        await self._drain.settled.wait()

    async def stop(self) -> None:
        """Shuts down without losing a call.

        Calls in progress end first, over unchanged streams. Only then do instances learn of it, from the other gates
        and by stopServing: not every instance finishes its work on a stream that it has to leave.
        """
        parts, drain = self._parts, self._drain
        await self.retire()
        await drain.proxies_let_go()
        await self._instances_elsewhere()
        parts.peer_rpc.close()
        # From here on, gRPC tells connected peers to go elsewhere; running calls go on.
        stopping = asyncio.create_task(self._server.stop(grace=drain.seconds_left))
        if not await self._calls_end():
            log.warning("gate_drain_incomplete", calls=parts.admission.running)
        parts.admission.close()
        parts.peer_rpc.let_go()
        others = len(self._cluster.servers) > 1
        await self._quietly(parts.gates.leave(self.address))
        if others and parts.links.all():
            await asyncio.sleep(self._options.handover_seconds)
        if self._unwatch:
            self._unwatch()
        await self._dismiss_instances()
        await stopping
        await parts.peers.close()
        log.info("gate_stopped", address=self.address)

    async def _calls_end(self) -> bool:
        """Waits for calls that gRPC accepted before the goodbye, too. Returns False on timeout."""
        admission, drain = self._parts.admission, self._drain
        while await admission.drained(drain.seconds_for_calls):
            await asyncio.sleep(_STRAGGLERS_SECONDS)
            if not admission.running:
                return True
        return False

    async def _instances_elsewhere(self) -> None:
        """Waits until instances have found the gates that stay: such a gate may have started a moment ago."""
        parts = self._parts
        seconds = min(self._options.cover_seconds, self._drain.seconds_for_calls)
        if not await parts.peers.cover(parts.links.models, seconds):
            log.warning("handover_incomplete", models=len(parts.links.models()))

    async def _dismiss_instances(self) -> None:
        """Ends the streams of instances, with a short grace for calls that bypassed admission (none should exist)."""
        links = self._parts.links.all()
        for link in links:
            link.retire(grace_seconds=_LAST_CHANCE_SECONDS, farewell_seconds=self._options.farewell_seconds)
        if links:
            await asyncio.wait([link.closed for link in links], timeout=1.0 + self._options.farewell_seconds)

    @staticmethod
    async def _quietly(step: Coroutine[Any, Any, None]) -> None:
        """Runs a step without raising: when the directory does not answer, others notice the gate's silence."""
        try:
            async with asyncio.timeout(3):
                await step
        except Exception as error:  # noqa: BLE001  nothing may stop the drain
            log.warning("gate_directory_unreachable", error=repr(error))

    def _listen(self) -> int:
        options = self._options
        return self._add_port(options.listen, None if self._certificate is None else self._certificate.context)

    def _internal_address(self, own: str) -> str:
        """Returns the address for other gates; empty when they cannot reach this one, because they speak no TLS."""
        options = self._options
        if options.internal_listen is not None:
            port = self._add_port(options.internal_listen)
            return options.internal or f"{options.internal_listen.rpartition(':')[0]}:{port}"
        return (options.internal or own) if options.tls is None else ""

    def _add_port(self, listen: str, tls: ssl.SSLContext | None = None) -> int:
        try:
            return self._server.bind(listen, tls)
        except OSError as error:
            raise PortTakenError(listen) from error

    def _own_methods(self) -> Methods:
        handlers = CallHandlers(self._parts.admission, self._parts.holders)
        handler, proxies = self._parts.handler, self._options.proxies
        idempotent_calls = self._parts.idempotent_calls
        client = ClientRpc(
            handler=handler,
            idempotent_calls=idempotent_calls,
            handlers=handlers,
            proxies=proxies,
            large_bodies=self._parts.large_bodies,
        )
        speech = SpeechRpc(handler=handler, handlers=handlers, proxies=proxies)
        beats, speaks = partial(wire.parsed, pb.HeartBeatProto), partial(wire.parsed, pb.ClientTtsRequestProto)
        callers = of_clients(self._parts.holders, proxies)
        methods: dict[str, tuple[Serve, Judge]] = {
            "healthCheck": (answered_once(beats, self._health_check, _no_refusal), of_nobody),
            "processAsync": (self._instance_rpc.serve, of_instances(self._instance_rpc.find)),
            "process": (answered_once(wire.asked, client.process, refused), callers),
            "processResponseStream": (answered_in_parts(wire.asked, client.process_response_stream, refused), callers),
            "processStream": (client.process_stream, callers),
            "processSynthesis": (answered_in_parts(speaks, speech.synthesis, speech_refused), callers),
            "processRecognition": (speech.recognition, callers),
        }
        return {f"/{_SERVICE}/{name}": method for name, method in methods.items()}

    async def _health_check(self, _request: pb.HeartBeatProto, _context: object) -> bytes:
        """Returns this very status: with any other, clients close their channel."""
        return wire.heartbeat(self._options.heartbeat_interval_ms).SerializeToString()


def _no_refusal(error: DomainError) -> bytes:
    raise error


@asynccontextmanager
async def open_gate(parts: GateComponents, options: GateOptions) -> AsyncGenerator[GateServer]:
    """Runs a gate for the duration of the block, and drains it at the end. Raises PortTakenError."""
    gate = GateServer(parts, options)
    async with running("mlpgateway", gate.loops):
        await gate.start()
        try:
            yield gate
        finally:
            await gate.stop()
