"""One gRPC channel to another gate, for the service that gates offer each other."""

import asyncio
from collections.abc import AsyncGenerator, Iterable
from typing import Final, cast

import grpc

from mlpgateway.call.call import Answer, Payload
from mlpgateway.errors.gate import ChannelClosed
from mlpgateway.instances.peers import messages
from mlpgateway.instances.peers.messages import Failed
from mlplace_gateproto.limits import MAX_MESSAGE_BYTES
from mlplace_kit.errors import PayloadTooLarge

SERVICE: Final = "com.mlp.internal.Sibling"
TOKEN: Final = "mlp-internal-token"  # noqa: S105  the name of the metadata
MODEL: Final = "mlp-model"
INSTANCE: Final = "mlp-instance"
_OPTIONS: Final = (
    ("grpc.max_send_message_length", MAX_MESSAGE_BYTES),
    ("grpc.max_receive_message_length", MAX_MESSAGE_BYTES),
    ("grpc.enable_http_proxy", 0),
    # Detects that another gate's host is gone while a call waits for it.
    ("grpc.keepalive_time_ms", 15_000),
    ("grpc.keepalive_timeout_ms", 5_000),
    ("grpc.http2.max_pings_without_data", 0),
    ("grpc.initial_reconnect_backoff_ms", 100),
    # Despite its name the limit of one attempt to connect: a busy gate may need long to greet.
    ("grpc.min_reconnect_backoff_ms", 5_000),
    ("grpc.max_reconnect_backoff_ms", 1_000),
)
_GRACE_SECONDS = 60.0

Call = grpc.aio.StreamStreamCall[bytes, bytes]
_Watch = grpc.aio.UnaryStreamMultiCallable[bytes, bytes]
_Converse = grpc.aio.StreamStreamMultiCallable[bytes, bytes]


def ended_by_peer() -> bool:
    """Returns whether grpc raised the CancelledError, not the running task: both raise the same type."""
    task = asyncio.current_task()
    return task is not None and not task.cancelling()


class LostError(Exception):
    """The connection to the other gate is over."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


async def read_from(call: "Call | grpc.aio.UnaryStreamCall[bytes, bytes]") -> bytes:
    """Returns the next message. Raises LostError."""
    try:
        data = await call.read()
    except asyncio.CancelledError:
        if not ended_by_peer():
            raise
        raise LostError("cancelled") from None
    except grpc.aio.AioRpcError as error:
        raise LostError(error.code().name) from None
    if not isinstance(data, bytes):
        raise LostError("ended")
    return data


class PeerChannel:
    def __init__(self, address: str, token: str) -> None:
        self._channel = grpc.aio.insecure_channel(address, options=_OPTIONS)
        self._metadata = ((TOKEN, token),)
        # Without (de)serialisers messages are bytes, which the library's types do not say.
        self._watch = cast("_Watch", self._channel.unary_stream(f"/{SERVICE}/watch"))
        self._forward = cast("_Converse", self._channel.stream_stream(f"/{SERVICE}/forward"))
        self._slots_rpc = cast("_Watch", self._channel.unary_stream(f"/{SERVICE}/lend"))
        self._entrust = cast("_Converse", self._channel.stream_stream(f"/{SERVICE}/entrust"))

    def watch(self) -> "grpc.aio.UnaryStreamCall[bytes, bytes]":
        return self._watch(b"", metadata=self._metadata)

    def forward(self, model_id: int) -> "PeerCall":
        return PeerCall(self._forward(metadata=(*self._metadata, (MODEL, str(model_id)))))

    def request_slot(self, wanted: bytes) -> "grpc.aio.UnaryStreamCall[bytes, bytes]":
        return self._slots_rpc(wanted, metadata=self._metadata)

    def entrust(self) -> "PeerCall":
        return PeerCall(self._entrust(metadata=self._metadata))

    async def close(self, *, at_once: bool = False) -> None:
        await self._channel.close(grace=None if at_once else _GRACE_SECONDS)


class PeerCall:
    """One call to the other gate and its answers. Closing it ends the call there, too."""

    def __init__(self, call: Call) -> None:
        self._call = call
        self._pump: asyncio.Task[None] | None = None
        self._failure: BaseException | None = None

    async def instance_id(self) -> int | None:
        """Returns the instance that the other gate chose; None when that gate did not take the call."""
        try:
            metadata: Iterable[tuple[str, str | bytes]] = await self._call.initial_metadata() or ()
        except asyncio.CancelledError:
            if not ended_by_peer():
                raise
            return None
        return next((int(value) for name, value in metadata if name == INSTANCE), None)

    async def ask(self, message: object, *, more: bool = False) -> None:
        """Sends a message. Failures are not raised here: `answers` reports them."""
        try:
            await self._call.write(messages.encode(message))
            if not more:
                await self._call.done_writing()
        except (grpc.aio.AioRpcError, asyncio.InvalidStateError):
            pass
        except asyncio.CancelledError:
            if not ended_by_peer():
                raise

    def feed(self, inputs: AsyncGenerator[Payload]) -> None:
        """Sends the parts of the request as they come. `answers` raises the error that ends `inputs`."""
        self._pump = asyncio.create_task(self._feed(inputs))

    async def _feed(self, inputs: AsyncGenerator[Payload]) -> None:
        try:
            async for part in inputs:
                await self.ask(part, more=True)
            await self._call.done_writing()
        except (grpc.aio.AioRpcError, asyncio.InvalidStateError):
            pass
        except Exception as error:  # noqa: BLE001  raised to the reader of the answers
            self._failure = error
            self._call.cancel()
        finally:
            await inputs.aclose()

    async def answers(self) -> AsyncGenerator[Answer]:
        """Raises NotTakenError when nothing was done with the call, ChannelClosed when the other gate is gone."""
        while True:
            data = await self._read()
            match messages.outcome(data):
                case Failed() as failed:
                    raise messages.error_of(failed)
                case said:
                    yield said.answer
                    if said.answer.last:
                        return

    async def _read(self) -> bytes:
        try:
            return await read_from(self._call)
        except LostError as lost:
            if lost.reason == grpc.StatusCode.RESOURCE_EXHAUSTED.name:
                raise PayloadTooLarge(limit=str(MAX_MESSAGE_BYTES)) from None
            raise self._loss(lost.reason) from None

    def _loss(self, reason: str) -> BaseException:
        return self._failure or ChannelClosed(reason=f"another gate: {reason}")

    async def close(self) -> None:
        self._call.cancel()
        if self._pump is not None:
            self._pump.cancel()
            await asyncio.gather(self._pump, return_exceptions=True)
