"""One stream of one instance: sends requests and hands the answers to their callers.

The stream owns the table of its pending requests. An answer on another stream, a repeated, late or unrequested one
finds no entry there and is dropped.
"""

import asyncio
import itertools
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence

from mlpgateway.call.call import Answer, InputPart, Operation, Payload
from mlpgateway.call.ports import ConnectedInstance
from mlpgateway.call.transport import InstanceRequest
from mlpgateway.errors.gate import ChannelClosed, InstanceOverloaded, ProtocolViolation, UnexpectedAnswer
from mlpgateway.instances.grpc import wire
from mlpgateway.instances.grpc.batch import Batch, batch_to_wire
from mlpgateway.instances.grpc.exchange import InstanceCall, Pending
from mlpgateway.instances.grpc.metrics import ANSWERS_DROPPED
from mlpgateway.instances.grpc.outgoing import Outgoing
from mlpgateway.instances.grpc.prepared import PreparedPredict
from mlpgateway.instances.grpc.told_call import ToldCall
from mlpgateway.instances.json_answers import problem_of
from mlplace_gateproto import gate_pb2 as pb
from mlplace_gateproto.flow import WINDOW_BYTES, SendWindow
from mlplace_gateproto.limits import DEFAULT_HEARTBEAT_INTERVAL_MS, MAX_BUNDLED
from mlplace_kit.errors import DomainError

_STOP_SERVING = pb.GateToServiceProto(stopServing=pb.StopServingProto()).SerializeToString()

# How long an instance that sent stopServing may still answer its pending requests.
_INSTANCE_GRACE_SECONDS = 30.0
# How long it may then take to end the stream. Instances of the public SDK reconnect when the gate ends it first.
_INSTANCE_LEAVES_SECONDS = 5.0


class StreamLink:
    """Satisfies InstanceLink, StreamedInputLink and BatchLink. Not thread-safe: used on the gate's event loop only."""

    def __init__(self, connection: ConnectedInstance) -> None:
        self.connection = connection
        self._loop = asyncio.get_running_loop()
        self._pending: dict[int, Pending] = {}
        self._batches: dict[int, Batch] = {}
        self._numbers = itertools.count(1)
        self._accepts = True
        self._farewell_seconds: float | None = None
        self._instance_leaves = False
        self._refuses_batches = False
        self._timer: asyncio.TimerHandle | None = None
        self._pumps: dict[int, asyncio.Task[None]] = {}
        self._inputs: dict[int, SendWindow] = {}
        # Sent with each request: how many bytes of a streamed answer may be unread.
        self._window = None if connection.window is None else WINDOW_BYTES
        self._tell = None if connection.window is None else self._tell_taken
        self.outgoing = Outgoing(lambda number: number in self._pending or number in self._batches)
        self.last_seen = self._loop.time()
        # The interval that the instance was given: both sides send heartbeats at this rate.
        self.beat_ms = DEFAULT_HEARTBEAT_INTERVAL_MS
        # Set to the reason when this side decides to end the stream.
        self.ended: asyncio.Future[str] = self._loop.create_future()
        # Set when the stream is over and nothing more is written to it.
        self.closed: asyncio.Future[None] = self._loop.create_future()

    # ---- For the hot path

    @property
    def instance_id(self) -> int:
        return self.connection.entry.instance_id

    @property
    def model_id(self) -> int:
        return self.connection.entry.model_id

    @property
    def active_requests(self) -> int:
        """A batch counts as one."""
        return len(self._pending) + len(self._batches)

    @property
    def accepts_requests(self) -> bool:
        return self._accepts

    @property
    def takes_batches(self) -> bool:
        return self.connection.takes_batches and not self._refuses_batches

    def refuse_batches(self) -> None:
        self._refuses_batches = True

    def send_batch(self, requests: Sequence[InstanceRequest]) -> Sequence[AsyncGenerator[Answer]]:
        batch = Batch(next(self._numbers), len(requests), self._forget_batch)
        exchanges = batch.exchanges
        if not self._accepts:
            batch.fail(lambda: ChannelClosed(reason="the instance is leaving"))
            return exchanges
        self._batches[batch.number] = batch
        message = batch_to_wire(batch.number, requests).SerializeToString()
        if not self.outgoing.request(batch.number, message):
            batch.fail(InstanceOverloaded)
        return exchanges

    def send(self, request: InstanceRequest) -> AsyncGenerator[Answer]:
        exchange = self._open(request.operation)
        number = exchange.request_id
        if number in self._pending:
            self._write(exchange, wire.request_to_wire(number, request, window=self._window))
        return exchange

    def send_told(
        self,
        prepared: PreparedPredict,
        text: bytes,
        *,
        request_id: str,
        trace_parent: str | None,
        answered: Callable[[Answer], None],
        failed: Callable[[DomainError], None],
    ) -> ToldCall:
        """Like `send`, for a caller without a task. `failed` may be called before this returns."""
        number = next(self._numbers)
        call = ToldCall(number, Operation.PREDICT, self._forget, self._tell, answered, failed)
        if not self._accepts:
            call.fail(ChannelClosed(reason="the instance is leaving"))
            return call
        self._pending[number] = call
        message = prepared.message(number, text, request_id=request_id, trace_parent=trace_parent, window=self._window)
        if not self.outgoing.request(number, message):
            call.fail(InstanceOverloaded())
        return call

    def send_stream(self, request: InstanceRequest, inputs: AsyncGenerator[Payload]) -> AsyncGenerator[Answer]:
        exchange = self._open(request.operation)
        pump = asyncio.create_task(self._pump(exchange, request, inputs))
        self._pumps[exchange.request_id] = pump
        pump.add_done_callback(lambda _: self._pumps.pop(exchange.request_id, None))
        return exchange

    def _open(self, operation: Operation) -> InstanceCall:
        exchange = InstanceCall(next(self._numbers), operation, self._forget, self._tell)
        if self._accepts:
            self._pending[exchange.request_id] = exchange
        else:
            exchange.fail(ChannelClosed(reason="the instance is leaving"))
        return exchange

    def _tell_taken(self, number: int, total: int) -> None:
        self.outgoing.notice(number, wire.flow_to_wire(number, total))

    def _write(self, exchange: InstanceCall, message: bytes) -> None:
        number = exchange.request_id
        if number in self._pending and not self.outgoing.request(number, message):
            exchange.fail(InstanceOverloaded())

    async def _pump(self, exchange: InstanceCall, request: InstanceRequest, inputs: AsyncGenerator[Payload]) -> None:
        """Sends each part as soon as it comes, at the pace at which the instance reads them.

        No part waits for its successor: the caller may want an answer to it first. If the caller marks none as the last
        one and closes, a message without data ends the input.
        """
        number = exchange.request_id
        sent = self._inputs[number] = SendWindow(self.connection.window)
        start = True
        try:
            async for part in inputs:
                if number not in self._pending:
                    return
                finish = isinstance(part, InputPart) and part.last
                message = wire.part_to_wire(number, part, request, start=start, finish=finish, window=self._window)
                self._write(exchange, message)
                if finish:
                    return
                start = False
                sent.sent(len(message))
                await sent.room()
                await self.outgoing.room()
            end = wire.part_to_wire(number, Payload(), request, start=start, finish=True, window=self._window)
            self._write(exchange, end)
        except DomainError as error:
            exchange.fail(error)
        finally:
            self._inputs.pop(number, None)
            await inputs.aclose()

    def _forget(self, request_id: int) -> None:
        exchange = self._pending.pop(request_id, None)
        self._over(request_id, settled=exchange is None or exchange.settled)
        pump = self._pumps.get(request_id)
        if pump is not None and pump is not asyncio.current_task():
            pump.cancel()
        self._look_drained()

    def _forget_batch(self, number: int) -> None:
        batch = self._batches.pop(number, None)
        self._over(number, settled=batch is None or batch.settled)
        self._look_drained()

    def _over(self, number: int, *, settled: bool) -> None:
        """Cancels the request at the instance unless the instance itself has ended it."""
        tell = self.connection.takes_cancels and not settled
        self.outgoing.over(number, wire.cancel_to_wire(number) if tell else None)

    def _look_drained(self) -> None:
        if not self._accepts and not self.active_requests:
            self._drained()

    # ---- For the reader of the stream

    def accept(self, message: pb.ServiceToGateProto, size: int, text: memoryview | None = None) -> None:
        """Handles a message of the instance, and its large text. Raises ProtocolViolation, which ends the stream."""
        self.last_seen = self._loop.time()
        if not message.HasField("bundle"):
            self._take(message, size, text)
            return
        if len(message.bundle.messages) > MAX_BUNDLED:
            raise ProtocolViolation(reason="too many messages in one")
        for each in message.bundle.messages:
            self._take(each, each.ByteSize())

    def _take(self, message: pb.ServiceToGateProto, size: int, text: memoryview | None = None) -> None:
        kind = message.WhichOneof("body")
        match kind:
            case "predict":
                self._answer(message, wire.answered_payload(message.predict.data, text), size, Operation.PREDICT)
            case "partialPredict":
                self._partial_answer(message, size, text)
            case "ext":
                self._answer(message, wire.answered_payload(message.ext.data, text), size, Operation.EXT)
            case "error":
                self._error(message)
            case "heartBeat":
                pass
            case "stopServing":
                self._instance_stops()
            case "batch":
                self._batch_answer(message)
            case "flow":
                self._input_taken(message)
            case "fit" | "fitStatus" | "status":
                ANSWERS_DROPPED.labels(kind).inc()  # this gate sends no such requests yet
            case _:
                raise ProtocolViolation(reason=f"unexpected message: {kind or 'empty'}")

    def _answer(self, message: pb.ServiceToGateProto, payload: Payload, size: int, operation: Operation) -> None:
        exchange = self._exchange(message, operation.value)
        if exchange is None:
            return
        if exchange.operation is not operation:
            exchange.fail(UnexpectedAnswer(operation=exchange.operation.value, kind=operation.value))
            return
        if (problem := problem_of(payload, part=False)) is not None:
            exchange.fail(problem, settled=True)
            return
        first = exchange.received == 0
        answer = Answer(payload, _headers(message), first=first, last=True, partial=False)
        exchange.deliver(answer, size)

    def _partial_answer(self, message: pb.ServiceToGateProto, size: int, text: memoryview | None) -> None:
        exchange = self._exchange(message, "partialPredict")
        if exchange is None:
            return
        if exchange.operation is not Operation.PREDICT:
            exchange.fail(UnexpectedAnswer(operation=exchange.operation.value, kind="partialPredict"))
            return
        part = message.partialPredict
        payload = wire.answered_payload(part.data, text)
        if (problem := problem_of(payload, part=True)) is not None:
            exchange.fail(problem, settled=part.finish)
            return
        answer = Answer(
            payload,
            _headers(message),
            first=exchange.received == 0,
            last=part.finish,
            partial=True,
        )
        exchange.deliver(answer, size)

    def _input_taken(self, message: pb.ServiceToGateProto) -> None:
        sent = self._inputs.get(message.requestId)
        if sent is not None:
            sent.taken(message.flow.taken)

    def _batch_answer(self, message: pb.ServiceToGateProto) -> None:
        batch = self._batches.get(message.requestId)
        if batch is not None:
            batch.answer(message.batch)
        else:
            ANSWERS_DROPPED.labels("batch").inc()

    def _error(self, message: pb.ServiceToGateProto) -> None:
        batch = self._batches.get(message.requestId)
        if batch is not None:
            batch.fail(lambda: wire.error_from_wire(message.error, _headers(message)), settled=True)
            return
        exchange = self._exchange(message, "error")
        if exchange is not None:
            exchange.fail(wire.error_from_wire(message.error, _headers(message)), settled=True)

    def _exchange(self, message: pb.ServiceToGateProto, kind: str) -> Pending | None:
        exchange = self._pending.get(message.requestId)
        batch = self._batches.get(message.requestId)
        if batch is not None:
            batch.fail(lambda: UnexpectedAnswer(operation="batch", kind=kind))
        elif exchange is None:
            ANSWERS_DROPPED.labels(kind).inc()
        return exchange

    # ---- End of the stream

    def retire(self, *, grace_seconds: float, farewell_seconds: float | None = None) -> None:
        """Stops routing calls here. Ends the stream when its calls are done, at the latest after `grace_seconds`.

        With `farewell_seconds` the instance gets stopServing before that, and this time to end the stream itself.
        """
        if not self._accepts:
            return
        self._accepts = False
        self._farewell_seconds = farewell_seconds
        if self.active_requests:
            self._timer = self._loop.call_later(grace_seconds, self._say_farewell)
        else:
            self._drained()

    def _drained(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        self._say_farewell()

    def _say_farewell(self) -> None:
        farewell, self._farewell_seconds = self._farewell_seconds, None
        if self._instance_leaves:
            self._timer = self._loop.call_later(_INSTANCE_LEAVES_SECONDS, self.end, "retired")
            return
        if farewell is None:
            self.end("retired")
            return
        self.outgoing.control(_STOP_SERVING)
        self._timer = self._loop.call_later(farewell, self.end, "retired")

    def _instance_stops(self) -> None:
        if self._accepts:
            self._instance_leaves = True
            self.retire(grace_seconds=_INSTANCE_GRACE_SECONDS)
        elif not self._instance_leaves and not self.active_requests:
            self.end("retired")

    def end(self, reason: str) -> None:
        """Asks for the stream to be closed."""
        if not self.ended.done():
            self.ended.set_result(reason)

    def broken(self, reason: str) -> None:
        """Fails all pending requests: the stream is over."""
        self._accepts = False
        if self._timer is not None:
            self._timer.cancel()
        for exchange in list(self._pending.values()):
            exchange.fail(ChannelClosed(reason=reason))
        for batch in list(self._batches.values()):
            batch.fail(lambda: ChannelClosed(reason=reason))
        if self._timer is not None:  # the last failure may have started the goodbye
            self._timer.cancel()
        self.outgoing.close()


def _headers(message: pb.ServiceToGateProto) -> Mapping[str, str]:
    return dict(message.headers) if message.headers else {}
