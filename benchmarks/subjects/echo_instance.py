"""A service that answers each request with its data, on the bare gate protocol, so that it costs little itself.

`python -m benchmarks.subjects.echo_instance GATE_PORT`, with its token in MLP_SERVICE_TOKEN.
"""

import asyncio
import os
import sys

import grpc.aio
import uvloop

from mlplace_gateproto import gate_pb2 as pb
from mlplace_gateproto.gate_pb2_grpc import GateStub


async def main(port: int, token: str) -> None:
    async with grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel:
        call = GateStub(channel).processAsync()  # pyright: ignore[reportCallIssue]  messages are written one by one
        await call.write(pb.ServiceToGateProto(startServing=pb.StartServingProto(connectionToken=token)))
        while isinstance(message := await call.read(), pb.GateToServiceProto):
            match message.WhichOneof("body"):
                case "predict":
                    answer = pb.PredictResponseProto(data=message.predict.data)
                    await call.write(pb.ServiceToGateProto(requestId=message.requestId, predict=answer))
                case "heartBeat":
                    await call.write(pb.ServiceToGateProto(heartBeat=message.heartBeat))
                case "stopServing":
                    await call.done_writing()
                case _:
                    pass


if __name__ == "__main__":
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(main(int(sys.argv[1]), os.environ["MLP_SERVICE_TOKEN"]))
