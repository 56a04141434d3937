"""A hostile instance sends arbitrary frames. No other call is affected; the gate stays up and does not grow."""

import asyncio
import gc
from collections.abc import AsyncGenerator
from itertools import count

import grpc
import psutil
import pytest
from hypothesis import given

from mlplace_gateproto import gate_pb2 as pb
from mlplace_gateproto import gate_pb2_grpc
from tests.security.frames import FUZZ, bounded, of_instances
from tests.security.platform import Platform
from tests.security.tenants import Tenant, serving

pytestmark = [pytest.mark.fuzz, pytest.mark.timeout(3600 if FUZZ else 240)]
_START = "/com.mlp.gate.Gate/processAsync"
_numbers = count(1)
Raw = "grpc.aio.StreamStreamCall[bytes, bytes]"


class Hostile:
    """An instance of its own model that sends raw bytes."""

    def __init__(self, channel: grpc.aio.Channel, token: str) -> None:
        self._stream = channel.stream_stream(_START)()
        self._token = token

    async def start(self) -> None:
        start = pb.ServiceToGateProto(startServing=pb.StartServingProto(connectionToken=self._token))
        await self._stream.write(start.SerializeToString())
        for _ in range(3):
            assert await self._stream.read() is not grpc.aio.EOF

    async def say(self, frames: list[bytes]) -> None:
        """Send the frames until the gate ends the stream."""
        try:
            for frame in frames:
                await self._stream.write(frame)
            await self._stream.done_writing()
        except (grpc.aio.AioRpcError, asyncio.InvalidStateError):
            pass

    async def ends(self) -> None:
        """The gate reads everything and then closes; it must not leave the instance waiting."""
        async with asyncio.timeout(60):
            try:
                while await self._stream.read() is not grpc.aio.EOF:
                    pass
            except grpc.aio.AioRpcError:
                pass

    def leave(self) -> None:
        self._stream.cancel()


@pytest.fixture(scope="module")
async def victim(platform: Platform, globex: Tenant) -> AsyncGenerator["gate_pb2_grpc.GateAsyncStub"]:
    """Calls of a tenant whose instance behaves well."""
    async with serving(platform, globex), grpc.aio.insecure_channel(platform.gate_address) as channel:
        yield gate_pb2_grpc.GateStub(channel)


async def asks(stub: "gate_pb2_grpc.GateAsyncStub", tenant: Tenant) -> None:
    """Call, and check that the answer is the call's own."""
    text = f'"mine {next(_numbers)}"'
    request = pb.ClientRequestProto(
        account=tenant.name, model=tenant.model_name, authToken=tenant.key["MLP-API-KEY"],
        predict=pb.PredictRequestProto(data=pb.PayloadProto(json=text)),
    )  # fmt: skip
    answer = await stub.process(request, timeout=60)
    assert answer.predict.data.json == text, answer


class TestHostileInstance:
    def test_hostile_instance_affects_no_other_call(
        self,
        platform: Platform,
        acme: Tenant,
        globex: Tenant,
        victim: "gate_pb2_grpc.GateAsyncStub",
        session_runner: asyncio.Runner,
    ) -> None:
        async def converse(frames: list[bytes]) -> None:
            async with grpc.aio.insecure_channel(platform.gate_address) as channel:
                hostile = Hostile(channel, acme.connection_token)
                await hostile.start()
                calls = [asyncio.create_task(asks(victim, globex)) for _ in range(3)]
                own = asyncio.create_task(_own_call(victim, acme))
                await hostile.say(frames)
                await asyncio.gather(*calls)
                await hostile.ends()
                hostile.leave()
                await own

        @bounded(ci=60, fuzz=5000)
        @given(frames=of_instances)
        def run(frames: list[bytes]) -> None:
            session_runner.run(converse(frames))

        run()

    async def test_floods_of_an_instance_do_not_grow_the_gate(
        self, platform: Platform, acme: Tenant, globex: Tenant, victim: "gate_pb2_grpc.GateAsyncStub"
    ) -> None:
        floods = [
            pb.ServiceToGateProto(heartBeat=pb.HeartBeatProto(status="x" * 1000)),
            pb.ServiceToGateProto(requestId=2**40, predict=pb.PredictResponseProto(data=pb.PayloadProto(json="y" * 1000))),
            pb.ServiceToGateProto(requestId=3, partialPredict=pb.PartialPredictResponseProto(data=pb.PayloadProto(json="z" * 1000))),
            pb.ServiceToGateProto(requestId=4, batch=pb.BatchResponseProto(data=[pb.BatchPayloadResponseProto(requestId=1)] * 50)),
        ]  # fmt: skip
        grown = []
        for _ in range(3):
            for message in floods:
                async with grpc.aio.insecure_channel(platform.gate_address) as channel:
                    hostile = Hostile(channel, acme.connection_token)
                    await hostile.start()
                    saying = asyncio.create_task(
                        hostile.say([message.SerializeToString()] * (20_000 if FUZZ else 1500))
                    )
                    await asks(victim, globex)
                    await saying
                    await hostile.ends()
            gc.collect()
            grown.append(psutil.Process().memory_info().rss)
        assert grown[-1] - grown[0] < 64 * 1024 * 1024


async def _own_call(stub: "gate_pb2_grpc.GateAsyncStub", tenant: Tenant) -> None:
    """A call of the hostile instance's own model must end, with any result."""
    body = pb.PredictRequestProto(data=pb.PayloadProto(json="1"))
    request = pb.ClientRequestProto(
        account=tenant.name, model=tenant.model_name, authToken=tenant.key["MLP-API-KEY"], predict=body, timeoutSec=20
    )
    await stub.process(request, timeout=60)
