"""One gate: a gRPC server, its streams of instances, its calls of clients, and its going away without losing any."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Coroutine
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import grpc
import structlog

from mlpgateway.gate import wire
from mlpgateway.gate.admission import Admission
from mlpgateway.gate.client_rpc import ClientRpc
from mlpgateway.gate.cluster import Cluster
from mlpgateway.gate.instance_rpc import InstanceRpc
from mlpgateway.gate.links import ConnectedInstances
from mlpgateway.gate.options import GateOptions, TlsFiles
from mlpgateway.gate.ports import ConnectionLog, GateDirectory, InstanceDirectory
from mlpgateway.gate.pulse import Pulse
from mlpgateway.gate.relay import Relay
from mlpgateway.gate.speech_rpc import SpeechRpc
from mlpgateway.proxy.handler import CallHandler
from mlplace_gateproto import gate_pb2 as pb
from mlplace_gateproto.limits import MAX_MESSAGE_BYTES
from mlplace_kit.credentials import KeyedHasher
from mlplace_runtime.tasks import Loop, running

log = structlog.get_logger(__name__)

_SERVICE = "com.mlp.gate.Gate"
_CHANNEL_OPTIONS: tuple[tuple[str, int], ...] = (
    ("grpc.max_send_message_length", MAX_MESSAGE_BYTES),
    ("grpc.max_receive_message_length", MAX_MESSAGE_BYTES),
    # Clients in use ping every 120 s, with calls or without. A stock server would hang up on them.
    ("grpc.keepalive_permit_without_calls", 1),
    ("grpc.http2.min_ping_interval_without_data_ms", 10_000),
    # Finds peers whose host went away without a goodbye.
    ("grpc.keepalive_time_ms", 30_000),
    ("grpc.keepalive_timeout_ms", 20_000),
    # A port that is taken has to be an error, not a share of somebody else's connections.
    ("grpc.so_reuseport", 0),
)


class PortTakenError(Exception):
    """The gate cannot listen where it was told to."""

    def __init__(self, listen: str) -> None:
        super().__init__(f"the gate cannot listen on {listen}: the port is in use, or may not be used")


@dataclass(frozen=True, slots=True)
class GateParts:
    """What a gate is wired to. `links` and `admission` are shared with the HTTP side of the same process."""

    handler: CallHandler
    instances: InstanceDirectory
    hasher: KeyedHasher
    connections: ConnectionLog
    gates: GateDirectory
    links: ConnectedInstances
    admission: Admission


class GateServer:
    """Lives on one event loop. `open_gate` runs it."""

    def __init__(self, parts: GateParts, options: GateOptions) -> None:
        self._parts = parts
        self._options = options
        self._server = grpc.aio.server(options=_CHANNEL_OPTIONS)
        port = self._listen()
        self.address = options.advertised or f"{options.listen.rpartition(':')[0]}:{port}"
        self._pulse = Pulse(parts.links, interval_ms=options.heartbeat_interval_ms)
        self._cluster = Cluster(parts.links, self.address)
        self._instance_rpc = InstanceRpc(
            instances=parts.instances,
            hasher=parts.hasher,
            links=parts.links,
            connections=parts.connections,
            cluster=self._cluster,
            pulse=self._pulse,
            address=self.address,
            handshake_seconds=options.handshake_seconds,
        )
        self._server.add_generic_rpc_handlers((self._handlers(),))
        self._unwatch: Callable[[], None] | None = None

    @property
    def servers(self) -> tuple[str, ...]:
        """The gates that instances are told of."""
        return self._cluster.servers

    @property
    def pulse(self) -> Loop:
        return Loop("gate_pulse", self._pulse.run)

    async def start(self) -> None:
        self._parts.connections.started(self.address)
        await self._server.start()
        self._unwatch = self._parts.gates.watch(self._cluster.changed)
        await self._parts.gates.join(self.address)
        self._cluster.changed(await self._parts.gates.members())
        log.info("gate_started", address=self.address)

    async def stop(self) -> None:
        """Go away without losing a call.

        Calls in progress end first, over streams that stay as they are. Only then do instances hear of it, from the
        other gates and by stopServing: not every one of them finishes its work on a stream that it has to leave.
        """
        parts = self._parts
        parts.admission.close()
        self._instance_rpc.close()
        await self._quietly(parts.gates.retire(self.address))
        if not await parts.admission.drained(self._options.drain_seconds):
            log.warning("gate_drain_incomplete", calls=parts.admission.running)
        others = len(self._cluster.servers) > 1
        await self._quietly(parts.gates.leave(self.address))
        if others and parts.links.all():
            await asyncio.sleep(self._options.handover_seconds)
        if self._unwatch:
            self._unwatch()
        await self._dismiss_instances()
        await self._server.stop(grace=1.0)
        log.info("gate_stopped", address=self.address)

    async def _dismiss_instances(self) -> None:
        """Calls that did not come through the admission (there should be none) get a last chance here."""
        links = self._parts.links.all()
        for link in links:
            link.retire(patience_seconds=1.0, farewell_seconds=self._options.farewell_seconds)
        if links:
            await asyncio.wait([link.closed for link in links], timeout=2.0 + self._options.farewell_seconds)

    @staticmethod
    async def _quietly(step: Coroutine[Any, Any, None]) -> None:
        """A gate whose directory does not answer still has to go; the others notice by its silence."""
        try:
            async with asyncio.timeout(3):
                await step
        except Exception as error:  # noqa: BLE001  nothing may keep a gate from draining
            log.warning("gate_directory_unreachable", error=repr(error))

    def _listen(self) -> int:
        try:
            if self._options.tls is None:
                return self._server.add_insecure_port(self._options.listen)
            return self._server.add_secure_port(self._options.listen, _credentials(self._options.tls))
        except RuntimeError as error:
            raise PortTakenError(self._options.listen) from error

    def _handlers(self) -> grpc.GenericRpcHandler:
        relay = Relay(self._parts.admission)
        handler, hops = self._parts.handler, self._options.trusted_hops
        client = ClientRpc(handler=handler, relay=relay, trusted_hops=hops)
        speech = SpeechRpc(handler=handler, relay=relay, trusted_hops=hops)
        response = pb.ClientResponseProto.SerializeToString
        methods: dict[str, grpc.RpcMethodHandler[Any, Any]] = {
            "healthCheck": grpc.unary_unary_rpc_method_handler(
                self._health_check, pb.HeartBeatProto.FromString, pb.HeartBeatProto.SerializeToString
            ),
            "processAsync": grpc.stream_stream_rpc_method_handler(self._instance_rpc.serve, None, None),
            "process": grpc.unary_unary_rpc_method_handler(
                wire.parsing(pb.ClientRequestProto, client.process), None, response
            ),
            "processResponseStream": grpc.unary_stream_rpc_method_handler(
                wire.parsing(pb.ClientRequestProto, client.process_response_stream), None, response
            ),
            "processStream": grpc.stream_stream_rpc_method_handler(client.process_stream, None, response),
            "processSynthesis": grpc.unary_stream_rpc_method_handler(
                wire.parsing(pb.ClientTtsRequestProto, speech.synthesis),
                None,
                pb.ClientTtsResponseProto.SerializeToString,
            ),
            "processRecognition": grpc.stream_stream_rpc_method_handler(
                speech.recognition, None, pb.ClientAsrResponseProto.SerializeToString
            ),
        }
        return grpc.method_handlers_generic_handler(_SERVICE, methods)

    async def _health_check(self, _request: pb.HeartBeatProto, _context: object) -> pb.HeartBeatProto:
        """Clients close their channel unless the status is exactly this one."""
        return wire.heartbeat(self._options.heartbeat_interval_ms)


def _credentials(files: TlsFiles) -> grpc.ServerCredentials:
    return grpc.ssl_server_credentials([(files.key.read_bytes(), files.certificate.read_bytes())])


@asynccontextmanager
async def open_gate(parts: GateParts, options: GateOptions) -> AsyncGenerator[GateServer]:
    """A gate that serves while the block runs, and drains at its end. Raises PortTakenError."""
    gate = GateServer(parts, options)
    async with running("mlpgateway", [gate.pulse]):
        await gate.start()
        try:
            yield gate
        finally:
            await gate.stop()
