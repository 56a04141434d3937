"""Excessive use of one connection token, and gRPC clients without a key."""

import asyncio
import contextlib

import grpc.aio
import httpx

from mlplace_gateproto import gate_pb2 as pb
from mlplace_gateproto.gate_pb2_grpc import GateStub
from tests.attacks.bystander import Bystander
from tests.attacks.installation import Target
from tests.attacks.people import Tenant
from tests.attacks.wire import Wire, connected

_CONNECTS = 4000
_STREAMS, _CHANNELS = 600, 20
_CLIENTS = 100
_MIB = 1024 * 1024
_FRAME = 16384
_SECONDS = 4.0
_CALLERS = 8
_MANY_BYTES = 20_000


class TestOneToken:
    async def test_constant_reconnects_delay_nobody(
        self, target: Target, attacker: Tenant, bystander: Bystander
    ) -> None:
        codes: list[grpc.StatusCode] = []

        async def reconnect() -> None:
            for _ in range(_CONNECTS // 50):
                codes.extend(await asyncio.gather(*(_connect_once(channel, attacker) for _ in range(50))))

        async with grpc.aio.insecure_channel(target.gate) as channel:
            await bystander.undisturbed_by(reconnect)
        assert grpc.StatusCode.RESOURCE_EXHAUSTED in codes

    async def test_600_streams_of_one_token_delay_nobody(
        self, target: Target, attacker: Tenant, bystander: Bystander
    ) -> None:
        refused: set[grpc.StatusCode] = set()

        async def open_streams() -> None:
            async with contextlib.AsyncExitStack() as stack:
                channels = [await stack.enter_async_context(_channel(target)) for _ in range(_CHANNELS)]
                streams = [
                    asyncio.create_task(_stay(channel, attacker))
                    for channel in channels
                    for _ in range(_STREAMS // _CHANNELS)
                ]
                await asyncio.sleep(_SECONDS)
                refused.update(stream.result() for stream in streams if stream.done())
                for stream in streams:
                    stream.cancel()
                await asyncio.gather(*streams, return_exceptions=True)

        await bystander.undisturbed_by(open_streams)
        assert refused == {grpc.StatusCode.RESOURCE_EXHAUSTED}


class TestHostileInstance:
    async def test_endless_answers_of_an_instance_delay_nobody(
        self, target: Target, attacker: Tenant, hostile: httpx.AsyncClient, bystander: Bystander
    ) -> None:
        instance = asyncio.create_task(_answer_without_end(target, attacker))
        heard: list[int] = []

        async def listen() -> None:
            callers = [asyncio.create_task(_listen(hostile, attacker)) for _ in range(_CALLERS)]
            await asyncio.sleep(_SECONDS)
            for caller in callers:
                caller.cancel()
            heard.extend(await asyncio.gather(*callers))

        await bystander.undisturbed_by(listen)
        instance.cancel()
        await asyncio.gather(instance, return_exceptions=True)
        assert sum(heard) > _MANY_BYTES


class TestStrangers:
    async def test_messages_of_95_mb_from_strangers_take_no_memory(self, target: Target, bystander: Bystander) -> None:
        before = target.resident_bytes
        most = before
        async with bystander.undisturbed():
            strangers = [asyncio.create_task(_pour(target, 95 * _MIB)) for _ in range(_CLIENTS)]
            for _ in range(int(_SECONDS / 0.2)):
                await asyncio.sleep(0.2)
                most = max(most, target.resident_bytes)
            for stranger in strangers:
                stranger.cancel()
            await asyncio.gather(*strangers, return_exceptions=True)
        assert most - before <= 64 * _MIB, f"{(most - before) / _MIB:.0f} MiB more"


async def _answer_without_end(target: Target, tenant: Tenant) -> None:
    """Answer each request with parts, as fast as the gate accepts them."""
    answering: list[asyncio.Task[None]] = []
    async with _channel(target) as channel:
        stream = GateStub(channel).processAsync()  # type: ignore[call-arg]  # messages are written
        lock = asyncio.Lock()

        async def pour(request_id: int) -> None:
            part = pb.PartialPredictResponseProto(data=pb.PayloadProto(json="1"))
            message = pb.ServiceToGateProto(requestId=request_id, partialPredict=part)
            while True:
                async with lock:  # gRPC allows one write at a time
                    await stream.write(message)

        start = pb.StartServingProto(connectionToken=tenant.token)
        await stream.write(pb.ServiceToGateProto(startServing=start))
        try:
            while isinstance(message := await stream.read(), pb.GateToServiceProto):
                if message.HasField("predict"):
                    answering.append(asyncio.create_task(pour(message.requestId)))
        finally:
            for task in answering:
                task.cancel()
            await asyncio.gather(*answering, return_exceptions=True)


async def _listen(client: httpx.AsyncClient, tenant: Tenant) -> int:
    """Bytes read from one stream until it is cancelled."""
    path, body, size = f"{tenant.path}/predict-with-config-v2-stream", {"data": "{}"}, 0
    with contextlib.suppress(asyncio.CancelledError):
        while True:
            async with client.stream("POST", path, json=body) as answer:
                async for part in answer.aiter_raw():
                    size += len(part)
            await asyncio.sleep(0.1)
    return size


def _channel(target: Target) -> grpc.aio.Channel:
    """A channel with its own connection."""
    return grpc.aio.insecure_channel(target.gate, options=[("grpc.use_local_subchannel_pool", 1)])


async def _connect_once(channel: grpc.aio.Channel, tenant: Tenant) -> grpc.StatusCode:
    stream = GateStub(channel).processAsync()  # type: ignore[call-arg]  # messages are written
    with contextlib.suppress(grpc.RpcError, asyncio.InvalidStateError):
        start = pb.StartServingProto(connectionToken=tenant.token)
        await stream.write(pb.ServiceToGateProto(startServing=start))
        first = await stream.read()
        if isinstance(first, pb.GateToServiceProto) and first.WhichOneof("body") != "error":
            stream.cancel()
        else:
            await stream.read()  # the end of a refused stream
    return await stream.code()


async def _stay(channel: grpc.aio.Channel, tenant: Tenant) -> grpc.StatusCode:
    """Runs until the gate ends the stream."""
    stream = GateStub(channel).processAsync()  # type: ignore[call-arg]  # messages are written
    with contextlib.suppress(grpc.RpcError, asyncio.InvalidStateError):
        start = pb.StartServingProto(connectionToken=tenant.token)
        await stream.write(pb.ServiceToGateProto(startServing=start))
        while await stream.read() is not grpc.aio.EOF:
            pass
    return await stream.code()


async def _pour(target: Target, size: int) -> None:
    """A call without a key whose only message announces `size` bytes; sends as much of it as the gate accepts.

    It writes HTTP/2 frames (RFC 9113) directly, so that a hundred of them need little memory here. Like an attacker, it
    ignores windows.
    """
    async with connected(target.grpc_port) as wire:
        await wire.say(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + _frame(4, 0, 0, b"") + _frame(1, 4, 1, _headers()))
        await wire.say(_frame(0, 0, 1, b"\0" + size.to_bytes(4, "big")))
        await _body(wire, size)


async def _body(wire: Wire, size: int) -> None:
    frame = _frame(0, 0, 1, b"\x0a" * _FRAME)
    for _ in range(size // _FRAME):
        if not await wire.say(frame):
            return


def _frame(kind: int, flags: int, stream: int, payload: bytes) -> bytes:
    return len(payload).to_bytes(3, "big") + bytes((kind, flags)) + stream.to_bytes(4, "big") + payload


def _headers() -> bytes:
    """Literal header fields without indexing (RFC 7541, section 6.2.2)."""
    fields = (
        (":method", "POST"), (":scheme", "http"), (":path", "/com.mlp.gate.Gate/process"), (":authority", "localhost"),
        ("content-type", "application/grpc"), ("te", "trailers"),
    )  # fmt: skip
    return b"".join(b"\0" + _text(name) + _text(value) for name, value in fields)


def _text(text: str) -> bytes:
    return bytes((len(text),)) + text.encode()
