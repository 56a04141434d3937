"""A model that does what its caller requests: echo, parts, fail, or wait. It disconnects on demand and reconnects."""

import asyncio
import contextlib
import json
from collections.abc import Awaitable, Callable

import grpc.aio

from mlplace_gateproto import gate_pb2 as pb
from mlplace_gateproto.gate_pb2_grpc import GateStub

PARTS = 4
Write = Callable[[pb.ServiceToGateProto], Awaitable[None]]


class Instance:
    """Run `run` beside the load. `leave` breaks the stream without a goodbye; a new one is opened at once."""

    def __init__(self, gate: str, token: str) -> None:
        self._gate = gate
        self._token = token
        self._leaving = asyncio.Event()
        self.reconnects = 0

    def leave(self) -> None:
        self._leaving.set()

    async def run(self) -> None:
        while True:
            self._leaving.clear()
            async with grpc.aio.insecure_channel(self._gate) as channel:
                stream = asyncio.create_task(self._serve(channel))
                leaving = asyncio.create_task(self._leaving.wait())
                try:
                    await asyncio.wait({stream, leaving}, return_when=asyncio.FIRST_COMPLETED)
                finally:
                    for task in (stream, leaving):
                        task.cancel()
                    await asyncio.gather(stream, leaving, return_exceptions=True)
            self.reconnects += 1
            await asyncio.sleep(0.05)

    async def _serve(self, channel: grpc.aio.Channel) -> None:
        call = GateStub(channel).processAsync()  # pyright: ignore[reportCallIssue]  messages are written one by one
        lock = asyncio.Lock()

        async def write(message: pb.ServiceToGateProto) -> None:
            async with lock:  # gRPC allows one write at a time
                await call.write(message)

        await write(pb.ServiceToGateProto(startServing=pb.StartServingProto(connectionToken=self._token)))
        answers: set[asyncio.Task[None]] = set()
        try:
            while isinstance(message := await call.read(), pb.GateToServiceProto):
                if message.WhichOneof("body") == "predict":
                    task = asyncio.create_task(self._answer(write, message))
                    answers.add(task)
                    task.add_done_callback(answers.discard)
        finally:
            call.cancel()
            for task in list(answers):
                task.cancel()

    @staticmethod
    async def _answer(write: Write, message: pb.GateToServiceProto) -> None:
        number, data = message.requestId, message.predict.data
        echo = pb.ServiceToGateProto(requestId=number, predict=pb.PredictResponseProto(data=data))
        with contextlib.suppress(grpc.RpcError, asyncio.InvalidStateError):
            match json.loads(data.json)["do"]:
                case "parts":
                    for part in range(PARTS):
                        partial = pb.PartialPredictResponseProto(data=data, start=part == 0, finish=part == PARTS - 1)
                        await write(pb.ServiceToGateProto(requestId=number, partialPredict=partial))
                        await asyncio.sleep(0.005)
                case "fail":
                    error = pb.ApiErrorProto(code="soak.asked", message="as asked", status=400)  # type: ignore[arg-type]  # open enum
                    await write(pb.ServiceToGateProto(requestId=number, error=error))
                case "wait":
                    await asyncio.sleep(3)
                    await write(echo)
                case _:
                    await write(echo)
