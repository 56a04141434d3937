"""One open stream to one gate, from startServing to its end."""

import asyncio
import logging
from collections.abc import Callable, Iterator
from contextlib import suppress

import grpc.aio

from mlplace.errors import processing_exception, to_proto
from mlplace.hosting.link import Link
from mlplace.hosting.session import Session
from mlplace_gateproto import codes, gate_pb2, limits

logger = logging.getLogger(__name__)

GateCall = grpc.aio.StreamStreamCall[gate_pb2.ServiceToGateProto, gate_pb2.GateToServiceProto]
OnCluster = Callable[[gate_pb2.ClusterUpdateProto], None]

# Number of answers that may wait for a slow gate before their functions have to wait.
_OUTBOX_DEPTH = 64
# Pause between stopServing and the first check for open calls: the gate may have sent one meanwhile.
_LINGER_SECONDS = 0.1
_CLOSE_SECONDS = 1.0


def ended_by_peer() -> bool:
    """Whether a CancelledError comes from the call, not from this task: grpc raises the same error for both."""
    task = asyncio.current_task()
    return task is not None and not task.cancelling()


class GateSilentError(Exception):
    """The gate sent nothing for longer than its heartbeats allow."""


class TokenRefusedError(Exception):
    """The gate does not know the connection token."""


class GateStream:
    def __init__(
        self,
        call: GateCall,
        link: Link,
        *,
        on_cluster: OnCluster,
        status: Callable[[], gate_pb2.StatusResponseProto],
    ) -> None:
        self._call = call
        self._link = link
        self._on_cluster = on_cluster
        self._session = Session(link.engine, send=self._send, post=self._post, status=status)
        self._outbox: asyncio.Queue[gate_pb2.ServiceToGateProto] = asyncio.Queue()
        self._room = asyncio.Event()
        self._interval_ms = 0
        self._beat_changed = asyncio.Event()
        self._bundles = False
        self._leave = asyncio.Event()
        self.accepted = False

    async def run(self) -> None:
        """Serves until either side ends the stream. Raises if it broke, fell silent or was refused."""
        self._post(self._link.greeting)
        tasks = [asyncio.create_task(work) for work in (self._write(), self._beat(), self._leave_when_asked())]
        try:
            await self._read()
        finally:
            self._session.abandon()
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            self._call.cancel()

    def leave(self) -> None:
        """Sends stopServing, finishes the open calls and ends the stream."""
        self._leave.set()

    async def _read(self) -> None:
        while True:
            silence = limits.silence_limit_ms(self._interval_ms or limits.DEFAULT_HEARTBEAT_INTERVAL_MS)
            try:
                async with asyncio.timeout(silence / 1000):
                    message = await self._call.read()
            except TimeoutError:
                raise GateSilentError(f"no message for {silence} ms") from None
            except asyncio.CancelledError:
                if ended_by_peer():
                    return
                raise
            if not isinstance(message, gate_pb2.GateToServiceProto):
                return
            self._receive(message)

    def _receive(self, message: gate_pb2.GateToServiceProto) -> None:
        match message.WhichOneof("body"):
            case "heartBeat":
                self._follow_beat(message.heartBeat.interval)
            case "cluster":
                self._on_cluster(message.cluster)
            case "serviceInfo":
                info = message.serviceInfo
                self._bundles = info.bundles
                logger.info("serving %s (account %s, model %s)", info.modelName, info.accountId, info.modelId)
            case "stopServing":
                self.leave()
            case "error":
                self._note_error(message.error)
            case "bundle":
                for each in message.bundle.messages:
                    self._receive(each)
            case _:
                self._session.accept(message)

    def _note_error(self, error: gate_pb2.ApiErrorProto) -> None:
        # An error about a single call is only logged: the gate has dropped that call.
        if error.code == codes.INSTANCE_BY_TOKEN_NOT_FOUND:
            raise TokenRefusedError(error.message)
        logger.warning("the gate says %s: %s", error.code, error.message)

    def _follow_beat(self, interval_ms: int) -> None:
        if not self.accepted:
            logger.info("connected")
        self.accepted = True
        if interval_ms > 0 and interval_ms != self._interval_ms:
            self._interval_ms = interval_ms
            self._beat_changed.set()

    async def _beat(self) -> None:
        await self._beat_changed.wait()
        while True:
            self._beat_changed.clear()
            self._link.probes.alive()
            self._post(gate_pb2.ServiceToGateProto(heartBeat=gate_pb2.HeartBeatProto()))
            with suppress(TimeoutError):
                async with asyncio.timeout(self._interval_ms / 1000):
                    await self._beat_changed.wait()

    async def _leave_when_asked(self) -> None:
        await self._leave.wait()
        self._post(gate_pb2.ServiceToGateProto(stopServing=gate_pb2.StopServingProto()))
        await asyncio.sleep(_LINGER_SECONDS)
        with suppress(TimeoutError):
            async with asyncio.timeout(self._link.settings.graceful_shutdown_ms / 1000):
                await self._session.drained()
                await self._outbox.join()
        with suppress(grpc.aio.AioRpcError, asyncio.InvalidStateError):
            await self._call.done_writing()
        await asyncio.sleep(_CLOSE_SECONDS)
        self._call.cancel()

    async def _send(self, message: gate_pb2.ServiceToGateProto) -> None:
        self._post(_within_limit(message))
        if self._outbox.qsize() > _OUTBOX_DEPTH:
            self._room.clear()
            await self._room.wait()

    def _post(self, message: gate_pb2.ServiceToGateProto) -> None:
        self._outbox.put_nowait(message)

    async def _write(self) -> None:
        while True:
            messages = [await self._outbox.get()]
            while self._bundles and len(messages) < limits.MAX_BUNDLED and not self._outbox.empty():
                messages.append(self._outbox.get_nowait())
            for message in bundled(messages):
                # A broken stream also ends the reader, which knows the reason.
                with suppress(grpc.aio.AioRpcError, asyncio.InvalidStateError):
                    await self._call.write(message)
            for _ in messages:
                self._outbox.task_done()
            if self._outbox.qsize() <= _OUTBOX_DEPTH:
                self._room.set()


def bundled(messages: list[gate_pb2.ServiceToGateProto]) -> Iterator[gate_pb2.ServiceToGateProto]:
    """Bundles consecutive small messages, in order: a message costs the gate about the same whatever its size."""
    together: list[gate_pb2.ServiceToGateProto] = []
    for message in messages:
        if message.ByteSize() <= limits.MAX_BUNDLED_BYTES:
            together.append(message)
            continue
        yield from _as_one(together)
        together = []
        yield message
    yield from _as_one(together)


def _as_one(messages: list[gate_pb2.ServiceToGateProto]) -> list[gate_pb2.ServiceToGateProto]:
    if len(messages) < 2:
        return messages
    return [gate_pb2.ServiceToGateProto(bundle=gate_pb2.BundleProto(messages=messages))]


def _within_limit(message: gate_pb2.ServiceToGateProto) -> gate_pb2.ServiceToGateProto:
    """Turns an answer that is too large into an error: sending it would break the stream for all other calls."""
    size = message.ByteSize()
    if size <= limits.MAX_MESSAGE_BYTES:
        return message
    error = processing_exception(ValueError(f"the answer has {size} bytes; {limits.MAX_MESSAGE_BYTES} are allowed"))
    return gate_pb2.ServiceToGateProto(requestId=message.requestId, error=to_proto(error))
