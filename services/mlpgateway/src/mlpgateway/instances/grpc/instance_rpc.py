"""The RPC processAsync: serves one instance's stream from its first message to its end."""

import asyncio

import structlog

from mlpgateway.call.grpc_peers import client_ip
from mlpgateway.call.ports import ConnectedInstance, ConnectionLog, InstanceDirectory, InstanceEntry
from mlpgateway.errors.gate import (
    GateIsShutDown,
    InstanceByTokenNotFound,
    ProtocolViolation,
    TooManyConnects,
    TooManyStreams,
)
from mlpgateway.http2.call import Call as Context
from mlpgateway.http2.errors import CallRefused, MessageLate
from mlpgateway.instances.grpc import wire
from mlpgateway.instances.grpc.cluster import Cluster
from mlpgateway.instances.grpc.connects import Connects
from mlpgateway.instances.grpc.descriptor import connection_of
from mlpgateway.instances.grpc.heartbeats import Heartbeats
from mlpgateway.instances.grpc.link import StreamLink
from mlpgateway.instances.grpc.links import ConnectedInstances
from mlpgateway.instances.grpc.metrics import CONNECTIONS_REFUSED, STREAMS_ENDED
from mlpgateway.instances.grpc.transport import FAILED, StreamTransport, parsed
from mlplace_gateproto import gate_pb2 as pb
from mlplace_kit.credentials import KeyedHasher
from mlplace_kit.errors import DomainError
from mlplace_runtime.process.trusted_proxies import TrustedProxies
from mlplace_runtime.process.turns import Turns

log = structlog.get_logger(__name__)

_MAX_TOKEN = 256
_FLUSH_SECONDS = 1.0


class InstanceRpc:
    def __init__(
        self,
        *,
        instances: InstanceDirectory,
        hasher: KeyedHasher,
        links: ConnectedInstances,
        connections: ConnectionLog,
        cluster: Cluster,
        heartbeats: Heartbeats,
        connects: Connects,
        proxies: TrustedProxies,
        address: str,
        handshake_seconds: float,
    ) -> None:
        self._instances = instances
        self._hasher = hasher
        self._links = links
        self._connections = connections
        self._cluster = cluster
        self._heartbeats = heartbeats
        self._connects = connects
        self._proxies = proxies
        self._address = address
        self._handshake_seconds = handshake_seconds
        self._open = True
        self._turns = Turns()

    def close(self) -> None:
        """Refuses new streams."""
        self._open = False

    async def serve(self, context: Context) -> None:
        try:
            link = await self._handshake(context)
        except DomainError as refusal:
            # Not all instances in use understand an error here, so the stream ends after it.
            CONNECTIONS_REFUSED.labels(refusal.code).inc()
            await context.write(pb.GateToServiceProto(error=wire.error_to_wire(refusal)).SerializeToString())
            if isinstance(refusal, TooManyConnects | TooManyStreams):
                raise _exhausted(refusal) from None
            return
        if link is not None:
            await self._serve_until_end(link, context)

    async def _handshake(self, context: Context) -> StreamLink | None:
        """Returns the link; None when the instance left before its first message."""
        try:
            async with asyncio.timeout(self._handshake_seconds):
                data = await context.read()
        except (TimeoutError, MessageLate):
            raise ProtocolViolation(reason="the first message did not come in time") from None
        if data is None:
            return None
        # One client may open many streams at once.
        await self._turns.wait(context.peer().rpartition(":")[0])
        first, _ = parsed(data)
        if first.WhichOneof("body") != "startServing":
            raise ProtocolViolation(reason="the first message must be startServing")
        if not self._open:
            raise GateIsShutDown
        # No await from here on: if the instance is revoked meanwhile, its link must already be registered.
        entry = self.find(first.startServing.connectionToken)
        if entry is None:
            self._connects.unknown(client_ip(context.peer(), context.invocation_metadata(), self._proxies))
            raise InstanceByTokenNotFound
        connection = connection_of(entry, first.startServing, gate=self._address)
        self._connects.come(entry)
        context.belongs_to(entry.account_id)
        return self._connect(connection)

    def find(self, token: str) -> InstanceEntry | None:
        """Returns the instance that may connect with this token; None when there is none."""
        entry = self._instances.by_token_hash(self._hasher.digest(token)) if len(token) <= _MAX_TOKEN else None
        return entry if entry is not None and entry.accepts_connections else None

    def _connect(self, connection: ConnectedInstance) -> StreamLink:
        link = StreamLink(connection)
        self._heartbeats.begin(link)
        link.outgoing.control(_service_info(connection.entry))
        link.outgoing.control(self._cluster.message)
        self._links.add(link, serves=connection.entry.serves)
        self._connections.connected(connection)
        log.info("instance_connected", instance_id=link.instance_id, stream_id=str(connection.stream_id))
        return link

    async def _serve_until_end(self, link: StreamLink, context: Context) -> None:
        transport = StreamTransport(link, context)
        reader = asyncio.create_task(transport.receive())
        writer = asyncio.create_task(transport.transmit())
        reason = "connection broken"
        try:
            await asyncio.wait({reader, writer, link.ended}, return_when=asyncio.FIRST_COMPLETED)
            reason = _reason(link, reader)
        finally:
            self._disconnect(link, reason)
            reader.cancel()
            try:
                await asyncio.wait({writer}, timeout=_FLUSH_SECONDS)
            finally:
                writer.cancel()
                await asyncio.gather(reader, writer, return_exceptions=True)
                link.closed.set_result(None)

    def _disconnect(self, link: StreamLink, reason: str) -> None:
        self._connects.go(link.connection.entry)
        self._links.remove(link)
        link.broken(reason)
        self._connections.lost(link.connection, reason=reason)
        STREAMS_ENDED.labels(reason.partition(":")[0]).inc()
        log.info(
            "instance_lost",
            instance_id=link.instance_id,
            stream_id=str(link.connection.stream_id),
            reason=reason,
        )


def _exhausted(refusal: TooManyConnects | TooManyStreams) -> CallRefused:
    """Returns a gRPC status on which instances in use retry, with the time to wait as gRPC's pushback."""
    seconds = refusal.retry_after_seconds or 1.0
    return CallRefused("RESOURCE_EXHAUSTED", refusal.text, pushback_ms=int(seconds * 1000))


def _reason(link: StreamLink, reader: asyncio.Task[str]) -> str:
    if link.ended.done():
        return link.ended.result()
    if not reader.done() or reader.cancelled():
        return "broken"
    if (error := reader.exception()) is not None:
        log.error("instance_stream_failed", instance_id=link.instance_id, exc_info=error)
        return FAILED
    return reader.result()


def _service_info(entry: InstanceEntry) -> bytes:
    info = pb.ServiceInfoProto(
        accountId=entry.account_id, modelId=entry.model_id, modelName=entry.model_name, bundles=True
    )
    return pb.GateToServiceProto(serviceInfo=info).SerializeToString()
