"""An instance that works on one message at a time for a fixed time, whether it is one request or a batch.

`python -m benchmarks.subjects.worker_instance GATE_PORT MILLISECONDS`, with its token in MLP_SERVICE_TOKEN. It models
work whose cost does not depend on the number of requests in a message, for which batches are useful.
"""

import asyncio
import os
import sys

import grpc.aio
import uvloop

from mlplace_gateproto import gate_pb2 as pb
from mlplace_gateproto.gate_pb2_grpc import GateStub

Stream = grpc.aio.StreamStreamCall[pb.ServiceToGateProto, pb.GateToServiceProto]


def start_message(token: str, *, batches: bool) -> pb.ServiceToGateProto:
    start = pb.StartServingProto(connectionToken=token)
    if batches:
        start.serviceDescriptor.methods["predict_batch"].output.type = "array Answer"
    return pb.ServiceToGateProto(startServing=start)


def answer_to(message: pb.GateToServiceProto) -> pb.ServiceToGateProto:
    answer = pb.ServiceToGateProto(requestId=message.requestId)
    if message.HasField("batch"):
        for item in message.batch.data:
            answer.batch.data.add(requestId=item.requestId, predict=pb.PredictResponseProto(data=item.data))
    else:
        answer.predict.data.CopyFrom(message.predict.data)
    return answer


class Outbox:
    """Serialises writes: gRPC would end a stream with two concurrent writes."""

    def __init__(self, call: Stream) -> None:
        self._call = call
        self._lock = asyncio.Lock()

    async def write(self, message: pb.ServiceToGateProto) -> None:
        async with self._lock:
            await self._call.write(message)


async def work(outbox: Outbox, queue: "asyncio.Queue[pb.GateToServiceProto]", seconds: float) -> None:
    while True:
        message = await queue.get()
        await asyncio.sleep(seconds)
        await outbox.write(answer_to(message))


async def main(port: int, seconds: float, token: str) -> None:
    async with grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel:
        call = GateStub(channel).processAsync()  # pyright: ignore[reportCallIssue]  messages are written one by one
        outbox = Outbox(call)
        await outbox.write(start_message(token, batches=True))
        queue: asyncio.Queue[pb.GateToServiceProto] = asyncio.Queue()
        working = asyncio.create_task(work(outbox, queue, seconds))
        while isinstance(message := await call.read(), pb.GateToServiceProto):
            match message.WhichOneof("body"):
                case "predict" | "batch":
                    queue.put_nowait(message)
                case "heartBeat":
                    await outbox.write(pb.ServiceToGateProto(heartBeat=message.heartBeat))
                case "stopServing":
                    await call.done_writing()
                case _:
                    pass
        working.cancel()


if __name__ == "__main__":
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(main(int(sys.argv[1]), int(sys.argv[2]) / 1000, os.environ["MLP_SERVICE_TOKEN"]))
