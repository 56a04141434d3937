"""A large request of a gRPC client is in memory once when its instance has it."""

import weakref
from collections.abc import AsyncGenerator
from typing import cast

import pytest

from mlpgateway.call.call import Answer, Payload
from mlpgateway.call.large_json import LARGE_BYTES
from mlpgateway.call.transport import InstanceRequest
from mlpgateway.http2.call import Call as Context
from mlpgateway.instances.grpc import wire
from mlplace_gateproto import gate_pb2 as pb
from services.mlpgateway.tests.rpcs import Rpc, client_rpc


@pytest.mark.parametrize("rpc", ["process", "process_response_stream"])
async def test_received_message_is_gone_once_the_request_is_written(world, kit, rpc: str) -> None:
    world.know(kit.model_changed(name="m", billing=kit.CALLS))
    secret = world.key()["MLP-API-KEY"]
    request = pb.ClientRequestProto(account="acme", model="m", authToken=secret)
    request.predict.data.json = '"' + "x" * LARGE_BYTES + '"'
    views: list[weakref.ref[memoryview]] = []
    gone: list[bool] = []

    def asked() -> wire.GrpcRequest:
        made = wire.asked(request.SerializeToString())
        assert made.text is not None
        views.append(weakref.ref(made.text))
        return made

    async def writing(given: InstanceRequest) -> AsyncGenerator[Answer]:
        wire.request_to_wire(1, given)
        gone.append(views[0]() is None)
        yield Answer(Payload(json="1"), {})

    world.instance(writing)
    await getattr(client_rpc(world.components), rpc)(asked(), cast("Context", Rpc()))
    assert gone == [True]
