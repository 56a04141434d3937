"""Moves the messages of an instance's stream between its connection and its link.

Most messages need no wait: they are written in the turn of the event loop after they were queued, and reach the link in
the turn in which they came. Two tasks do what needs a wait, and are idle otherwise: they read large and compressed
messages, and write to an instance that does not read.
"""

import structlog
from google.protobuf.message import DecodeError

from mlpgateway.errors.gate import ProtocolViolation
from mlpgateway.http2.call import Call
from mlpgateway.http2.errors import CallRefused
from mlpgateway.instances.grpc import wire
from mlpgateway.instances.grpc.link import StreamLink
from mlplace_gateproto import gate_pb2 as pb
from mlplace_kit.errors import DomainError

log = structlog.get_logger(__name__)

FAILED = "failed"
_CLOSED_BY_INSTANCE = "closed by the instance"


class StreamTransport:
    """Run `receive` and `transmit` as tasks."""

    def __init__(self, link: StreamLink, call: Call) -> None:
        self._link = link
        self._call = call
        self._bundles = link.connection.takes_bundles

    async def receive(self) -> str:
        """Reads until the stream ends. Returns the reason."""
        self._call.hand_to(self._accept_at_once)
        try:
            while (data := await self._call.read()) is not None:
                self._accept(data)
                del data  # frees the memory while it waits for the next message
        except ProtocolViolation as violation:
            return self._violated(violation)
        except CallRefused as refusal:
            return f"broken: {refusal.details}"
        except DomainError as refusal:  # a large answer found no memory in time
            self._tell(refusal)
            return f"refused: {refusal.code}"
        finally:
            self._call.take_no_more()
        return _CLOSED_BY_INSTANCE

    def _accept_at_once(self, data: bytes) -> None:
        try:
            self._accept(data)
        except ProtocolViolation as violation:
            self._call.take_no_more()
            self._link.end(self._violated(violation))
        except Exception:
            log.exception("instance_stream_failed", instance_id=self._link.instance_id)
            self._call.take_no_more()
            self._link.end(FAILED)

    def _accept(self, data: bytes) -> None:
        (message, text), size = parsed(data), len(data)
        self._link.accept(message, size, text)

    def _violated(self, violation: ProtocolViolation) -> str:
        self._tell(violation)
        return f"protocol violation: {violation.text}"

    def _tell(self, error: DomainError) -> None:
        self._link.outgoing.control(pb.GateToServiceProto(error=wire.error_to_wire(error)).SerializeToString())

    async def transmit(self) -> None:
        """Writes until the link has no more messages."""
        outgoing = self._link.outgoing
        outgoing.attach(self._write_at_once)
        while (message := await outgoing.next(bundles=self._bundles)) is not None:
            await self._call.write(message)
            del message  # it may be large, and the wait for the next one long

    def _write_at_once(self) -> bytes | None:
        outgoing, call = self._link.outgoing, self._call
        while (message := outgoing.take(bundles=self._bundles)) is not None:
            if not call.write_at_once(message):
                return message
        return None


def parsed(data: bytes) -> tuple[pb.ServiceToGateProto, memoryview | None]:
    """Raises ProtocolViolation."""
    try:
        return wire.answer_from_wire(data)
    except DecodeError:
        raise ProtocolViolation(reason="malformed message") from None
