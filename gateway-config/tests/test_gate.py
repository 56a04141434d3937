import asyncio
from collections.abc import AsyncIterator, Callable

import grpc
import grpc.aio
import pytest
from upstream_twins import Gate

from mlplace_gateproto import gate_pb2, gate_pb2_grpc
from mlplace_testing.ports import free_port
from mlplace_testing.servers.nginx import Nginx

OPTIONS = [("grpc.max_receive_message_length", -1), ("grpc.max_send_message_length", -1), ("grpc.enable_http_proxy", 0)]


def _predict(text: str) -> gate_pb2.ClientRequestProto:
    data = gate_pb2.PayloadProto(json=text)
    return gate_pb2.ClientRequestProto(account="a", model="m", predict=gate_pb2.PredictRequestProto(data=data))


@pytest.fixture
async def channel(edge: Nginx, gate: Gate) -> AsyncIterator[grpc.aio.Channel]:
    async with grpc.aio.insecure_channel(f"127.0.0.1:{edge.grpc_port}", options=OPTIONS) as channel:
        yield channel


class TestGate:
    async def test_a_unary_call_passes(self, channel: grpc.aio.Channel) -> None:
        answer = await gate_pb2_grpc.GateStub(channel).process(_predict('"hi"'), timeout=60)
        assert answer.predict.data.json == '"hi"'

    async def test_a_message_of_a_hundred_mebibytes_passes(self, channel: grpc.aio.Channel) -> None:
        text = "x" * (100 * 1024 * 1024 - 100)
        answer = await gate_pb2_grpc.GateStub(channel).process(_predict(text), timeout=60)
        assert len(answer.predict.data.json) == len(text)

    async def test_messages_of_a_stream_pass_one_by_one(self, channel: grpc.aio.Channel) -> None:
        async with asyncio.timeout(60):
            stream = gate_pb2_grpc.GateStub(channel).processAsync()
            for number in range(1, 6):
                await stream.write(gate_pb2.ServiceToGateProto(requestId=number))
                assert (await stream.read()).requestId == number
            await stream.done_writing()
            assert await stream.read() is grpc.aio.EOF
            assert await stream.code() is grpc.StatusCode.OK

    async def test_internal_metadata_is_removed_and_the_address_is_set(
        self, channel: grpc.aio.Channel, gate: Gate
    ) -> None:
        said = (
            ("mlp-internal-token", "guess"),
            ("x-forwarded-for", "10.0.0.1"),
            ("x-real-ip", "10.0.0.1"),
            ("forwarded", "for=10.0.0.1"),
            ("mlp-api-key", "kept"),
        )
        await gate_pb2_grpc.GateStub(channel).process(_predict("1"), metadata=said, timeout=60)
        told = dict(gate.metadata)
        assert told["x-forwarded-for"] == "127.0.0.1"
        assert told["mlp-api-key"] == "kept"
        assert len([key for key, _ in gate.metadata if key == "x-forwarded-for"]) == 1
        assert not {"mlp-internal-token", "x-real-ip", "forwarded"} & set(told)
        assert told["traceparent"].startswith("00-")
        assert len(told["z-requestid"]) == 32

    @pytest.mark.parametrize(
        "method",
        [
            "/com.mlp.internal.Sibling/forward",
            "/com.mlp.gate.GateX/process",
            "/com.mlp.gate/process",
            "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo",
            "/internal/x",
        ],
    )
    async def test_no_other_service_is_reachable(self, channel: grpc.aio.Channel, gate: Gate, method: str) -> None:
        gate.called.clear()
        with pytest.raises(grpc.aio.AioRpcError) as refused:
            await channel.unary_unary(method)(b"", timeout=60)
        assert refused.value.code() is grpc.StatusCode.UNIMPLEMENTED
        assert gate.called == []

    async def test_a_gate_that_is_down_is_unavailable(self, another_edge: Callable[..., Nginx]) -> None:
        edge = another_edge(EDGE_GATE=f"127.0.0.1:{free_port()}")
        async with grpc.aio.insecure_channel(f"127.0.0.1:{edge.grpc_port}", options=OPTIONS) as channel:
            with pytest.raises(grpc.aio.AioRpcError) as refused:
                await gate_pb2_grpc.GateStub(channel).process(_predict("1"), timeout=60)
            assert refused.value.code() is grpc.StatusCode.UNAVAILABLE
            assert refused.value.details() == "the gate does not answer; try again"

    async def test_streams_per_address_are_limited(self, another_edge: Callable[..., Nginx]) -> None:
        edge = another_edge(EDGE_GRPC_STREAMS_PER_ADDRESS="2")
        async with grpc.aio.insecure_channel(f"127.0.0.1:{edge.grpc_port}", options=OPTIONS) as channel:
            stub = gate_pb2_grpc.GateStub(channel)
            streams = [stub.processAsync() for _ in range(2)]
            for stream in streams:
                await stream.write(gate_pb2.ServiceToGateProto(requestId=1))
                assert (await stream.read()).requestId == 1
            with pytest.raises(grpc.aio.AioRpcError) as refused:
                await stub.process(_predict("1"), timeout=60)
            assert refused.value.code() is grpc.StatusCode.UNAVAILABLE
