"""Load of gRPC callers: unary calls of the gate, with one channel for each eight callers."""

import asyncio
import base64
import time

import grpc.aio

from benchmarks.load.requests import Order
from benchmarks.load.window import Window
from mlplace_gateproto import gate_pb2 as pb
from mlplace_gateproto.gate_pb2_grpc import GateStub

_CALLERS_PER_CHANNEL = 8


async def load(order: Order, window: Window) -> None:
    request = pb.ClientRequestProto.FromString(base64.b64decode(order.body))
    address = f"127.0.0.1:{order.port}"
    options = [("grpc.use_local_subchannel_pool", 1)]
    channels = [
        grpc.aio.insecure_channel(address, options=options)
        for _ in range(-(-order.concurrency // _CALLERS_PER_CHANNEL))
    ]

    async def call(stub: GateStub) -> None:
        while not window.over:
            began = time.perf_counter()
            answer = await stub.process(request)  # pyright: ignore[reportGeneralTypeIssues]  of an aio channel
            good = answer.WhichOneof("body") == "predict"
            window.note(time.perf_counter() - began, good=good, text="" if good else str(answer))

    try:
        callers = [asyncio.create_task(call(GateStub(channels[n % len(channels)]))) for n in range(order.concurrency)]
        await window.run()
        await asyncio.gather(*callers)
    finally:
        for channel in channels:
            await channel.close()
